#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/http/client.h"
#include "cli/solve/answer_source.h"

namespace kg::cli {

struct ServerModelOptions {
  http::ClientOptions client;  // url: http://HOST:PORT/v1
  std::string model;           // as the server names it; empty: the first that it lists
  int connections = 4;
  double temperature = 1;
  double top_p = 1;
  std::int64_t max_new_tokens = 1024;
  std::uint64_t seed = 1;
};

// A model behind an OpenAI-compatible server: chat completions, one request an answer.
class ServerAnswers : public AnswerSource {
 public:
  // Asks the server for its models if none is named. Throws Error if there is no such server.
  explicit ServerAnswers(ServerModelOptions options);
  ~ServerAnswers() override;

  void ask(const std::vector<Question>& questions) override;
  std::optional<ModelAnswer> next(double seconds) override;
  const std::string& model() const { return options_.model; }

 private:
  void serve(http::Client& client);
  ModelAnswer answer_of(http::Client& client, const Question& question) const;

  ServerModelOptions options_;
  std::vector<std::unique_ptr<http::Client>> clients_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> waiting_;
  std::deque<ModelAnswer> ready_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kg::cli
