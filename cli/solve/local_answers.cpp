#include "cli/solve/local_answers.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "base/error.h"
#include "rollout/endpoint.h"
#include "rollout/local_fleet.h"
#include "rollout/task_tensors.h"

namespace kg::cli {
namespace {

constexpr std::size_t kMostLog = 2000;  // of the end of the generator's log, for an error

// The error that a program of ours printed last, without the lines before it.
std::string last_words(const fs::path& log) {
  std::string text = read_file(log);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kMostLog) text = text.substr(text.size() - kMostLog);
  const std::size_t error = text.rfind("error: ");
  if (error != std::string::npos) return text.substr(error + 7);
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

bool same_messages(const Question& a, const Question& b) {
  return std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(),
                    [](const proto::ChatMessage& x, const proto::ChatMessage& y) {
                      return x.role() == y.role() && x.content() == y.content();
                    });
}

}  // namespace

LocalAnswers::LocalAnswers(const LocalModelOptions& options)
    : options_(options),
      log_(options.folder / "generator.log"),
      endpoint_(rollout::local_endpoint(options.folder, "generator")) {
  std::vector<std::string> arguments{"--model", options_.model, "--endpoint", endpoint_};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  generator_ = rollout::start_logged(program_folder() / "kgtrain-generator", arguments, log_);
  link_.emplace(context_, endpoint_);
}

LocalAnswers::~LocalAnswers() {
  link_.reset();
  generator_.reset();
  const fs::path socket = endpoint_.substr(std::string_view("ipc://").size());
  std::error_code ignored;
  fs::remove(socket, ignored);
  fs::remove(socket.parent_path(), ignored);  // if nothing else is there
}

// Attempts that begin alike share the prompt's computation.
void LocalAnswers::ask(const std::vector<Question>& questions) {
  for (std::size_t first = 0; first < questions.size();) {
    const Question& question = questions[first];
    std::size_t end = first + 1;
    while (end < questions.size() && question.turn == 0 && questions[end].turn == 0 &&
           questions[end].attempt == questions[end - 1].attempt + 1 && same_messages(question, questions[end]))
      ++end;
    proto::GenerateRequest request;
    request.mutable_messages()->Add(question.messages.begin(), question.messages.end());
    request.mutable_prefix_ids()->Add(question.prefix.begin(), question.prefix.end());
    request.set_count(static_cast<std::uint32_t>(end - first));
    request.set_first_sample(static_cast<std::uint32_t>(question.attempt));
    request.set_singly(true);
    *request.mutable_sampling() = options_.sampling;
    request.mutable_sampling()->set_seed(options_.sampling.seed() +
                                         static_cast<std::uint64_t>(question.turn) * 1000003);
    rollout::add_task_tensors(options_.task, request);
    open_[link_->ask(request)] = {question.attempt, question.turn};
    first = end;
  }
}

void LocalAnswers::take(const proto::GenerateReply& reply) {
  const auto asked = open_.find(reply.request_id());
  if (asked == open_.end()) return;
  if (!reply.error().empty() && asked->second.turn > 0) {
    ready_.push_back({.attempt = asked->second.first_attempt, .turn = asked->second.turn, .refused = reply.error()});
    open_.erase(asked);
    return;
  }
  if (!reply.error().empty())
    throw Error("the model cannot answer: " + reply.error(), options_.model, "see --max-new-tokens and --turns",
                Error::Kind::kFailed);
  for (int i = 0; i < reply.completions_size(); ++i) {
    const proto::Completion& completion = reply.completions(i);
    ModelAnswer answer;
    answer.attempt = asked->second.first_attempt +
                     static_cast<int>(i < reply.indexes_size() ? reply.indexes(i) : static_cast<std::uint32_t>(i));
    answer.turn = asked->second.turn;
    answer.text = completion.text();
    answer.cut_off = completion.truncated();
    answer.tokens.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
    answer.tokens.insert(answer.tokens.end(), completion.token_ids().begin(), completion.token_ids().end());
    answer.new_tokens = completion.token_ids_size();
    ready_.push_back(std::move(answer));
  }
  if (!reply.more()) open_.erase(asked);
}

void LocalAnswers::require_running() {
  const auto ended = generator_->ended();
  if (ended)
    throw Error("the model cannot be used: " + last_words(log_), log_.string(),
                "--model takes a folder, a GGUF file, a run or http://HOST:PORT/v1", Error::Kind::kUsage);
}

std::optional<ModelAnswer> LocalAnswers::next(double seconds) {
  const double deadline = monotonic_seconds() + seconds;
  for (;;) {
    if (!ready_.empty()) {
      ModelAnswer answer = std::move(ready_.front());
      ready_.erase(ready_.begin());
      return answer;
    }
    require_running();
    const double now = monotonic_seconds();
    link_->tick(now);
    for (const proto::GenerateReply& reply : link_->read(now).replies) take(reply);
    if (!ready_.empty()) continue;
    if (now >= deadline) return {};
    zmq::pollitem_t item{link_->socket().handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(static_cast<int>(std::clamp((deadline - now) * 1e3, 1.0, 200.0))));
  }
}

}  // namespace kg::cli
