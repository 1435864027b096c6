#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/verdict.pb.h"

namespace kg::service {

// A request to the judge (docs/guide/judge-service.md). Its form is checked, but not whether the things it names exist.
struct JudgeRequest {
  std::string id;      // chosen by the client; the same id means the same request
  std::string task;    // a task of the service's data set, or
  std::string module;  // Python with a PyTorch module or function of the client's own
  std::vector<std::string> shapes;
  std::string dtype, operator_name;
  bool evaluation = false;
  std::string kernel;                       // one of three: the source itself,
  std::string answer;                       // a model's text with the kernel in a code block,
  std::vector<proto::ProjectFile> project;  // or an operator project
  proto::SourceLanguage language = proto::ASCENDC;
  std::optional<int> only_case;
  double deadline = 0;  // seconds after its arrival when it need not be judged any more; 0: none
  double wait = 0;      // seconds to wait for its answer before "waiting" is the answer

  std::string content() const;  // equal only for requests that ask for the same
};

// Why a request is refused, or has no verdict: an HTTP status, and a message for the client.
struct Refusal {
  int status = 400;
  std::string what;
  std::string hint;
  double retry_after = 0;  // seconds; 0: asking again will not help
};

struct RequestBounds {
  std::size_t kernel_bytes = 4 << 20;  // limit for a kernel, an answer, a module, and all files of a project together
  int files = 256;
  double longest_wait = 300;
};

// Throws Refusal for anything that is not a valid request, unknown keys included.
JudgeRequest parse_request(const std::string& body, const RequestBounds& bounds);

// 22 random characters, for a client that gives no id.
std::string new_id();
bool is_id(const std::string& text);  // 1 to 128 of letters, digits, '.', '_', ':' and '-'

}  // namespace kg::service
