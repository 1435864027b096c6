#include "cli/solve/server_answers.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kg::cli {
namespace {

[[noreturn]] void not_an_answer(const http::Client& client, const std::string& what) {
  throw Error("the server's answer " + what, client.url() + "/chat/completions",
              "--model wants a server that speaks OpenAI's chat completions", Error::Kind::kFailed);
}

std::string first_model(http::Client& client) {
  const nlohmann::json listed = client.get_json("/models");
  if (!listed.is_object() || !listed.contains("data") || !listed["data"].is_array() || listed["data"].empty() ||
      !listed["data"][0].is_object() || !listed["data"][0].contains("id") || !listed["data"][0]["id"].is_string())
    throw Error("the server lists no model", client.url() + "/models", "name one with --server-model",
                Error::Kind::kFailed);
  return listed["data"][0]["id"];
}

}  // namespace

ServerAnswers::ServerAnswers(ServerModelOptions options) : options_(std::move(options)) {
  for (int i = 0; i < std::max(1, options_.connections); ++i)
    clients_.push_back(std::make_unique<http::Client>(options_.client));
  if (options_.model.empty()) options_.model = first_model(*clients_.front());
  for (const auto& client : clients_) threads_.emplace_back([this, &client] { serve(*client); });
}

ServerAnswers::~ServerAnswers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (const auto& client : clients_) client->stop();
  for (std::thread& thread : threads_) thread.join();
}

void ServerAnswers::ask(const std::vector<Question>& questions) {
  const std::lock_guard lock(mutex_);
  waiting_.insert(waiting_.end(), questions.begin(), questions.end());
  changed_.notify_all();
}

std::optional<ModelAnswer> ServerAnswers::next(double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !ready_.empty() || failure_; });
  if (ready_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return {};
  }
  ModelAnswer answer = std::move(ready_.front());
  ready_.pop_front();
  return answer;
}

void ServerAnswers::serve(http::Client& client) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || failure_ || !waiting_.empty(); });
    if (stopping_ || failure_) return;
    const Question question = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    ModelAnswer answer;
    std::exception_ptr failed;
    try {
      answer = answer_of(client, question);
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    if (failed)
      failure_ = failure_ ? failure_ : failed;
    else
      ready_.push_back(std::move(answer));
    changed_.notify_all();
  }
}

ModelAnswer ServerAnswers::answer_of(http::Client& client, const Question& question) const {
  nlohmann::json messages = nlohmann::json::array();
  for (const proto::ChatMessage& message : question.messages)
    messages.push_back({{"role", message.role()}, {"content", message.content()}});
  const nlohmann::json reply =
      client.post_json("/chat/completions", {{"model", options_.model},
                                             {"messages", std::move(messages)},
                                             {"temperature", options_.temperature},
                                             {"top_p", options_.top_p},
                                             {"max_tokens", options_.max_new_tokens},
                                             {"seed", options_.seed + static_cast<std::uint64_t>(question.attempt) +
                                                          static_cast<std::uint64_t>(question.turn) * 1000003}});
  if (!reply.is_object() || !reply.contains("choices") || !reply["choices"].is_array() || reply["choices"].empty())
    not_an_answer(client, "has no \"choices\"");
  const nlohmann::json& choice = reply["choices"][0];
  if (!choice.is_object() || !choice.contains("message") || !choice["message"].is_object())
    not_an_answer(client, "has no \"message\" in its first choice");
  const nlohmann::json content = choice["message"].value("content", nlohmann::json());
  if (!content.is_string() && !content.is_null()) not_an_answer(client, "has a \"content\" that is no text");
  ModelAnswer answer{.attempt = question.attempt, .turn = question.turn};
  answer.text = content.is_string() ? content.get<std::string>() : "";
  answer.cut_off = choice.contains("finish_reason") && choice["finish_reason"] == "length";
  if (reply.contains("usage") && reply["usage"].is_object() && reply["usage"].contains("completion_tokens") &&
      reply["usage"]["completion_tokens"].is_number_integer())
    answer.new_tokens = reply["usage"]["completion_tokens"].get<int>();
  return answer;
}

}  // namespace kg::cli
