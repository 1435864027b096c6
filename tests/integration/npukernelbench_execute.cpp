#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <iostream>

#include "base/error.h"
#include "sandbox/sandbox.h"

// Executes requests through the real sandbox for npukernelbench/judge_rows.py: each line of the input is an
// ExecutionRequest in protobuf's JSON form, each line of the output its ExecutionResult.
int main(int argc, char** argv) {
  using namespace kg;
  if (argc != 3) {
    std::fprintf(stderr, "usage: npukernelbench_execute KGTRAIN-SANDBOX CACHE-FOLDER\n");
    return 2;
  }
  try {
    const auto sandbox =
        sandbox::start_sandbox({.program = argv[1], .allow_less_isolation = true, .cache_folder = argv[2]});
    for (std::string line; std::getline(std::cin, line);) {
      proto::ExecutionRequest request;
      const auto status = google::protobuf::util::JsonStringToMessage(line, &request);
      if (!status.ok()) throw Error("not an ExecutionRequest", "standard input", status.ToString());
      std::string answer;
      (void)google::protobuf::util::MessageToJsonString(sandbox->execute(request), &answer);
      std::cout << answer << std::endl;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.full_message().c_str());
    return 1;
  }
  return 0;
}
