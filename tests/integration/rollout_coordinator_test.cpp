// The coordinator against a peer that speaks the protocol by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/frame.h"
#include "reward/judge_version.h"
#include "rollout/coordinator.h"
#include "rollout/curve_keys.h"
#include "rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

using proto::RolloutMessage;
constexpr int kPatienceMs = 10000;

struct Peer {
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::dealer};

  explicit Peer(const std::string& endpoint) {
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(endpoint);
  }
  Peer(const std::string& endpoint, const fs::path& keys, const std::string& name) {
    socket.set(zmq::sockopt::linger, 0);
    secure_client(socket, keys, name);
    socket.connect(endpoint);
  }
  void send(RolloutMessage message) {
    if (message.protocol() == 0) message.set_protocol(proto::kProtocolVersion);
    proto::send_message(socket, message);
  }
  std::optional<RolloutMessage> receive(int timeout_ms = kPatienceMs) {
    const auto payload = proto::receive_payload(socket, timeout_ms);
    if (!payload) return std::nullopt;
    RolloutMessage message;
    EXPECT_TRUE(message.ParseFromString(*payload));
    return message;
  }
  // The next message of one kind; others are passed over.
  RolloutMessage expect(RolloutMessage::BodyCase kind) {
    const double deadline = monotonic_seconds() + kPatienceMs / 1e3;
    while (monotonic_seconds() < deadline) {
      const auto message = receive(100);
      if (message && message->body_case() == kind) return *message;
    }
    ADD_FAILURE() << "no message of kind " << kind;
    return {};
  }
  void hello(const std::string& name) {
    RolloutMessage message;
    message.mutable_hello()->set_worker(name);
    message.mutable_hello()->set_judge_version(reward::judge_version());
    send(message);
  }
  void credits(std::uint32_t count) {
    RolloutMessage message;
    message.mutable_credits()->set_count(count);
    send(message);
  }
  void join(const std::string& name, std::uint32_t count) {
    hello(name);
    expect(RolloutMessage::kWelcome);
    credits(count);
  }
  proto::Lease lease() { return expect(RolloutMessage::kLease).lease(); }
  void result(const proto::Lease& lease, std::uint32_t sample, std::optional<std::uint64_t> version = std::nullopt) {
    RolloutMessage message;
    proto::Result& result = *message.mutable_result();
    result.set_lease_id(lease.lease_id());
    proto::Rollout& rollout = *result.mutable_rollout();
    rollout.set_work_id(lease.work_id());
    rollout.set_sample(sample);
    rollout.set_task(lease.task().id());
    rollout.set_policy_version(version.value_or(lease.weights().version()));
    rollout.mutable_completion()->add_policy_versions(version.value_or(lease.weights().version()));
    rollout.mutable_verdict()->set_reward_valid(true);
    send(message);
  }
  proto::ResultAck ack() { return expect(RolloutMessage::kAck).ack(); }
};

struct CoordinatorTest : testing::Test {
  TemporaryFolder folder;
  MemoryDataset data;
  CoordinatorOptions options;
  std::unique_ptr<Coordinator> coordinator;

  CoordinatorTest() {
    add_task(data, test_task());
    options.run = "run-1";
    options.run_folder = folder.path();
    options.heartbeat_seconds = 0.1;
  }
  void start() { coordinator = Coordinator::start(options, data); }
  std::uint64_t submit(std::uint32_t samples, std::uint64_t work_id = 0) {
    Work work{.work_id = work_id,
              .task = test_task(),
              .messages = {},
              .samples = samples,
              .sampling = {},
              .purpose = "train"};
    return coordinator->submit(work);
  }
};

TEST_F(CoordinatorTest, AGroupGoesOutAndComesBackComplete) {
  start();
  Peer worker(coordinator->endpoint());
  worker.hello("w");
  const auto welcome = worker.expect(RolloutMessage::kWelcome).welcome();
  EXPECT_EQ(welcome.run(), "run-1");
  EXPECT_THAT(welcome.reward_config_json(), testing::HasSubstr("staged"));
  worker.credits(1);
  const std::uint64_t work_id = submit(2);
  const proto::Lease lease = worker.lease();
  EXPECT_EQ(lease.work_id(), work_id);
  EXPECT_EQ(lease.samples(), 2u);
  worker.result(lease, 1);
  EXPECT_EQ(worker.ack().sample(), 1u);
  EXPECT_FALSE(coordinator->wait(0));
  worker.result(lease, 0);
  worker.ack();
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  ASSERT_EQ(finished->rollouts.size(), 2u);
  EXPECT_EQ(finished->rollouts[0].sample(), 0u);
  EXPECT_EQ(finished->rollouts[0].run(), "run-1");
  EXPECT_GT(finished->rollouts[0].time_us(), 0);
  EXPECT_EQ(data.rollouts().size(), 2u);
}

TEST_F(CoordinatorTest, NothingIsAcknowledgedBeforeItIsDurable) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  const proto::Lease lease = worker.lease();
  data.failing = true;
  const int before = data.appends;
  worker.result(lease, 0);
  while (data.appends == before) EXPECT_FALSE(worker.receive(10).has_value());
  EXPECT_FALSE(coordinator->wait(0));
  data.failing = false;
  worker.result(lease, 0);
  EXPECT_FALSE(worker.ack().duplicate());
  EXPECT_TRUE(coordinator->wait(10));
  EXPECT_EQ(data.rollouts().size(), 1u);
}

TEST_F(CoordinatorTest, ASecondCopyIsAcknowledgedAsDuplicateAndDropped) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  const proto::Lease lease = worker.lease();
  for (int i = 0; i < 3; ++i) worker.result(lease, 0);
  EXPECT_FALSE(worker.ack().duplicate());
  EXPECT_TRUE(worker.ack().duplicate());
  EXPECT_TRUE(worker.ack().duplicate());
  EXPECT_EQ(data.rollouts().size(), 1u);
  EXPECT_EQ(coordinator->stats().duplicates, 2u);
}

TEST_F(CoordinatorTest, AnotherProtocolIsRefusedWithBothNamed) {
  start();
  Peer worker(coordinator->endpoint());
  RolloutMessage message;
  message.set_protocol(7);
  message.mutable_hello()->set_worker("w");
  worker.send(message);
  const std::string reason = worker.expect(RolloutMessage::kRefused).refused().reason();
  EXPECT_THAT(reason, testing::HasSubstr("protocol 7"));
  EXPECT_THAT(reason, testing::HasSubstr("protocol 1"));
}

TEST_F(CoordinatorTest, AnotherJudgeIsRefusedWithBothNamed) {
  start();
  Peer worker(coordinator->endpoint());
  RolloutMessage message;
  message.mutable_hello()->set_worker("w");
  message.mutable_hello()->set_judge_version("0123456789abcdef");
  worker.send(message);
  std::string reason = worker.expect(RolloutMessage::kRefused).refused().reason();
  EXPECT_THAT(reason, testing::HasSubstr("0123456789abcdef"));
  EXPECT_THAT(reason, testing::HasSubstr(reward::judge_version()));
  message.mutable_hello()->clear_judge_version();  // a worker from before there were versions
  worker.send(message);
  reason = worker.expect(RolloutMessage::kRefused).refused().reason();
  EXPECT_THAT(reason, testing::HasSubstr("(none)"));
  EXPECT_EQ(coordinator->stats().workers, 0u);
}

TEST_F(CoordinatorTest, AFalsePolicyVersionIsRejectedAndTheWorkGivenToAnother) {
  start();
  proto::WeightsManifest manifest;
  manifest.set_version(5);
  coordinator->publish_weights(manifest);
  Peer liar(coordinator->endpoint());
  liar.join("liar", 1);
  submit(1);
  const proto::Lease first = liar.lease();
  EXPECT_EQ(first.weights().version(), 5u);
  EXPECT_EQ(coordinator->oldest_version_in_use(), 5u);
  liar.result(first, 0, 4);
  EXPECT_THAT(liar.ack().rejected(), testing::HasSubstr("policy version 4, the lease asked for 5"));
  liar.result(first, 0, 6);
  EXPECT_THAT(liar.ack().rejected(), testing::HasSubstr("the newest is 5"));
  Peer honest(coordinator->endpoint());
  honest.join("honest", 1);
  const proto::Lease second = honest.lease();
  EXPECT_EQ(second.work_id(), first.work_id());
  honest.result(second, 0);
  honest.ack();
  EXPECT_TRUE(coordinator->wait(10));
  ASSERT_EQ(data.rollouts().size(), 1u);
  liar.result(first, 0, 4);
  EXPECT_TRUE(liar.ack().duplicate()) << "it stands already";
}

TEST_F(CoordinatorTest, AWorkerThatLiesAgainAndAgainIsRefused) {
  start();
  proto::WeightsManifest manifest;
  manifest.set_version(5);
  coordinator->publish_weights(manifest);
  Peer liar(coordinator->endpoint());
  liar.join("liar", 1);
  submit(8);
  const proto::Lease lease = liar.lease();
  for (std::uint32_t i = 0; i < 3; ++i) liar.result(lease, i, 1);
  EXPECT_THAT(liar.expect(RolloutMessage::kRefused).refused().reason(), testing::HasSubstr("false results"));
}

TEST_F(CoordinatorTest, ASilentWorkersLeaseIsGivenToAnotherWithWhatIsDone) {
  options.silence_seconds = 0.5;
  start();
  Peer silent(coordinator->endpoint());
  silent.join("silent", 1);
  submit(2);
  const proto::Lease first = silent.lease();
  silent.result(first, 1);
  silent.ack();
  Peer other(coordinator->endpoint());
  proto::Lease second;
  // The other one lives: it offers its credit in heartbeats until the lease comes.
  other.hello("other");
  const double deadline = monotonic_seconds() + kPatienceMs / 1e3;
  while (second.lease_id() == 0 && monotonic_seconds() < deadline) {
    RolloutMessage heartbeat;
    heartbeat.mutable_heartbeat()->set_free(1);
    other.send(heartbeat);
    while (const auto message = other.receive(50))
      if (message->has_lease()) second = message->lease();
  }
  EXPECT_EQ(second.work_id(), first.work_id());
  EXPECT_THAT(second.done(), testing::ElementsAre(1u));
  EXPECT_EQ(coordinator->stats().expired_leases, 1u);
}

TEST_F(CoordinatorTest, TheLastAttemptAfterSandboxFaultsIsMarkedAndItsSampleStoredAsInvalid) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  for (const bool is_final : {false, false, true}) {
    const proto::Lease lease = worker.lease();
    EXPECT_EQ(lease.final_attempt(), is_final);
    if (is_final) {
      RolloutMessage message;
      message.mutable_result()->set_lease_id(lease.lease_id());
      proto::Rollout& rollout = *message.mutable_result()->mutable_rollout();
      rollout.set_work_id(lease.work_id());
      rollout.set_task(lease.task().id());
      rollout.mutable_verdict()->set_sandbox_error("no compiler");
      worker.send(message);
      worker.ack();
    } else {
      RolloutMessage message;
      message.mutable_lease_return()->set_lease_id(lease.lease_id());
      message.mutable_lease_return()->set_cause(proto::SANDBOX_FAULT);
      message.mutable_lease_return()->set_reason("no compiler");
      worker.send(message);
      worker.credits(1);
    }
  }
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  EXPECT_FALSE(finished->rollouts[0].verdict().reward_valid());
  EXPECT_EQ(coordinator->stats().invalid_rewards, 1u);
  EXPECT_EQ(coordinator->stats().returned_leases, 2u);
  EXPECT_EQ(coordinator->stats().last_return_reason, "no compiler");
}

TEST_F(CoordinatorTest, AfterARestartOnlyTheMissingSamplesAreMadeAndIdsAreNew) {
  start();
  std::uint64_t work_id = 0;
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 1);
    work_id = submit(3);
    const proto::Lease lease = worker.lease();
    worker.result(lease, 0);
    worker.result(lease, 2);
    worker.ack();
    worker.ack();
  }
  coordinator.reset();
  start();
  Peer worker(coordinator->endpoint());
  RolloutMessage heartbeat;
  heartbeat.mutable_heartbeat()->set_free(1);
  worker.send(heartbeat);
  worker.expect(RolloutMessage::kHelloWanted);
  worker.join("w", 1);
  EXPECT_EQ(submit(3, work_id), work_id);
  const proto::Lease lease = worker.lease();
  EXPECT_THAT(lease.done(), testing::ElementsAre(0u, 2u));
  worker.result(lease, 1);
  worker.ack();
  EXPECT_EQ(coordinator->wait(10)->rollouts.size(), 3u);
  EXPECT_EQ(submit(3, work_id), work_id);
  EXPECT_EQ(coordinator->wait(10)->rollouts.size(), 3u) << "complete at once";
  EXPECT_GT(submit(1), work_id);
}

TEST_F(CoordinatorTest, AResultOfWorkNotYetSubmittedAgainIsKept) {
  start();
  proto::Lease lease;
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 1);
    submit(1);
    lease = worker.lease();
  }
  coordinator.reset();
  start();
  Peer worker(coordinator->endpoint());
  worker.result(lease, 0);
  EXPECT_EQ(worker.ack().rejected(), "");
  submit(1, lease.work_id());
  EXPECT_TRUE(coordinator->wait(10));
  lease.set_work_id(lease.work_id() + 100000);
  worker.result(lease, 0);
  EXPECT_THAT(worker.ack().rejected(), testing::HasSubstr("never given out"));
}

TEST_F(CoordinatorTest, ANewProcessTakesTheNameAndTheWorkOfTheOld) {
  start();
  Peer old(coordinator->endpoint());
  old.join("w", 1);
  submit(1);
  const proto::Lease first = old.lease();
  Peer young(coordinator->endpoint());
  young.join("w", 1);
  EXPECT_EQ(young.lease().work_id(), first.work_id());
  EXPECT_THAT(old.expect(RolloutMessage::kRefused).refused().reason(), testing::HasSubstr("another process"));
  EXPECT_EQ(coordinator->stats().workers, 1u);
}

TEST_F(CoordinatorTest, WeightsTravelInChunks) {
  start();
  const fs::path weights = folder.path() / "v1";
  fs::create_directories(weights);
  const std::string bytes(300000, 'x');
  write_file_atomically(weights / "model.safetensors", bytes);
  write_file_atomically(weights / "config.json", "{}");
  proto::WeightsManifest manifest;
  manifest.set_version(1);
  manifest.set_path(weights.string());
  coordinator->publish_weights(manifest);
  Peer worker(coordinator->endpoint());
  const auto fetch = [&](const std::string& file, std::uint64_t offset) {
    RolloutMessage message;
    message.mutable_fetch()->set_version(1);
    message.mutable_fetch()->set_file(file);
    message.mutable_fetch()->set_offset(offset);
    message.mutable_fetch()->set_length(200000);
    worker.send(message);
    return worker.expect(RolloutMessage::kChunk).chunk();
  };
  EXPECT_EQ(fetch("", 0).data(),
            "config.json 2 " + hash128_hex("{}") + "\nmodel.safetensors 300000 " + hash128_hex(bytes) + "\n");
  EXPECT_EQ(fetch("model.safetensors", 0).data().size(), 200000u);
  const auto last = fetch("model.safetensors", 200000);
  EXPECT_EQ(last.data().size(), 100000u);
  EXPECT_TRUE(last.last());
  EXPECT_NE(fetch("../../work_counter", 0).error(), "");
}

TEST_F(CoordinatorTest, AtTheEndWorkersAreToldToShutDown) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  coordinator.reset();
  worker.expect(RolloutMessage::kShutdown);
}

TEST_F(CoordinatorTest, OverTcpOnlyKnownKeysConnect) {
  options.bind = "tcp://127.0.0.1:*";
  EXPECT_THROW(start(), Error) << "no keys";
  const fs::path keys = folder.path() / "keys";
  make_keys(keys, "worker");
  EXPECT_THROW(make_keys(keys, "worker"), Error) << "a key is never overwritten";
  struct stat info{};
  ASSERT_EQ(::stat((keys / "server.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  start();

  Peer good(coordinator->remote_endpoint(), keys, "worker");
  good.hello("good");
  good.expect(RolloutMessage::kWelcome);

  // Keys of the right form that are not on the list, and no keys at all.
  TemporaryFolder elsewhere;
  make_keys(elsewhere.path(), "stranger");
  write_file_atomically(elsewhere.path() / "server.pub", read_file(keys / "server.pub"));
  Peer stranger(coordinator->remote_endpoint(), elsewhere.path(), "stranger");
  stranger.hello("stranger");
  Peer naked(coordinator->remote_endpoint());
  naked.hello("naked");
  Peer local(coordinator->endpoint());
  local.hello("local");
  local.expect(RolloutMessage::kWelcome);
  // The refused ones' greetings were sent before; a second good round trip follows all of them.
  EXPECT_FALSE(stranger.receive(500));
  EXPECT_FALSE(naked.receive(500));
  EXPECT_THAT(coordinator->stats().worker_names, testing::UnorderedElementsAre("good", "local"));
}

}  // namespace
}  // namespace kg::rollout
