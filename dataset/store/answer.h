#pragma once

#include <string>
#include <string_view>

#include "proto/sandbox.pb.h"

namespace kg::dataset {

// The content of a model's answer.
struct Answer {
  std::string kernel;  // the source, empty if none was found
  std::string reason;  // why none was found
};

// The last closed ```cpp block (also ```c++, ```c, or without a language; for the DSL ```dsl), within <kernel_impl> if
// the answer has one. Earlier blocks are the model's thinking; a block cut off by the token limit is not a kernel.
Answer extract_kernel(std::string_view text, proto::SourceLanguage wanted = proto::ASCENDC);

}  // namespace kg::dataset
