#pragma once

#include <map>
#include <optional>
#include <zmq.hpp>

#include "base/child_process.h"
#include "base/file.h"
#include "cli/solve/answer_source.h"
#include "rollout/generator_link.h"

namespace kg::cli {

struct LocalModelOptions {
  std::string model;  // as kgtrain-generator takes it
  fs::path folder;    // for its socket and its log
  std::vector<std::string> arguments;
  proto::SamplingParameters sampling;
  proto::Task task;  // for a grammar that knows it
};

// A model on this machine, in a kgtrain-generator of its own, which ends with this object. A further turn is asked with
// the tokens of the turns before as they were drawn.
class LocalAnswers : public AnswerSource {
 public:
  // The thread that makes the object must outlive it: the generator ends with either.
  explicit LocalAnswers(const LocalModelOptions& options);
  ~LocalAnswers() override;  // leaves the log, not the socket

  void ask(const std::vector<Question>& questions) override;
  std::optional<ModelAnswer> next(double seconds) override;

 private:
  struct Asked {
    int first_attempt = 0;
    int turn = 0;
  };
  void take(const proto::GenerateReply& reply);
  void require_running();

  LocalModelOptions options_;
  fs::path log_;
  std::string endpoint_;
  std::optional<ChildProcess> generator_;
  zmq::context_t context_;
  std::optional<rollout::GeneratorLink> link_;
  std::map<std::uint64_t, Asked> open_;
  std::vector<ModelAnswer> ready_;
};

}  // namespace kg::cli
