// The real kgtrain-generator over ipc, with a tiny model folder.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <zmq.hpp>

#include "base/clock.h"
#include "base/hash.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "proto/frame.h"
#include "tests/support/tiny_model_folder.h"

namespace kg::policy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

pid_t start(const std::vector<std::string>& arguments, const fs::path& log) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int descriptor = ::open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
  ::dup2(descriptor, 2);
  std::vector<char*> argv;
  static const std::string program = KG_BINARY_DIR "/bin/kgtrain-generator";
  argv.push_back(const_cast<char*>(program.c_str()));
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

class Client {
 public:
  explicit Client(const std::string& endpoint) : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(endpoint);
  }
  void send(proto::GeneratorMessage message) {
    message.set_protocol(proto::kProtocolVersion);
    send_as_it_is(message);
  }
  void send_as_it_is(const proto::GeneratorMessage& message) { proto::send_message(socket_, message); }
  // The next message that is not an unasked status.
  proto::GeneratorMessage receive(double seconds = 60) {
    const double deadline = monotonic_seconds() + seconds;
    while (monotonic_seconds() < deadline) {
      const auto payload = proto::receive_payload(socket_, 100);
      proto::GeneratorMessage message;
      if (payload && message.ParseFromString(*payload) && !(message.has_status() && message.status().request_id() == 0))
        return message;
    }
    ADD_FAILURE() << "no answer within " << seconds << " s";
    return {};
  }
  proto::GeneratorStatus status() {
    proto::GeneratorMessage message;
    message.mutable_status_request()->set_request_id(999);
    send(message);
    return receive().status();
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

proto::GeneratorMessage request(std::uint64_t id, std::uint32_t count, int max_new,
                                const std::string& text = "add two vectors") {
  proto::GeneratorMessage message;
  proto::GenerateRequest& r = *message.mutable_generate();
  r.set_request_id(id);
  r.set_count(count);
  proto::ChatMessage& chat = *r.add_messages();
  chat.set_role("user");
  chat.set_content(text);
  r.mutable_sampling()->set_temperature(1);
  r.mutable_sampling()->set_top_k(5);
  r.mutable_sampling()->set_seed(1000 + id);
  r.mutable_sampling()->set_max_new_tokens(max_new);
  return message;
}

class GeneratorProcess : public testing::Test {
 protected:
  void SetUp() override {
    model_ = endless_model();
    export_model(folder_.path() / "model", model_.config, model_.weights, model_, "float32");
    endpoint_ = "ipc://" + (folder_.path() / "g").string();
    pid_ = start({"--model", (folder_.path() / "model").string(), "--endpoint", endpoint_, "--threads", "2",
                  "--kv-cache-mib", "256"},
                 folder_.path() / "log");
  }
  void TearDown() override {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (HasFailure()) std::cerr << read_file(folder_.path() / "log");
  }
  proto::WeightsManifest publish(std::uint64_t version) {
    const fs::path file = folder_.path() / ("weights-" + std::to_string(version) + ".safetensors");
    auto weights = random_weights(model_.config, version);
    for (NamedTensor& w : weights)
      if (w.name == "lm_head.weight") w.tensor.narrow(0, 256, 2).zero_();
    proto::WeightsManifest manifest;
    manifest.set_version(version);
    manifest.set_path(file.string());
    manifest.set_checksum(write_weights(file, weights, "float32"));
    manifest.set_bytes(fs::file_size(file));
    return manifest;
  }
  static proto::GeneratorMessage swap(std::uint64_t id, const proto::WeightsManifest& manifest) {
    proto::GeneratorMessage message;
    message.mutable_swap()->set_request_id(id);
    *message.mutable_swap()->mutable_manifest() = manifest;
    return message;
  }

  TemporaryFolder folder_;
  LoadedModel model_;
  std::string endpoint_;
  pid_t pid_ = -1;
};

TEST_F(GeneratorProcess, EightClientsAtOnceGetWhatTheEngineGivesOneByOne) {
  std::vector<std::string> got(8);
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&, i] {
      Client client(endpoint_);
      client.send(request(i, 4, 50, "task " + std::to_string(i)));
      got[i] = client.receive().reply().SerializeAsString();
    });
  for (std::thread& client : clients) client.join();
  const std::string dtype = sampling_dtype("auto", "cpu");
  GenerationEngine engine(model_.config, model_.tokenizer, model_.chat_template,
                          {.dtype = dtype, .threads = 1, .kv_cache_bytes = 1 << 24});
  engine.set_weights(DecodeWeights::pack(model_.config, model_.weights, dtype), 0);
  for (int i = 0; i < 8; ++i) {
    const auto reply = generate_all(engine, {request(i, 4, 50, "task " + std::to_string(i)).generate()}).at(0);
    ASSERT_EQ(reply.completions_size(), 4);
    EXPECT_EQ(got[i], reply.SerializeAsString()) << "client " << i;
  }
}

TEST_F(GeneratorProcess, WeightsAreSwappedWhileARequestIsInFlight) {
  Client client(endpoint_), learner(endpoint_);
  client.send(request(1, 2, 6000));
  while (client.status().tokens_generated() < 10) {
  }
  learner.send(swap(7, publish(3)));
  const proto::SwapWeightsReply swapped = learner.receive().swapped();
  EXPECT_EQ(swapped.request_id(), 7u);
  EXPECT_EQ(swapped.error(), "");
  EXPECT_EQ(swapped.version(), 3u);
  learner.send(swap(8, publish(3)));  // again, and an older one: both are answered with what is in force
  EXPECT_EQ(learner.receive().swapped().version(), 3u);
  learner.send(swap(9, publish(2)));
  EXPECT_EQ(learner.receive().swapped().version(), 3u);
  const proto::GenerateReply reply = client.receive().reply();
  ASSERT_EQ(reply.completions_size(), 2);
  for (const proto::Completion& c : reply.completions()) {
    ASSERT_EQ(c.policy_versions_size(), c.token_ids_size());
    EXPECT_EQ(c.policy_versions(0), 0u);
    EXPECT_EQ(c.policy_versions(c.token_ids_size() - 1), 3u);
    EXPECT_TRUE(c.truncated());
  }
}

TEST_F(GeneratorProcess, WeightsWithAnotherChecksumAreRefusedAndTheOldOnesStay) {
  Client client(endpoint_);
  proto::WeightsManifest manifest = publish(5);
  const std::string right = manifest.checksum();
  manifest.set_checksum(std::string(32, '0'));
  client.send(swap(1, manifest));
  proto::SwapWeightsReply swapped = client.receive().swapped();
  EXPECT_THAT(swapped.error(), AllOf(HasSubstr(right), HasSubstr(manifest.checksum())));
  EXPECT_EQ(swapped.version(), 0u);
  manifest.set_path((folder_.path() / "nowhere").string());
  client.send(swap(2, manifest));
  EXPECT_THAT(client.receive().swapped().error(), HasSubstr("nowhere"));
  client.send(request(3, 1, 5));
  EXPECT_EQ(client.receive().reply().completions(0).policy_versions(0), 0u);
}

TEST_F(GeneratorProcess, RequestThatWantsNewerWeightsIsServedWhenTheyCome) {
  Client client(endpoint_);
  proto::GeneratorMessage wants = request(1, 1, 5);
  wants.mutable_generate()->set_min_policy_version(4);
  client.send(wants);
  EXPECT_EQ(client.status().waiting(), 1u);
  client.send(swap(2, publish(4)));
  bool served = false;
  for (int i = 0; i < 2; ++i) {
    const proto::GeneratorMessage message = client.receive();
    if (message.has_reply()) served = message.reply().completions(0).policy_versions(0) == 4;
  }
  EXPECT_TRUE(served);
}

TEST_F(GeneratorProcess, RequestsOfAKilledClientAreDropped) {
  const pid_t child = ::fork();
  if (child == 0) {
    Client client(endpoint_);
    client.send(request(1, 8, 30000));
    ::pause();
    ::_exit(0);
  }
  Client observer(endpoint_);
  while (observer.status().running() < 8) {
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const double deadline = monotonic_seconds() + 30;
  while (observer.status().running() > 0 && monotonic_seconds() < deadline) {
  }
  EXPECT_EQ(observer.status().running(), 0u);
  observer.send(request(2, 1, 5));
  EXPECT_EQ(observer.receive().reply().completions_size(), 1);
}

TEST_F(GeneratorProcess, AnotherProtocolVersionIsRefusedNamingBoth) {
  Client client(endpoint_);
  proto::GeneratorMessage message = request(6, 1, 5);
  message.set_protocol(99);
  client.send_as_it_is(message);
  const proto::GenerateReply reply = client.receive().reply();
  EXPECT_EQ(reply.request_id(), 6u);
  EXPECT_THAT(reply.error(), AllOf(HasSubstr("99"), HasSubstr("speaks " + std::to_string(proto::kProtocolVersion))));
}

TEST_F(GeneratorProcess, OversizePromptIsAnErrorNamingTheLengths) {
  Client client(endpoint_);
  client.send(request(1, 1, 5, std::string(70000, 'x')));
  EXPECT_THAT(client.receive().reply().error(), HasSubstr(std::to_string(1 << 16)));
}

TEST_F(GeneratorProcess, SigtermEndsItCleanlyInTheMiddleOfWork) {
  Client client(endpoint_);
  client.send(request(1, 2, 30000));
  while (client.status().running() == 0) {
  }
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_THAT(read_file(folder_.path() / "log"), HasSubstr("READY " + endpoint_));
}

TEST_F(GeneratorProcess, EndsWhenItsParentIsKilled) {
  const std::string endpoint = endpoint_ + "2";
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    // The generator inherits the write end and closes it by ending.
    start({"--model", (folder_.path() / "model").string(), "--endpoint", endpoint, "--kv-cache-mib", "64",
           "--parent-pid", std::to_string(::getpid())},
          folder_.path() / "log");
    ::pause();
    ::_exit(0);
  }
  ::close(pipe_ends[1]);
  EXPECT_NE(Client(endpoint).status().pid(), 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  char byte;
  EXPECT_EQ(::read(pipe_ends[0], &byte, 1), 0);  // ctest's time limit ends this if the generator lives on
  ::close(pipe_ends[0]);
}

TEST(GeneratorProgram, EndpointBeyondTheHostIsWrongUsage) {
  const TemporaryFolder folder;
  int status = 0;
  ::waitpid(start({"--model", "x", "--endpoint", "tcp://*:5555"}, folder.path() / "log"), &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(read_file(folder.path() / "log"), HasSubstr("tcp://*:5555"));
}

}  // namespace
}  // namespace kg::policy
