#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// A message to or from module_runner.py: a JSON object and tensors.
struct ModuleMessage {
  nlohmann::json header;
  std::vector<proto::Tensor> tensors;  // the tensors in the header's "tensors", with their bytes
};

// The whole frame. The header's "tensors" describe `tensors`.
std::string encode_message(nlohmann::json header, const std::vector<const proto::Tensor*>& tensors);

// The other side is untrusted. Throws Error for a malformed message.
ModuleMessage decode_message(const std::string& frame);

// A text in the header, or empty.
std::string text_of(const ModuleMessage& message, const char* field);

}  // namespace kg::sandbox
