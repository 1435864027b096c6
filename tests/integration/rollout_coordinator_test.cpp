// The coordinator against a peer that speaks the protocol by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/frame.h"
#include "reward/judge_version.h"
#include "rollout/coordinator.h"
#include "rollout/curve_keys.h"
#include "rollout/generation_request.h"
#include "rollout/lineage.h"
#include "rollout/rendezvous.h"
#include "rollout/weights_channel.h"
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
  // By a worker's CURVE key, the connection named as a worker names it, or as `identity` says.
  Peer(const std::string& endpoint, const fs::path& keys, const std::string& name, const std::string& identity = "") {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::routing_id, identity.empty() ? worker_public_key(keys, name) + "/" + name : identity);
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
  static RolloutMessage good_result(const proto::Lease& lease, std::uint32_t sample, std::uint64_t version) {
    RolloutMessage message;
    proto::Result& result = *message.mutable_result();
    result.set_lease_id(lease.lease_id());
    proto::Rollout& rollout = *result.mutable_rollout();
    rollout.set_run("run-1");
    rollout.set_work_id(lease.work_id());
    rollout.set_sample(sample);
    rollout.set_task(lease.task().id());
    rollout.set_prompt(prompt_text(lease));
    rollout.set_purpose(lease.purpose());
    rollout.set_turn(lease.turn());
    rollout.set_after_work_id(lease.after_work_id());
    rollout.set_after_sample(lease.after_sample());
    *rollout.mutable_completion()->mutable_sampling() = lease.sampling();
    rollout.set_policy_version(version);
    rollout.mutable_completion()->add_policy_versions(version);
    rollout.mutable_verdict()->set_reward_valid(true);
    rollout.mutable_verdict()->set_stage(proto::CORRECT);
    rollout.mutable_verdict()->set_correct(true);
    rollout.mutable_verdict()->set_reward(1);
    return message;
  }
  void result(const proto::Lease& lease, std::uint32_t sample, std::optional<std::uint64_t> version = std::nullopt) {
    send(good_result(lease, sample, version.value_or(lease.weights().version())));
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
  std::uint64_t submit(std::uint32_t samples, std::uint64_t work_id = 0, const std::string& prompt = "",
                       std::uint64_t seed = 0, const proto::Task& task = test_task()) {
    Work work{.work_id = work_id, .task = task, .messages = {}, .samples = samples, .sampling = {}, .purpose = "train"};
    if (!prompt.empty()) work.messages.emplace_back().set_content(prompt);
    work.sampling.set_seed(seed);
    return coordinator->submit(work);
  }
  void publish(std::uint64_t number) {
    proto::WeightsManifest manifest;
    manifest.set_version(number);
    coordinator->publish_weights(manifest);
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
  EXPECT_THAT(reason, testing::HasSubstr("protocol 4"));
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
  const std::uint64_t fifth = first.weights().version();
  EXPECT_EQ(number_of(fifth), 5u);
  EXPECT_EQ(coordinator->oldest_version_in_use(), 5u);
  liar.result(first, 0, fifth - 1);
  EXPECT_THAT(liar.ack().rejected(), testing::HasSubstr("policy version " + std::to_string(fifth - 1) +
                                                        ", the lease asked for " + std::to_string(fifth)));
  liar.result(first, 0, fifth + 1);
  EXPECT_THAT(liar.ack().rejected(), testing::HasSubstr("the newest is " + std::to_string(fifth)));
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
      message = Peer::good_result(lease, 0, 0);
      proto::Rollout& rollout = *message.mutable_result()->mutable_rollout();
      rollout.clear_verdict();
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
  worker.expect(RolloutMessage::kHelloWanted);
  worker.join("w", 0);
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
  worker.hello("w");
  const std::uint64_t version = worker.expect(RolloutMessage::kWelcome).welcome().weights().version();
  EXPECT_EQ(number_of(version), 1u);
  Peer fetcher(weights_endpoint(coordinator->endpoint()));
  const auto fetch = [&](const std::string& file, std::uint64_t offset) {
    RolloutMessage message;
    message.mutable_fetch()->set_version(version);
    message.mutable_fetch()->set_file(file);
    message.mutable_fetch()->set_offset(offset);
    message.mutable_fetch()->set_length(200000);
    fetcher.send(message);
    return fetcher.expect(RolloutMessage::kChunk).chunk();
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
  coordinator->finish();
  coordinator.reset();
  EXPECT_FALSE(worker.expect(RolloutMessage::kShutdown).shutdown().coming_back());
  EXPECT_TRUE(read_rendezvous(folder.path()).value().finished);
}

// A preempted learner told the whole remote fleet that the run had ended, and each worker dropped what it had finished.
TEST_F(CoordinatorTest, AStoppedCoordinatorSaysThatItComesBack) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  coordinator.reset();
  EXPECT_TRUE(worker.expect(RolloutMessage::kShutdown).shutdown().coming_back());
  EXPECT_FALSE(read_rendezvous(folder.path()).value().finished);
}

// A resumed run with other options asked for other works under the same numbers, and got the rollouts of the old ones.
TEST_F(CoordinatorTest, ANumberThatBelongsToAnotherWorkIsNotTakenForItsRollouts) {
  const proto::Task other = test_task("builtin/test/gelu");
  add_task(data, other);
  start();
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 4);
    submit(2, 21, "relu", 7);
    const proto::Lease lease = worker.lease();
    for (std::uint32_t sample : {0u, 1u}) worker.result(lease, sample);
    worker.ack();
    worker.ack();
    ASSERT_TRUE(coordinator->wait(10));
  }
  coordinator.reset();
  start();
  EXPECT_EQ(submit(2, 21, "relu", 7), 21u);
  EXPECT_EQ(coordinator->wait(10)->rollouts.size(), 2u) << "the same work is complete at once";
  const std::uint64_t by_task = submit(2, 21, "relu", 7, other), by_prompt = submit(2, 21, "another prompt", 7),
                      by_seed = submit(2, 21, "relu", 8);
  EXPECT_EQ(std::set<std::uint64_t>({21, by_task, by_prompt, by_seed}).size(), 4u);
  EXPECT_FALSE(coordinator->wait(0));
  Peer worker(coordinator->endpoint());
  worker.join("w", 4);
  std::set<std::uint64_t> leased;
  for (int i = 0; i < 3; ++i) {
    const proto::Lease lease = worker.lease();
    EXPECT_EQ(lease.done_size(), 0);
    leased.insert(lease.work_id());
    for (std::uint32_t sample : {0u, 1u}) worker.result(lease, sample);
  }
  EXPECT_EQ(leased, std::set<std::uint64_t>({by_task, by_prompt, by_seed}));
  for (int i = 0; i < 3; ++i) {
    const auto finished = coordinator->wait(10);
    ASSERT_TRUE(finished);
    for (const proto::Rollout& rollout : finished->rollouts) {
      EXPECT_EQ(rollout.task(), finished->work.task.id());
      EXPECT_EQ(rollout.completion().sampling().seed(), finished->work.sampling.seed());
    }
  }
  coordinator.reset();
  start();
  EXPECT_EQ(submit(2, 21, "relu", 7, other), by_task) << "found again by what it is";
  EXPECT_TRUE(coordinator->wait(10));
}

// Each different case once, with what counts for the parameters; nothing where the grammar does not ask for it.
TEST(GenerationRequest, AGrammarThatKnowsTheTaskIsToldItsTensors) {
  proto::Lease lease;
  proto::Task& task = *lease.mutable_task();
  task.set_suite("multikernelbench");
  for (const std::int64_t rows : {4, 4, 8}) {
    proto::TaskCase& one = *task.add_cases();
    proto::TensorSpec& input = *one.add_inputs();
    input.set_name("x");
    input.set_dtype(proto::FLOAT16);
    input.add_shape(rows);
    input.mutable_distribution()->set_high(static_cast<double>(task.cases_size()));
    one.set_call(R"({"state": [{"name": "bn_weight", "dtype": "float32", "shape": [4], "path": "bn.weight"}]})");
    one.add_outputs()->set_name("y");
  }
  task.add_cases()->add_notes("left out");
  lease.mutable_sampling()->set_grammar("dsl");
  EXPECT_EQ(generation_request(lease, {.first = 0, .count = 1}).cases_size(), 0);
  lease.mutable_sampling()->set_grammar("task");
  const proto::GenerateRequest request = generation_request(lease, {.first = 0, .count = 1});
  ASSERT_EQ(request.cases_size(), 2);
  EXPECT_EQ(request.cases(1).inputs(0).shape(0), 8);
  EXPECT_FALSE(request.cases(0).inputs(0).has_distribution());
  EXPECT_EQ(request.cases(0).inputs(1).name(), "bn_weight");
  EXPECT_EQ(request.cases(0).inputs(1).kind(), proto::OPTIONAL);  // the program may leave it out
  EXPECT_EQ(request.cases(0).outputs(0).name(), "y");
}

// The tokens of the turn before travel with the lease, and what does not go on from them is not stored.
TEST_F(CoordinatorTest, ARepairGoesOnFromTheTokensOfTheAnswerThatItFollows) {
  start();
  Work work{.task = test_task(), .messages = {}, .samples = 2, .sampling = {}, .purpose = "train"};
  for (const char* words : {"task", "answer", "it is wrong"}) work.messages.emplace_back().set_content(words);
  work.prefix_ids = {5, 6, 7};
  work.turn = 1;
  work.after_work_id = 3;
  work.after_sample = 4;
  const std::uint64_t id = coordinator->submit(work);
  Peer worker(coordinator->endpoint());
  worker.join("w", 4);
  proto::Lease lease = worker.lease();
  EXPECT_THAT(lease.prefix_ids(), testing::ElementsAre(5, 6, 7));
  EXPECT_THAT(generation_request(lease, {.first = 0, .count = 2}).prefix_ids(), testing::ElementsAre(5, 6, 7));
  const auto send = [&](std::uint32_t sample, const std::vector<std::int32_t>& prompt, std::uint32_t turn) {
    RolloutMessage message = Peer::good_result(lease, sample, lease.weights().version());
    proto::Rollout& rollout = *message.mutable_result()->mutable_rollout();
    rollout.mutable_completion()->mutable_prompt_ids()->Add(prompt.begin(), prompt.end());
    rollout.set_turn(turn);
    worker.send(message);
    return worker.ack().rejected();
  };
  EXPECT_EQ(send(0, {5, 6, 7, 8}, 1), "");
  EXPECT_THAT(send(1, {5, 6, 8, 8}, 1), testing::HasSubstr("the tokens of the turns before"));
  worker.credits(4);
  lease = worker.lease();
  EXPECT_THAT(send(1, {5, 6, 7, 8}, 0), testing::HasSubstr("turn are not those of the work"));
  worker.credits(4);
  lease = worker.lease();
  EXPECT_EQ(send(1, {5, 6, 7, 8, 9}, 1), "");
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  for (const proto::Rollout& rollout : finished->rollouts) {
    EXPECT_EQ(rollout.turn(), 1u);
    EXPECT_EQ(rollout.after_work_id(), 3u);
    EXPECT_EQ(rollout.after_sample(), 4u);
  }
  coordinator.reset();
  start();
  work.work_id = id;
  EXPECT_EQ(coordinator->submit(work), id);
  EXPECT_TRUE(coordinator->wait(10)) << "the same repair is complete at once";
  work.after_sample = 5;
  EXPECT_NE(coordinator->submit(work), id) << "a repair of another answer, though it asks for the same";
}

// The index knows its key, but its row cannot be read: this ended the process.
TEST_F(CoordinatorTest, AStoredRolloutThatDamageHasHitIsMadeAgain) {
  struct Damaged : MemoryDataset {
    void for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                             const std::function<bool(const proto::Rollout&)>& visit) const override {
      MemoryDataset::for_each_rollout_of(
          run, first, last, [&](const proto::Rollout& rollout) { return rollout.sample() == 1 || visit(rollout); });
    }
  } damaged;
  add_task(damaged, test_task());
  for (std::uint32_t sample : {0u, 1u, 2u}) {
    proto::Lease lease;
    lease.set_work_id(7);
    *lease.mutable_task() = test_task();
    lease.set_purpose("train");
    proto::JournalRecord record;
    *record.mutable_rollout() = Peer::good_result(lease, sample, 0).result().rollout();
    damaged.append({record});
  }
  coordinator = Coordinator::start(options, damaged);
  EXPECT_EQ(submit(3, 7), 7u);
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  const proto::Lease lease = worker.lease();
  EXPECT_THAT(lease.done(), testing::ElementsAre(0u, 2u));
  worker.result(lease, 1);
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->rollouts.size(), 3u);
  coordinator.reset();
}

// A run that went on with fewer groups an update trained on rollouts that were older than its staleness allowed.
TEST_F(CoordinatorTest, StoredRolloutsOfOlderWeightsThanAWorkAllowsAreMadeAnew) {
  start();
  publish(3);
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 1);
    submit(2, 1, "prompt");
    const proto::Lease lease = worker.lease();
    for (std::uint32_t sample : {0u, 1u}) worker.result(lease, sample);
    ASSERT_TRUE(coordinator->wait(10));
  }
  coordinator.reset();
  start();
  publish(6);
  Work work{.work_id = 1, .task = test_task(), .messages = {}, .samples = 2, .sampling = {}, .purpose = "train"};
  work.messages.emplace_back().set_content("prompt");
  work.oldest_version = 3;
  EXPECT_EQ(coordinator->submit(work), 1u);
  ASSERT_TRUE(coordinator->wait(0)) << "taken as it is";
  work.oldest_version = 4;
  work.newest_version = 7;
  const std::uint64_t anew = coordinator->submit(work);
  EXPECT_NE(anew, 1u);
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  const proto::Lease lease = worker.lease();
  EXPECT_EQ(lease.work_id(), anew);
  EXPECT_EQ(lease.done_size(), 0);
  for (std::uint32_t sample : {0u, 1u}) worker.result(lease, sample);
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  for (const proto::Rollout& rollout : finished->rollouts) EXPECT_EQ(number_of(rollout.policy_version()), 6u);
  coordinator.reset();
  start();
  EXPECT_EQ(coordinator->submit(work), anew) << "of the two that are stored, the later one";
  work.newest_version = 5;
  EXPECT_NE(coordinator->submit(work), anew) << "a learner that is no more had gone further than this one";
}

TEST_F(CoordinatorTest, ALateResultOfAnotherWorkUnderTheSameNumberIsRefused) {
  start();
  proto::Lease old;
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 1);
    submit(1, 5, "the old prompt");
    old = worker.lease();
  }
  coordinator.reset();
  start();
  submit(1, 5, "the new prompt");
  Peer worker(coordinator->endpoint());
  worker.join("w", 0);
  worker.result(old, 0);
  EXPECT_THAT(worker.ack().rejected(), testing::HasSubstr("not those of the work"));
  EXPECT_EQ(data.rollouts().size(), 0u);
}

// The learner publishes version 6, is killed before its checkpoint, and comes back at 5. What its workers finished
// meanwhile with version 6 was called a lie, and they were refused.
TEST_F(CoordinatorTest, AfterARestartResultsOfVersionsThatTheDeadLearnerPublishedAreNoLies) {
  start();
  publish(6);
  std::vector<proto::Lease> old;
  {
    Peer worker(coordinator->endpoint());
    worker.join("w", 4);
    for (int i = 0; i < 4; ++i) submit(1);
    for (int i = 0; i < 4; ++i) old.push_back(worker.lease());
    EXPECT_EQ(number_of(old[0].weights().version()), 6u);
  }
  coordinator.reset();
  start();
  publish(5);
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  const proto::Lease fresh = worker.lease();
  EXPECT_GT(fresh.weights().version(), old[0].weights().version()) << "a version is never two models";
  EXPECT_EQ(coordinator->oldest_version_in_use(), 5u);
  for (const proto::Lease& lease : old) {
    worker.result(lease, 0);
    EXPECT_EQ(worker.ack().rejected(), "");
  }
  EXPECT_EQ(coordinator->stats().workers, 1u);
  worker.result(fresh, 0, fresh.weights().version() + 1);
  EXPECT_THAT(worker.ack().rejected(), testing::HasSubstr("the newest is"));
}

TEST_F(CoordinatorTest, AResultOfAnotherRunIsNotStoredUnderThisOne) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  const proto::Lease lease = worker.lease();
  RolloutMessage message = Peer::good_result(lease, 0, 0);
  message.mutable_result()->mutable_rollout()->set_run("run-0");
  worker.send(message);
  EXPECT_THAT(worker.ack().rejected(), testing::HasSubstr("of run run-0, this is run run-1"));
  EXPECT_EQ(data.rollouts().size(), 0u);
  worker.credits(1);
  worker.result(worker.lease(), 0);
  worker.ack();
  ASSERT_TRUE(coordinator->wait(10));
}

TEST_F(CoordinatorTest, AWorkThatNoWorkerSurvivesEndsWithoutAReward) {
  options.max_losses = 3;
  start();
  submit(2);
  for (int death = 0; death < 3; ++death) {
    Peer worker(coordinator->endpoint());
    worker.join("w", 1);  // the next one takes the dead one's place
    worker.lease();
  }
  Peer next(coordinator->endpoint());
  next.join("w", 1);
  const auto finished = coordinator->wait(10);
  ASSERT_TRUE(finished);
  for (const proto::Rollout& rollout : finished->rollouts) {
    EXPECT_FALSE(rollout.verdict().reward_valid());
    EXPECT_THAT(rollout.verdict().invalid_reason(), testing::HasSubstr("no worker survived it"));
    EXPECT_GT(rollout.time_us(), 0);
  }
  EXPECT_EQ(data.rollouts().size(), 2u);
  EXPECT_EQ(coordinator->stats().given_up, 2u);
}

TEST_F(CoordinatorTest, NumbersAndSizesThatCannotBeAreRefused) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(8);
  const proto::Lease lease = worker.lease();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::function<void(proto::Rollout&)>> spoils = {
      [&](proto::Rollout& rollout) { rollout.mutable_verdict()->set_reward(infinity); },
      [&](proto::Rollout& rollout) { rollout.mutable_verdict()->set_reward(std::nan("")); },
      [&](proto::Rollout& rollout) { rollout.mutable_verdict()->set_reward(5); },  // CORRECT is worth 1
      [&](proto::Rollout& rollout) { rollout.mutable_verdict()->set_stage(static_cast<proto::Stage>(77)); },
      [&](proto::Rollout& rollout) { rollout.mutable_verdict()->set_speedup(infinity); },
      [&](proto::Rollout& rollout) {
        rollout.mutable_completion()->add_token_ids(1);
        rollout.mutable_completion()->add_log_probs(std::numeric_limits<float>::quiet_NaN());
      },
      [&](proto::Rollout& rollout) { rollout.set_kernel(std::string(1000, 'x')); },
      [&](proto::Rollout& rollout) { rollout.mutable_completion()->add_log_probs(-1); },
  };
  for (std::size_t i = 0; i < spoils.size(); ++i) {
    Peer liar(coordinator->endpoint());
    liar.join("liar-" + std::to_string(i), 1);
    submit(1);
    const proto::Lease its = liar.lease();
    RolloutMessage message = Peer::good_result(its, 0, 0);
    spoils[i](*message.mutable_result()->mutable_rollout());
    liar.send(message);
    EXPECT_NE(liar.ack().rejected(), "") << i;
  }
  EXPECT_EQ(data.rollouts().size(), 0u);
  worker.result(lease, 0);
  EXPECT_EQ(worker.ack().rejected(), "");
}

TEST_F(CoordinatorTest, ALeaseIsItsHoldersAlone) {
  start();
  Peer holder(coordinator->endpoint());
  holder.join("holder", 1);
  submit(2);
  const proto::Lease lease = holder.lease();
  Peer other(coordinator->endpoint());
  other.join("other", 0);
  other.result(lease, 0);
  EXPECT_THAT(other.ack().rejected(), testing::HasSubstr("another worker's"));
  RolloutMessage back;
  back.mutable_lease_return()->set_lease_id(lease.lease_id());
  other.send(back);
  proto::Lease invented = lease;
  invented.set_lease_id(lease.lease_id() + 1000);
  holder.result(invented, 1);
  EXPECT_THAT(holder.ack().rejected(), testing::HasSubstr("never given out"));
  holder.result(lease, 0);
  EXPECT_EQ(holder.ack().rejected(), "") << "it still holds it";
  EXPECT_EQ(data.rollouts().size(), 1u);
}

// What goes wrong on the socket's thread aborted the whole learner.
TEST_F(CoordinatorTest, AnExceptionOnItsThreadIsAMessageToTheLearner) {
  start();
  Peer worker(coordinator->endpoint());
  worker.join("w", 1);
  submit(1);
  proto::Lease lease = worker.lease();
  lease.set_work_id(lease.work_id() - 1 + 0);
  data.unreadable = true;
  submit(1, 900);
  lease.set_lease_id(0);
  lease.set_work_id(899);  // not open: its task is looked up in the data set
  worker.result(lease, 0);
  const double deadline = monotonic_seconds() + 10;
  try {
    while (monotonic_seconds() < deadline) coordinator->wait(0.1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the disk is gone"));
  }
  EXPECT_THROW(submit(1), Error);
}

struct RemoteTest : CoordinatorTest {
  fs::path keys = folder.path() / "keys";
  RemoteTest() {
    for (const char* name : {"a", "b"}) make_keys(keys, name);
    options.bind = "tcp://127.0.0.1:*";
    options.checks = {.first_rate = 1, .patience_seconds = 0.1};
    options.checker = [this](const proto::Task&, proto::Rollout& rollout) {
      ++judged;
      proto::Verdict& verdict = *rollout.mutable_verdict();
      const bool good = rollout.sample() != wrong_sample;
      if (broken) return verdict.set_sandbox_error("no compiler here");
      verdict.set_reward_valid(true);
      verdict.set_stage(good || (flaky && judged % 2 == 0) ? proto::CORRECT : proto::COMPARE);
      verdict.set_correct(verdict.stage() == proto::CORRECT);
      verdict.set_reward(verdict.correct() ? 1 : 0.2);
    };
  }
  Peer remote(const std::string& key, const std::string& identity = "") {
    return {coordinator->remote_endpoint(), keys, key, identity};
  }
  std::atomic<int> judged = 0;
  std::uint32_t wrong_sample = 99;
  std::atomic<bool> broken = false, flaky = false;
};

TEST_F(RemoteTest, AFalseVerdictDropsTheWorkerAndAllThatItSentSinceTheLastGoodCheck) {
  wrong_sample = 2;
  start();
  Peer liar = remote("a");
  liar.join("liar", 1);
  submit(4);
  const proto::Lease lease = liar.lease();
  for (std::uint32_t sample : {0u, 1u}) {
    liar.result(lease, sample);
    EXPECT_EQ(liar.ack().sample(), sample) << "checked, good, and stored";
  }
  liar.result(lease, 2);
  liar.result(lease, 3);
  const std::string reason = liar.expect(RolloutMessage::kRefused).refused().reason();
  EXPECT_THAT(reason, testing::HasSubstr("false verdict"));
  EXPECT_THAT(reason, testing::HasSubstr("sample 2"));
  for (const proto::Rollout& rollout : data.rollouts()) EXPECT_NE(rollout.sample(), 2u);
  EXPECT_EQ(coordinator->stats().false_verdicts, 1u);
  EXPECT_EQ(coordinator->stats().unchecked, 0u);
  Peer again = remote("a", worker_public_key(keys, "a") + "/another connection");
  again.hello("another name");
  again.expect(RolloutMessage::kRefused);
  // Another makes what is missing.
  wrong_sample = 99;
  Peer honest = remote("b");
  honest.join("honest", 1);
  const proto::Lease second = honest.lease();
  EXPECT_THAT(second.done(), testing::IsSupersetOf({0u, 1u}));
  EXPECT_THAT(second.done(), testing::Not(testing::Contains(2u)));
  honest.result(second, 2);
  honest.result(second, 3);
  ASSERT_TRUE(coordinator->wait(10));
  coordinator.reset();
  start();
  Peer after = remote("a");
  after.hello("liar");
  after.expect(RolloutMessage::kRefused);
}

TEST_F(RemoteTest, AKernelWhoseEndChangesAndASandboxThatFailsMakeNobodyALiar) {
  wrong_sample = 0;
  flaky = true;
  start();
  Peer worker = remote("a");
  worker.join("w", 4);
  submit(1);
  worker.result(worker.lease(), 0);
  worker.ack();
  EXPECT_GE(judged, 1);
  flaky = false;
  broken = true;
  submit(1);
  worker.result(worker.lease(), 0);
  worker.ack();
  const auto rollouts = data.rollouts();
  ASSERT_EQ(rollouts.size(), 2u);
  EXPECT_THAT(rollouts[1].verdict().invalid_reason(), testing::HasSubstr("could not be checked"));
  EXPECT_FALSE(rollouts[1].verdict().reward_valid());
  EXPECT_EQ(coordinator->stats().false_verdicts, 0u);
}

TEST_F(RemoteTest, AWorkerIsItsKeyAndNotTheNameThatItGives) {
  start();
  Peer honest = remote("a");
  honest.join("w", 1);
  submit(1);
  const proto::Lease lease = honest.lease();
  // The same name in the run, under another key.
  Peer thief = remote("b");
  thief.hello("w");
  EXPECT_THAT(thief.expect(RolloutMessage::kRefused).refused().reason(), testing::HasSubstr("another key"));
  // A connection that is named after another's key.
  Peer mask = remote("b", worker_public_key(keys, "a") + "/mask");
  mask.hello("mask");
  EXPECT_THAT(mask.expect(RolloutMessage::kRefused).refused().reason(), testing::HasSubstr("CURVE key"));
  Peer second = remote("b", worker_public_key(keys, "b") + "/2");
  second.join("second", 0);
  second.result(lease, 0);
  EXPECT_THAT(second.ack().rejected(), testing::HasSubstr("another worker's"));
  honest.result(lease, 0);
  honest.ack();
  EXPECT_TRUE(coordinator->wait(10));
}

TEST_F(RemoteTest, KeysMayBeAddedToTheListAndTakenOutOfItWhileTheRunGoesOn) {
  start();
  Peer worker = remote("a");
  worker.join("w", 1);
  submit(2);
  const proto::Lease lease = worker.lease();
  const std::string both = read_file(keys / "allowed_workers");
  const std::string only_b = both.substr(both.find('\n') + 1);
  make_keys(keys, "c");  // a key that is added
  Peer added = remote("c");
  added.hello("added");
  added.expect(RolloutMessage::kWelcome);
  write_file_durably(keys / "allowed_workers", "not a key\n");  // changes nothing
  worker.result(lease, 0);
  EXPECT_EQ(worker.ack().sample(), 0u);
  write_file_durably(keys / "allowed_workers", only_b);
  const double deadline = monotonic_seconds() + 10;
  std::optional<RolloutMessage> refused;
  while (!refused && monotonic_seconds() < deadline) {
    worker.credits(0);
    refused = worker.receive(/*timeout_ms=*/20);
  }
  ASSERT_TRUE(refused && refused->has_refused());
  EXPECT_THAT(refused->refused().reason(), testing::HasSubstr("allowed_workers"));
  worker.result(lease, 1);
  worker.expect(RolloutMessage::kRefused);
  Peer honest = remote("b");
  honest.join("honest", 1);
  const proto::Lease second = honest.lease();
  EXPECT_THAT(second.done(), testing::ElementsAre(0u));
  honest.result(second, 1);
  ASSERT_TRUE(coordinator->wait(10));
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
