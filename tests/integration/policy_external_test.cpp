// A server of somebody else's in place of our engine: its protocol with a server made here, its numbers with llama.cpp.
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/child_process.h"
#include "base/error.h"
#include "policy/files/model_io.h"
#include "policy/generation/external_engine.h"
#include "policy/model/device.h"
#include "policy/model/token_log_prob.h"

namespace kg::policy {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

proto::SamplingParameters sampling(float temperature, int tokens) {
  proto::SamplingParameters made;
  made.set_temperature(temperature);
  made.set_max_new_tokens(tokens);
  made.set_seed(7);
  return made;
}

// Speaks like SGLang: token 5 for each step, and a version that changes on request.
class SglangStandIn {
 public:
  SglangStandIn() {
    server_.Get("/get_model_info", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(R"({"model_path": "m"})", "application/json");
    });
    server_.Post("/generate", [this](const httplib::Request& request, httplib::Response& response) {
      const json asked = json::parse(request.body);
      if (broken_ > 0 && broken_-- > 0) {
        response.status = 500;
        return;
      }
      ++arrived_;
      while (held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      json tokens = json::array();
      for (int i = 0; i < asked["sampling_params"]["max_new_tokens"]; ++i) tokens.push_back({-0.5 - i, 5, nullptr});
      seeds_ += asked["sampling_params"]["sampling_seed"].dump() + " ";
      prompt_ = asked["input_ids"].get<std::vector<int>>();
      response.set_content(
          json{{"text", ""},
               {"meta_info", {{"output_token_logprobs", tokens}, {"finish_reason", {{"type", "length"}}}}}}
              .dump(),
          "application/json");
    });
    server_.Post("/update_weights_from_disk", [this](const httplib::Request& request, httplib::Response& response) {
      const json asked = json::parse(request.body);
      const bool good = asked["model_path"] == "/weights/2";
      updates_ += asked["weight_version"].get<std::string>() + " ";
      response.set_content(json{{"success", good}, {"message", good ? "" : "no such folder"}}.dump(),
                           "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~SglangStandIn() {
    held_ = false;
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::atomic<bool> held_ = false;
  std::atomic<int> arrived_ = 0;  // requests for completions
  std::atomic<int> broken_ = 0;
  std::string seeds_, updates_;
  std::vector<int> prompt_;  // of the last request

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

const LoadedModel& smollm2() {
  static const LoadedModel model = load_model(find_model("smollm2-135m-instruct"));
  return model;
}

std::unique_ptr<ExternalEngine> engine_at(const std::string& url, int parallel = 4) {
  return std::make_unique<ExternalEngine>(ExternalOptions{.url = url,
                                                          .parallel = parallel,
                                                          .version_timeout_seconds = 0.5,
                                                          .context = 1024,
                                                          .vocabulary = smollm2().config.vocabulary},
                                          smollm2().tokenizer, smollm2().chat_template);
}

proto::GenerateRequest request(int count, const proto::SamplingParameters& how, std::uint64_t version = 0) {
  proto::GenerateRequest made;
  made.add_messages()->set_role("user");
  made.mutable_messages(0)->set_content("Write a kernel.");
  made.set_count(static_cast<std::uint32_t>(count));
  made.set_min_policy_version(version);
  *made.mutable_sampling() = how;
  return made;
}

std::vector<proto::GenerateReply> replies(SamplingEngine& engine, std::size_t count) {
  std::vector<proto::GenerateReply> all;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (all.size() < count && std::chrono::steady_clock::now() < until) {
    if (!engine.step()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (FinishedRequest& done : engine.take_finished()) all.push_back(std::move(done.reply));
  }
  return all;
}

TEST(ExternalEngine, CompletionsComeWithTokensProbabilitiesAndTheOlderVersion) {
  SglangStandIn server;
  const auto engine = engine_at(server.url());
  EXPECT_EQ(engine->kind(), ServerKind::kSglang);
  server.held_ = true;
  proto::GenerateRequest asked = request(3, sampling(1, 2));
  asked.set_singly(true);
  engine->submit(asked);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (server.arrived_ < 3 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  proto::WeightsManifest manifest;
  manifest.set_version(2);
  manifest.set_path("/weights/2");
  engine->want_weights(manifest, {"peer", 1});
  std::optional<SamplingEngine::Switched> switched;
  while (!(switched = engine->switch_weights())) std::this_thread::yield();
  EXPECT_EQ(switched->error, "");
  EXPECT_EQ(engine->policy_version(), 2u);
  server.held_ = false;
  const auto early = replies(*engine, 3);
  ASSERT_EQ(early.size(), 3u);
  int more = 0;
  for (const proto::GenerateReply& reply : early) {
    ASSERT_EQ(reply.completions_size(), 1) << reply.error();
    const proto::Completion& one = reply.completions(0);
    EXPECT_THAT(one.token_ids(), testing::ElementsAre(5, 5));
    EXPECT_THAT(one.log_probs(), testing::ElementsAre(-0.5f, -1.5f));
    EXPECT_THAT(one.policy_versions(), testing::ElementsAre(0u));  // sent before the change
    EXPECT_TRUE(one.truncated());
    more += reply.more();
  }
  EXPECT_EQ(more, 2);
  EXPECT_EQ(
      replies(*(engine->submit(request(1, sampling(1, 1), 2)), engine), 1).front().completions(0).policy_versions(0),
      2u);
  EXPECT_EQ(server.updates_, "2 ");
  EXPECT_TRUE(engine->idle());
}

// The text of the answer was tokenised again, which need not give the tokens that were drawn.
TEST(ExternalEngine, AFurtherTurnGoesOnFromTheTokensThatWereDrawn) {
  SglangStandIn server;
  const auto engine = engine_at(server.url());
  proto::GenerateRequest asked = request(1, sampling(1, 1));
  for (const char* words : {"an answer", "repair it"}) asked.add_messages()->set_content(words);
  asked.mutable_messages(1)->set_role("assistant");
  asked.mutable_messages(2)->set_role("user");
  const std::vector<int> prefix{11, 22, 33, 44};
  asked.mutable_prefix_ids()->Add(prefix.begin(), prefix.end());
  engine->submit(asked);
  const auto reply = replies(*engine, 1).front();
  ASSERT_EQ(reply.completions_size(), 1) << reply.error();
  EXPECT_THAT(reply.completions(0).prompt_ids(), testing::ElementsAreArray(server.prompt_));
  ASSERT_GT(server.prompt_.size(), prefix.size());
  EXPECT_THAT(std::vector<int>(server.prompt_.begin(), server.prompt_.begin() + 4), testing::ElementsAreArray(prefix));
  const std::string behind =
      smollm2().tokenizer->decode(std::vector<std::int32_t>(server.prompt_.begin() + 4, server.prompt_.end()));
  EXPECT_THAT(behind, HasSubstr("repair it"));
  EXPECT_THAT(behind, testing::Not(HasSubstr("an answer")));
}

TEST(ExternalEngine, WeightsThatAreRefusedLeaveTheOldOnes) {
  SglangStandIn server;
  const auto engine = engine_at(server.url());
  proto::WeightsManifest manifest;
  manifest.set_version(3);
  manifest.set_path("/elsewhere");
  engine->want_weights(manifest, {"peer", 1});
  std::optional<SamplingEngine::Switched> switched;
  while (!(switched = engine->switch_weights())) std::this_thread::yield();
  EXPECT_THAT(switched->error, HasSubstr("no such folder"));
  EXPECT_EQ(engine->policy_version(), 0u);
  engine->submit(request(1, sampling(1, 1), /*version=*/3));
  EXPECT_THAT(replies(*engine, 1).front().error(), HasSubstr("has not arrived"));
}

// An evaluation announces the weights that it begins with; by a server that cannot replace its own it never began.
TEST(ExternalEngine, AServerWithoutARouteForWeightsHasTheFirstThatAreWanted) {
  httplib::Server server;
  server.Get("/props", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(R"({"default_generation_settings": {}})", "application/json");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  {
    const auto engine = engine_at("http://127.0.0.1:" + std::to_string(port));
    ASSERT_EQ(engine->kind(), ServerKind::kLlamaCpp);
    const auto error_of = [&](std::uint64_t version, const std::string& checksum) {
      proto::WeightsManifest manifest;
      manifest.set_version(version);
      manifest.set_checksum(checksum);
      engine->want_weights(manifest, {"peer", version});
      std::optional<SamplingEngine::Switched> switched;
      while (!(switched = engine->switch_weights())) std::this_thread::yield();
      return switched->error;
    };
    EXPECT_EQ(error_of(1, "of the model"), "");
    EXPECT_EQ(engine->policy_version(), 1u);
    EXPECT_EQ(error_of(5, "of the model"), "");  // of the same run, resumed
    EXPECT_EQ(engine->policy_version(), 5u);
    EXPECT_THAT(error_of(6, "of an update"), HasSubstr("no route to replace its weights"));
    EXPECT_EQ(engine->policy_version(), 5u);
  }
  server.stop();
  thread.join();
}

TEST(ExternalEngine, ABrokenAnswerIsAskedForAgainAndSeedsAreTheSamplesOwn) {
  SglangStandIn server;
  const auto engine = engine_at(server.url(), /*parallel=*/1);
  server.broken_ = 2;
  engine->submit(request(1, sampling(1, 1)));
  EXPECT_EQ(replies(*engine, 1).front().error(), "");
  const std::string first = server.seeds_;
  engine->submit(request(1, sampling(1, 1)));
  replies(*engine, 1);
  EXPECT_EQ(server.seeds_, first + first);
  server.broken_ = 100;
  engine->submit(request(2, sampling(1, 1)));
  EXPECT_THAT(replies(*engine, 1).front().error(), HasSubstr("status 500"));
  EXPECT_THAT(failure_of([&] { engine->submit(request(1, sampling(1, 5000))); }), HasSubstr("context holds 1024"));
}

TEST(ServerDialect, WhatIsNoSuchServerIsRefused) {
  httplib::Server other;
  other.Get("/v1/models", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(R"({"data": []})", "application/json");
  });
  const int port = other.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { other.listen_after_bind(); });
  while (!other.is_running()) std::this_thread::yield();
  EXPECT_THAT(failure_of([&] { engine_at("http://127.0.0.1:" + std::to_string(port) + "/v1"); }),
              HasSubstr("neither vLLM nor SGLang nor llama.cpp's"));
  other.stop();
  thread.join();
}

TEST(ServerDialect, AnswersOfOtherFormsSayWhatIsMissing) {
  const auto said = [](ServerKind kind, const char* answer) {
    return failure_of([&] { completion_of(kind, json::parse(answer), sampling(1, 4)); });
  };
  EXPECT_THAT(said(ServerKind::kVllm, R"({"choices": [{"text": "x"}]})"), HasSubstr("token_ids"));
  EXPECT_THAT(said(ServerKind::kVllm, R"({"choices": [{"token_ids": [1, 2], "finish_reason": "stop",
      "logprobs": {"token_logprobs": [-0.1]}}]})"),
              HasSubstr("2 tokens and 1 log-probabilities"));
  EXPECT_THAT(said(ServerKind::kVllm, R"({"choices": [{"token_ids": [1], "finish_reason": "stop",
      "logprobs": {"token_logprobs": [null]}}]})"),
              HasSubstr("log-probability nan"));
  EXPECT_THAT(said(ServerKind::kLlamaCpp, R"({"content": "x", "stop_type": "eos"})"), HasSubstr("no tokens"));
  EXPECT_THAT(said(ServerKind::kSglang, R"({"text": "x"})"), HasSubstr("meta_info"));
  const ServerCompletion good =
      completion_of(ServerKind::kVllm, json::parse(R"({"choices": [{"token_ids": [1, 2], "finish_reason": "length",
      "logprobs": {"token_logprobs": [-0.25, 1e-5]}}]})"),
                    sampling(1, 4));
  EXPECT_THAT(good.log_probs, testing::ElementsAre(-0.25f, 0.0f));
  EXPECT_TRUE(good.truncated);
}

// Log-probabilities of the tokens by our own model, at a temperature.
std::vector<float> our_log_probs(const Transformer& model, const proto::Completion& completion, double temperature) {
  std::vector<std::int64_t> ids(completion.prompt_ids().begin(), completion.prompt_ids().end());
  const std::size_t prompt = ids.size();
  ids.insert(ids.end(), completion.token_ids().begin(), completion.token_ids().end());
  const at::Tensor hidden = model.hidden(at::tensor(ids), std::vector<std::int64_t>{0});  // (T, C)
  const auto first = static_cast<std::int64_t>(prompt), count = static_cast<std::int64_t>(ids.size()) - first;
  const at::Tensor log_prob = token_log_prob(hidden.narrow(0, first - 1, count), model.head_weight(),
                                             at::tensor(ids).narrow(0, first, count), {.temperature = temperature})
                                  .log_prob;  // (T)
  return {log_prob.const_data_ptr<float>(), log_prob.const_data_ptr<float>() + count};
}

// A server of tests/integration/python round another program's model, of the same GGUF file.
class PeerServer {
 public:
  explicit PeerServer(const std::string& script, const std::string& dtype = "")
      : server_({.words = {std::getenv("KGTRAIN_PEER_PYTHON"),
                           std::string(KG_SOURCE_DIR "/tests/integration/python/") + script,
                           find_model("smollm2-135m-instruct").string(), dtype},
                 .input = ChildCommand::kNothing,
                 .output = ChildCommand::kPipe,
                 .dies_with_this_thread = true}) {
    for (char byte = 0; read_fully(server_.output().number(), &byte, 1) == 1 && byte != '\n';) url_ += byte;
  }
  const std::string& url() const { return url_; }

 private:
  ChildProcess server_;
  std::string url_;
};

// Our model with its weights rounded to one type, computing in another.
Transformer model_in(at::ScalarType weight_type, at::ScalarType type) {
  std::vector<NamedTensor> weights = smollm2().weights;
  for (NamedTensor& one : weights) one.tensor = one.tensor.to(weight_type).to(type);
  return {smollm2().config, weights};
}

std::vector<proto::Completion> drawn_by(ExternalEngine& engine, float temperature) {
  engine.submit(request(3, sampling(temperature, 24)));
  const proto::GenerateReply reply = replies(engine, 1).front();
  EXPECT_EQ(reply.completions_size(), 3) << reply.error();
  return {reply.completions().begin(), reply.completions().end()};
}

// How far the log-probabilities of tokens that the server drew are from those of our model, in nats.
struct Apart {
  double mean = 0, largest = 0;
};

Apart apart(const std::vector<proto::Completion>& completions, const Transformer& model, float temperature,
            const std::string& what) {
  Apart found;
  int count = 0;
  for (const proto::Completion& one : completions) {
    const std::vector<float> ours = our_log_probs(model, one, temperature);
    for (int i = 0; i < one.token_ids_size(); ++i, ++count) {
      const double off = std::abs(ours[static_cast<std::size_t>(i)] - one.log_probs(i));
      found.largest = std::max(found.largest, off);
      found.mean += off;
    }
  }
  found.mean /= count;
  std::printf("%s, temperature %.1f: %d log-probabilities differ by %.4f on average, %.4f at most\n", what.c_str(),
              temperature, count, found.mean, found.largest);
  return found;
}

TEST(ExternalEnginePeer, LlamaCppGivesTheLogProbabilitiesThatWeGive) {
  if (std::getenv("KGTRAIN_PEER_PYTHON") == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
  const PeerServer server("llama_server.py", "float32");
  const auto engine = engine_at(server.url());
  ASSERT_EQ(engine->kind(), ServerKind::kLlamaCpp);
  const Transformer model = model_in(at::kFloat, at::kFloat);
  for (const float temperature : {1.0f, 0.7f}) {
    const Apart found = apart(drawn_by(*engine, temperature), model, temperature, "fp32, llama.cpp in fp32");
    EXPECT_LT(found.mean, 2e-3);
    EXPECT_LT(found.largest, 2e-2);
  }
  // The most likely tokens are the same ones.
  engine->submit(request(1, sampling(0, 24)));
  const proto::GenerateReply greedy = replies(*engine, 1).front();
  GenerationEngine ours(smollm2().config, smollm2().tokenizer, smollm2().chat_template, {.threads = 2});
  ours.set_weights(pack_weights(smollm2().config, smollm2().weights, "cpu", "float32"), 1);
  const proto::GenerateReply wanted = generate_all(ours, {request(1, sampling(0, 24))}).front();
  EXPECT_THAT(greedy.completions(0).token_ids(), testing::ElementsAreArray(wanted.completions(0).token_ids()));
}

TEST(ExternalEnginePeer, LlamaCppWithBfloat16WeightsGivesTheLogProbabilitiesThatWeGive) {
  if (std::getenv("KGTRAIN_PEER_PYTHON") == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
  const PeerServer server("llama_server.py", "bfloat16");
  const auto engine = engine_at(server.url());
  const Transformer model = model_in(at::kBFloat16, at::kFloat);
  for (const float temperature : {1.0f, 0.7f})
    EXPECT_LT(apart(drawn_by(*engine, temperature), model, temperature, "bf16 weights, llama.cpp in bf16").mean, 2e-2);
}

// Activations are bf16 on both sides, and the server's logits too. The server is about 0.04 nats from fp32 here (the
// spacing of a logit of 16 is 0.125).
void expect_rounding_alone(ExternalEngine& engine, const std::string& server) {
  const Transformer ours = model_in(at::kBFloat16, at::kBFloat16), exact = model_in(at::kBFloat16, at::kFloat);
  for (const float temperature : {1.0f, 0.7f}) {
    const auto completions = drawn_by(engine, temperature);
    const double rounding = apart(completions, exact, temperature, "fp32, " + server + " in bf16").mean;
    EXPECT_LT(apart(completions, ours, temperature, "bf16, " + server + " in bf16").mean, 1.5 * rounding);
  }
}

TEST(ExternalEnginePeer, TransformersInBfloat16DiffersFromUsByRoundingAlone) {
  if (std::getenv("KGTRAIN_PEER_PYTHON") == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
  const PeerServer server("transformers_server.py");
  expect_rounding_alone(*engine_at(server.url()), "transformers");
}

// A vLLM that runs already, with `kgtrain export --model smollm2-135m-instruct --dtype bfloat16`, --dtype bfloat16 and
// --logprobs-mode processed_logprobs.
TEST(ExternalEnginePeer, VllmInBfloat16DiffersFromUsByRoundingAlone) {
  const char* url = std::getenv("KGTRAIN_VLLM_URL");
  if (url == nullptr) GTEST_SKIP() << "KGTRAIN_VLLM_URL is not set";
  const auto engine = engine_at(url);
  ASSERT_EQ(engine->kind(), ServerKind::kVllm);
  expect_rounding_alone(*engine, "vLLM");
}

}  // namespace
}  // namespace kg::policy
