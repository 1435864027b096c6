#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/verdict.pb.h"

namespace kg::service {

// What is asked of the judge (docs/guide/judge-service.md). Its form is checked, not what it names.
struct JudgeRequest {
  std::string id;      // of the requester's; the same id is the same request
  std::string task;    // of the service's data set; or
  std::string module;  // Python with a PyTorch module or function of the requester's own
  std::vector<std::string> shapes;
  std::string dtype, operator_name;
  bool evaluation = false;
  std::string kernel;                       // one of three: the source as it is,
  std::string answer;                       // a model's text with the kernel in a code block,
  std::vector<proto::ProjectFile> project;  // or an operator project
  proto::SourceLanguage language = proto::ASCENDC;
  std::optional<int> only_case;
  double deadline = 0;  // seconds from its arrival after which it need not be judged any more; 0: none
  double wait = 0;      // seconds for which its answer is waited for before "waiting" is the answer

  std::string content() const;  // equal only for requests that ask for the same
};

// Why a request is not taken, or has no verdict: an HTTP status, and words for the requester.
struct Refusal {
  int status = 400;
  std::string what;
  std::string hint;
  double retry_after = 0;  // seconds; 0: asking again is of no use
};

struct RequestBounds {
  std::size_t kernel_bytes = 4 << 20;  // of a kernel, an answer, a module; of all files of a project
  int files = 256;
  double longest_wait = 300;
};

// Throws Refusal for anything that is no such request, unknown keys included.
JudgeRequest parse_request(const std::string& body, const RequestBounds& bounds);

// 22 random characters, for a requester that names no id.
std::string new_id();
bool is_id(const std::string& text);  // 1 to 128 of letters, digits, '.', '_', ':' and '-'

}  // namespace kg::service
