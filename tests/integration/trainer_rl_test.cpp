// kgtrain rl as a whole, with its generator, workers and sandbox, on a model whose answers are noise.
#include <ATen/TensorOperators.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "evaluation/stored_evaluation.h"
#include "rollout/lineage.h"
#include "tests/support/shared_cache.h"
#include "tests/support/trainer_tiny_model.h"

namespace kg::trainer {
namespace {

class RlProgram : public testing::Test {
 protected:
  RlProgram() {
    policy::LoadedModel model = tiny_model();
    model.config.context = 8192;  // a prompt's bytes
    policy::export_model(folder.path() / "model", model.config, model.weights, model, "float32");
    const auto data = dataset::Dataset::open(path_of_data(), dataset::OpenMode::kCreate);
    proto::JournalRecord record;
    proto::Task& task = *record.mutable_task();
    task.set_id("task-1");
    task.set_split("train");
    task.set_structure("one");
    task.set_entry_point("kernel");
    task.set_prompt_short("Write a kernel.");
    data->append({record});
    share_cache(folder.path() / "home");
  }
  ~RlProgram() override {
    for (ChildProcess& child : children) child.signal(SIGKILL);
    if (HasFailure())
      for (const auto& file : fs::recursive_directory_iterator(folder.path()))
        if (file.path().extension() == ".log")
          std::printf("== %s\n%s\n", file.path().filename().c_str(), read_file(file.path()).c_str());
  }

  fs::path path_of_data() const { return folder.path() / "data.h5"; }

  // kgtrain-learner with what is the same in all: a tiny model, short answers, weights that move though no answer is
  // ever rewarded.
  std::size_t start(const std::string& command, const std::string& run, std::vector<std::string> more,
                    const std::vector<std::string>& environment = {}) {
    const fs::path log = folder.path() / (run + ".log");
    const Descriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    std::vector<std::string> words{KG_BINARY_DIR "/bin/kgtrain-learner",
                                   command,
                                   "--data",
                                   path_of_data().string(),
                                   "--model",
                                   (folder.path() / "model").string(),
                                   "--out",
                                   (folder.path() / run).string(),
                                   "--workers",
                                   "1",
                                   "--threads",
                                   "1",
                                   "--dtype",
                                   "float32",
                                   "--max-new-tokens",
                                   "12"};
    words.insert(words.end(), more.begin(), more.end());
    ChildCommand child{.words = words,
                       .input = ChildCommand::kNothing,
                       .output = output.number(),
                       .errors = ChildCommand::kSameAsOutput,
                       .dies_with_this_thread = true};
    child.environment = {"KGTRAIN_HOME=" + (folder.path() / "home").string()};
    child.environment.insert(child.environment.end(), environment.begin(), environment.end());
    children.emplace_back(child);
    return children.size() - 1;
  }
  std::size_t start_rl(const std::string& run, std::vector<std::string> more,
                       const std::vector<std::string>& environment = {}) {
    more.insert(more.end(), {"--groups-per-step", "1", "--group-size", "2", "--kl-weight", "0.1"});
    return start("rl", run, more, environment);
  }

  std::vector<nlohmann::json> metrics(const std::string& run) const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder.path() / run / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) {
      lines.push_back(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
      if (!lines.back().is_object()) lines.pop_back();
    }
    return lines;
  }
  int newest_checkpoint(const std::string& run) const {
    int newest = -1;
    for (const auto& entry : fs::directory_iterator(folder.path() / run / "checkpoints"))
      if (fs::exists(entry.path() / "state.json"))
        newest = std::max(newest, std::stoi(entry.path().filename().string().substr(5)));
    return newest;
  }
  static bool await(const std::function<bool()>& condition, double seconds = 120) {
    const double deadline = monotonic_seconds() + seconds;
    while (!condition() && monotonic_seconds() < deadline) ::poll(nullptr, 0, /*timeout=*/5);
    return condition();
  }
  bool await_updates(const std::string& run, std::size_t child, std::size_t count) {
    await([&] { return metrics(run).size() >= count || children[child].ended(); });
    return metrics(run).size() >= count;
  }
  std::string end_of(std::size_t child) {
    std::optional<ChildEnd> end;
    await([&] { return (end = children[child].ended()).has_value(); });
    return end ? end->text() : "still running";
  }
  static std::vector<pid_t> children_of(pid_t parent, const std::string& program) {
    std::vector<pid_t> found;
    std::error_code ended;
    for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(parent) + "/task", ended)) {
      std::ifstream list(thread.path() / "children");
      for (pid_t child; list >> child;) {
        std::string name;
        std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), name);
        if (name == program) found.push_back(child);
      }
    }
    return found;
  }
  std::string log(const std::string& run) const { return read_file(folder.path() / (run + ".log")); }

  using Key = std::pair<std::uint64_t, std::uint32_t>;  // work and sample
  using Rollouts = std::map<Key, proto::Rollout>;
  // Of each run; none is stored twice.
  std::map<std::string, Rollouts> rollouts() const {
    std::map<std::string, Rollouts> runs;
    dataset::Dataset::open(path_of_data(), dataset::OpenMode::kRead)->for_each_rollout([&](const proto::Rollout& one) {
      EXPECT_TRUE(runs[one.run()].emplace(Key(one.work_id(), one.sample()), one).second);
      return true;
    });
    return runs;
  }
  static std::vector<std::int32_t> tokens_of(const proto::Completion& completion) {
    std::vector<std::int32_t> tokens(completion.prompt_ids().begin(), completion.prompt_ids().end());
    tokens.insert(tokens.end(), completion.token_ids().begin(), completion.token_ids().end());
    return tokens;
  }
  // Each repair goes on from a failed answer of its task, token by token; a group repairs one answer, and each is
  // repaired by one group. Returns the rollouts of each turn.
  static std::map<std::uint32_t, std::size_t> expect_repairs_to_follow(const Rollouts& all) {
    std::map<std::uint32_t, std::size_t> turns;
    std::map<std::uint64_t, Key> repaired;
    for (const auto& [key, one] : all) {
      ++turns[one.turn()];
      if (one.turn() == 0) continue;
      const Key before(one.after_work_id(), one.after_sample());
      EXPECT_EQ(repaired.emplace(key.first, before).first->second, before);
      const auto found = all.find(before);
      if (found == all.end()) {
        ADD_FAILURE() << "a repair of nothing: " << before.first << " " << before.second;
        continue;
      }
      const proto::Rollout& failed = found->second;
      EXPECT_EQ(failed.turn() + 1, one.turn());
      EXPECT_EQ(failed.task(), one.task());
      EXPECT_FALSE(failed.verdict().correct());
      const std::vector<std::int32_t> prefix = tokens_of(failed.completion());
      EXPECT_GT(static_cast<std::size_t>(one.completion().prompt_ids_size()), prefix.size());
      EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), one.completion().prompt_ids().begin()));
      EXPECT_TRUE(one.prompt().starts_with(failed.prompt() + "\n\n" + failed.completion().text()));
      EXPECT_THAT(one.prompt(), testing::HasSubstr("The answer holds no kernel"));
    }
    std::set<Key> once;
    for (const auto& [work, before] : repaired) EXPECT_TRUE(once.insert(before).second);
    return turns;
  }

  TemporaryFolder folder{"kgrl"};
  std::vector<ChildProcess> children;
};

// A generator's disk that was full, or a folder that was gone, took the update before it along.
TEST_F(RlProgram, AnUpdateWhoseWeightsCannotBePublishedIsNotLost) {
  const std::size_t first = start_rl("run", {"--steps", "100000", "--checkpoint-every", "0"});
  ASSERT_TRUE(await_updates("run", first, 2));
  const fs::path weights = folder.path() / "run" / "weights", away = folder.path() / "run" / "weights.away";
  // Where the newest version has not reached the generator yet, no further update is made: then once more, later.
  const auto complaints = [&] {
    const std::string text = read_file(folder.path() / "run" / "logs" / "worker-0.log");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("weights cannot be fetched", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  for (int attempt = 1; attempt < 20 && !children[first].ended(); ++attempt) {
    if (!await_updates("run", first, metrics("run").size() + 1)) break;
    ::poll(nullptr, 0, /*timeout=*/10 * attempt);
    const std::size_t before = complaints();
    fs::rename(weights, away);
    write_file_atomically(weights, "not a folder");
    await([&] { return children[first].ended() || complaints() > before; });
    if (children[first].ended()) break;
    fs::remove(weights);
    fs::rename(away, weights);
  }
  EXPECT_EQ(end_of(first), "exit status 1");
  const auto done = static_cast<int>(metrics("run").size());
  ASSERT_GE(done, 2);
  ASSERT_EQ(newest_checkpoint("run"), done);
  fs::remove_all(weights);
  const std::size_t second = start_rl("run", {"--resume", "--steps", std::to_string(done + 2)});
  ASSERT_EQ(end_of(second), "exit status 0");
  const auto lines = metrics("run");
  ASSERT_EQ(static_cast<int>(lines.size()), done + 2);
  std::set<std::uint64_t> trained;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["step"], i + 1);
    for (const std::uint64_t work : lines[i]["works"]) EXPECT_TRUE(trained.insert(work).second) << work;
  }
}

// Whatever ends a run, here workers that keep dying, the updates that no checkpoint has yet were lost with it.
TEST_F(RlProgram, UpdatesBeforeAFailureOfTheWorkersAreNotLost) {
  const std::size_t first = start_rl("run", {"--steps", "100000", "--checkpoint-every", "0"});
  ASSERT_TRUE(await_updates("run", first, 2));
  await([&] {
    for (const pid_t worker : children_of(children[first].pid(), "kgtrain-worker")) ::kill(worker, SIGUSR1);
    return children[first].ended().has_value();
  });
  EXPECT_EQ(end_of(first), "exit status 1");
  EXPECT_THAT(log("run"), testing::HasSubstr("times within"));
  const auto done = static_cast<int>(metrics("run").size());
  ASSERT_EQ(newest_checkpoint("run"), done);
  ASSERT_EQ(end_of(start_rl("run", {"--resume", "--steps", std::to_string(done + 1)})), "exit status 0");
  EXPECT_EQ(static_cast<int>(metrics("run").size()), done + 1);
}

// Warm-up was a share of --steps alone: a run that its tokens ended long before had hardly any learning rate.
TEST_F(RlProgram, ARunEndsWithItsTokensAndItsScheduleFollowsThem) {
  constexpr double kTokens = 150, kSteps = 100000, kWarmup = 0.2, kPeak = 1e-3;
  std::vector<std::string> options{"--answer-tokens", "150", "--steps",         "100000",
                                   "--warmup",        "0.2", "--learning-rate", "1e-3"};
  const std::size_t first = start_rl("run", options);
  ASSERT_TRUE(await_updates("run", first, 2));
  children[first].signal(SIGKILL);
  end_of(first);
  options.push_back("--resume");
  ASSERT_EQ(end_of(start_rl("run", options)), "exit status 0");
  double tokens = 0;
  const auto lines = metrics("run");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["step"], i + 1);
    EXPECT_LT(tokens, kTokens);
    const double step = std::max(static_cast<double>(i), std::floor(tokens / kTokens * kSteps));
    EXPECT_NEAR(lines[i]["learning_rate"].get<double>(), kPeak * std::min(1.0, (step + 1) / (kWarmup * kSteps)), 1e-9);
    tokens += std::round(lines[i]["answer_tokens"].get<double>() * lines[i]["rollouts"].get<double>());
  }
  EXPECT_GE(tokens, kTokens);
  EXPECT_GT(lines.size(), 3u);
  // --steps is what a reader saw as the end, with an estimate of hundreds of hours.
  const auto status = nlohmann::json::parse(read_file(folder.path() / "run" / "status.json"));
  EXPECT_EQ(status["steps"], lines.size());
}

// It was accepted, and then nothing corrected for the difference.
TEST_F(RlProgram, StalenessWithoutCorrectionIsRefused) {
  const std::size_t run = start_rl("run", {"--staleness", "4", "--importance-cap", "0"});
  EXPECT_EQ(end_of(run), "exit status 2");
  EXPECT_THAT(log("run"), testing::AllOf(testing::HasSubstr("--staleness 4 with --importance-cap 0"),
                                         testing::HasSubstr("--staleness 0")));
  EXPECT_FALSE(fs::exists(folder.path() / "run" / "config.json"));
  EXPECT_EQ(end_of(start_rl("on-policy", {"--staleness", "0", "--importance-cap", "0", "--steps", "1"})),
            "exit status 0");
}

TEST_F(RlProgram, WorkersGetNewWeightsAsOftenAsAskedFor) {
  constexpr std::size_t kEvery = 3;
  ASSERT_EQ(end_of(start_rl("run", {"--steps", "8", "--staleness", "2", "--sync-every", "3"})), "exit status 0");
  const auto lines = metrics("run");
  ASSERT_EQ(lines.size(), 8u);
  std::set<std::uint64_t> sent{1};
  double oldest = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if ((i + 1) % kEvery == 0) sent.insert(lines[i]["policy_version"].get<std::uint64_t>());
    oldest = std::max(oldest, lines[i]["staleness_max"].get<double>());
  }
  EXPECT_EQ(oldest, 2);
  std::set<std::uint64_t> sampled;
  const auto data = dataset::Dataset::open(path_of_data(), dataset::OpenMode::kRead);
  data->for_each_rollout([&](const proto::Rollout& rollout) {
    sampled.insert(rollout::number_of(rollout.policy_version()));
    return true;
  });
  EXPECT_EQ(sampled, sent);
  EXPECT_THAT(log("run"), testing::Not(testing::HasSubstr("rejected"))) << "answers too old were asked for";
}

// The run has the data set's lock, and an evaluation could not begin.
TEST_F(RlProgram, AnEvaluationBeginsAndEndsWhileARunGoesOn) {
  const std::size_t rl = start_rl("run", {"--steps", "100000"});
  ASSERT_TRUE(await_updates("run", rl, 1));
  const std::size_t eval = start("eval", "eval", {"--split", "train", "--samples", "3", "--tasks", "all"});
  ASSERT_EQ(end_of(eval), "exit status 0");
  const auto tables = nlohmann::json::parse(read_file(folder.path() / "eval" / "eval.json"));
  EXPECT_EQ(tables["record"]["run"], "eval");
  const std::size_t before = metrics("run").size();
  ASSERT_TRUE(await_updates("run", rl, before + 2)) << "the run goes on";
  children[rl].signal(SIGTERM);
  EXPECT_EQ(end_of(rl), "exit status 75");
  std::map<std::string, std::size_t> rollouts;
  for (const fs::path& path : {path_of_data(), folder.path() / "eval" / "answers.h5"})
    for (const auto& [run, keys] : dataset::Dataset::open(path, dataset::OpenMode::kRead)->rollout_keys())
      rollouts[run] += keys.size();
  EXPECT_EQ(rollouts["eval"], 3u);
  EXPECT_GE(rollouts["run"], 2 * (before + 2));
}

// Before the first update, after every second and after the last: the same answers' tables as `eval` makes, under
// labels of their own, and the best weights.
TEST_F(RlProgram, HeldOutTasksAreAskedWhileARunGoesOn) {
  const std::size_t rl =
      start_rl("run", {"--steps", "3", "--eval-every", "2", "--eval-samples", "3", "--eval-split", "train"});
  ASSERT_EQ(end_of(rl), "exit status 0");
  std::map<int, nlohmann::json> evaluations;
  for (const nlohmann::json& line : metrics("run"))
    if (line.contains("eval_correct_rate")) evaluations[line["step"]] = line;
  ASSERT_EQ(evaluations.size(), 3u);
  for (const int step : {0, 2, 3}) {
    EXPECT_EQ(evaluations[step].value("eval_answers", 0), 3) << step;
    EXPECT_EQ(evaluations[step].value("eval_correct_rate", -1.0), 0.0) << step;
  }
  std::map<std::string, std::size_t> answers;
  for (const evaluation::StoredEvaluation& one :
       evaluation::stored_evaluations(*dataset::Dataset::open(path_of_data(), dataset::OpenMode::kRead)))
    answers[one.label] = one.answers.size();
  EXPECT_EQ(answers, (std::map<std::string, std::size_t>{{"run@0", 3}, {"run@2", 3}, {"run@3", 3}}));
  EXPECT_NE(log("run").find("the best so far"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder.path() / "run" / "best" / "tokenizer.json"));
}

// A learner that is killed takes those that train with it along, and says so; started again, they go on. No answer is
// rewarded, so that the decay alone moves the weights; that gradients add up is trainer_update_test's to show.
TEST_F(RlProgram, TwoLearnersTogetherAreOneAndGoOnAfterOneWasKilled) {
  const auto start_two = [&](std::vector<std::string> more) {
    const std::string port = std::to_string(21000 + (::getpid() + static_cast<int>(children.size())) % 20000);
    more.insert(more.end(), {"--deterministic", "--learning-rate", "1e-3", "--weight-decay", "1"});
    std::vector<std::size_t> both;
    for (const char* rank : {"0", "1"})
      both.push_back(start_rl(
          "two", more, {std::string("RANK=") + rank, "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
    return both;
  };
  const std::size_t one =
      start_rl("one", {"--deterministic", "--learning-rate", "1e-3", "--weight-decay", "1", "--steps", "6"});
  ASSERT_EQ(end_of(one), "exit status 0");
  auto both = start_two({"--steps", "6"});
  ASSERT_TRUE(await_updates("two", both[0], 2));
  children[both[1]].signal(SIGKILL);
  EXPECT_EQ(end_of(both[0]), "exit status 1");
  EXPECT_THAT(log("two"), testing::HasSubstr("one of the 2 processes that train together is gone"));
  both = start_two({"--steps", "6", "--resume"});
  for (const std::size_t learner : both) ASSERT_EQ(end_of(learner), "exit status 0");
  EXPECT_EQ(metrics("two").size(), 6u);
  const auto weights = [&](const fs::path& model) {
    std::map<std::string, at::Tensor> by_name;
    for (const policy::NamedTensor& weight : policy::read_weights(model / "model.safetensors"))
      by_name[weight.name] = weight.tensor;
    return by_name;
  };
  const auto expected = weights(folder.path() / "one" / "model"), found = weights(folder.path() / "two" / "model"),
             before = weights(folder.path() / "model");
  double moved = 0;
  for (const auto& [name, tensor] : expected) {
    EXPECT_LT((tensor - found.at(name)).abs().max().item<double>(), 1e-6) << name;
    moved = std::max(moved, (tensor - before.at(name)).abs().max().item<double>());
  }
  EXPECT_GT(moved, 1e-6);
  // All of them stop when one is told to.
  fs::remove_all(folder.path() / "two");
  both = start_two({"--steps", "100000"});
  ASSERT_TRUE(await_updates("two", both[0], 2));
  children[both[1]].signal(SIGTERM);
  for (const std::size_t learner : both) EXPECT_EQ(end_of(learner), "exit status 75");
}

// With further turns half of an update's groups repair what failed before. Each answer is a record of its own, and its
// prompt is, token by token, what the answer before was drawn from and what was drawn. A run that is killed comes out
// bit for bit like one that was not.
TEST_F(RlProgram, RepairsGoOnFromFailedAnswersAndSurviveAKill) {
  const std::vector<std::string> what{
      "--deterministic", "--turns", "3", "--turns-after", "1", "--learning-rate", "1e-3", "--groups-per-step", "2",
      "--weight-decay",  "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), what.begin(), what.end());
    more.insert(more.end(), {"--group-size", "2", "--kl-weight", "0.1"});
    return more;
  };
  ASSERT_EQ(end_of(start("rl", "whole", with({"--steps", "12"}))), "exit status 0");
  const std::size_t first = start("rl", "killed", with({"--steps", "12", "--checkpoint-every", "3"}));
  ASSERT_TRUE(await_updates("killed", first, 4));
  children[first].signal(SIGKILL);
  end_of(first);
  ASSERT_LT(metrics("killed").size(), 12u) << "it was killed too late to say anything";
  ASSERT_EQ(end_of(start("rl", "killed", with({"--steps", "12", "--resume"}))), "exit status 0");
  EXPECT_EQ(read_file(folder.path() / "whole" / "model" / "model.safetensors"),
            read_file(folder.path() / "killed" / "model" / "model.safetensors"));
  EXPECT_NE(read_file(folder.path() / "whole" / "model" / "model.safetensors"),
            read_file(folder.path() / "model" / "model.safetensors"));

  auto runs = rollouts();
  EXPECT_EQ(runs["whole"].size(), runs["killed"].size()) << "nothing is made that is not trained on";
  for (const auto& [key, one] : runs["whole"]) {
    const proto::Completion &ours = one.completion(), &theirs = runs["killed"][key].completion();
    EXPECT_THAT(ours.prompt_ids(), testing::ElementsAreArray(theirs.prompt_ids()));
    EXPECT_THAT(ours.token_ids(), testing::ElementsAreArray(theirs.token_ids()));
    EXPECT_THAT(ours.log_probs(), testing::ElementsAreArray(theirs.log_probs()));
  }
  const auto turns = expect_repairs_to_follow(runs["whole"]);
  EXPECT_EQ(turns.at(0) + turns.at(1) + turns.at(2), 48u);
  EXPECT_EQ(turns.at(1) + turns.at(2), 22u) << "one of two groups from the second update on";
  for (const nlohmann::json& line : metrics("whole")) {
    EXPECT_EQ(line.value("repairs", 0), line["step"] == 1 ? 0 : 2);
    EXPECT_EQ(line["works"].size(), 2u);
  }
}

// Failed answers are repaired, and beside that fresh ones drawn with as many tokens. Stopped in between, and in parts,
// it is the same.
TEST_F(RlProgram, AnEvaluationWithTurnsComparesRepairsWithFreshAnswers) {
  const std::vector<std::string> what{"--split", "train",   "--samples", "3",       "--tasks",
                                      "all",     "--turns", "3",         "--label", "it"};
  ASSERT_EQ(end_of(start("eval", "whole", what)), "exit status 0");
  const auto tables = nlohmann::json::parse(read_file(folder.path() / "whole" / "eval.json"));
  const nlohmann::json& turns = tables["turns"];
  EXPECT_EQ(tables["all"]["answers"], 3) << "the tables of the first turn";
  EXPECT_EQ(turns["answers"], 3);
  EXPECT_EQ(turns["failed"], 3);
  EXPECT_EQ(turns["continued"], 3);
  EXPECT_EQ(turns["repaired"], 0);
  EXPECT_EQ(turns["after"].size(), 3u);
  EXPECT_EQ(turns["short_of_budget"], 0);
  EXPECT_NEAR(turns["repair_tokens"].get<double>(), turns["fresh_tokens"].get<double>(), 1e-9);
  EXPECT_THAT(log("whole"), testing::AllOf(testing::HasSubstr("after turn 3"),
                                           testing::HasSubstr("Repairs against fresh answers: +0.0 points")));
  Rollouts repairs;
  std::map<Key, std::size_t> fresh;
  auto runs = rollouts();
  for (const auto& [key, one] : runs["whole"]) {
    if (one.purpose() != "fresh:it") {
      EXPECT_EQ(one.purpose(), one.turn() == 0 ? "eval:it" : "repair:it");
      repairs[key] = one;
      continue;
    }
    EXPECT_EQ(one.turn(), 0u);
    ++fresh[Key(one.after_work_id(), one.after_sample())];
  }
  EXPECT_THAT(expect_repairs_to_follow(repairs),
              testing::ElementsAre(testing::Pair(0, 3), testing::Pair(1, 3), testing::Pair(2, 3)));
  EXPECT_EQ(fresh.size(), 3u);
  for (const auto& [key, count] : fresh) EXPECT_GE(count, 2u) << "two repairs of twelve tokens";

  const std::size_t stopped = start("eval", "stopped", what);
  await([&] { return log("stopped").find("turn 2") != std::string::npos || children[stopped].ended(); });
  children[stopped].signal(SIGKILL);
  end_of(stopped);
  auto again = what;
  again.emplace_back("--resume");
  ASSERT_EQ(end_of(start("eval", "stopped", again)), "exit status 0");
  EXPECT_EQ(nlohmann::json::parse(read_file(folder.path() / "stopped" / "eval.json"))["turns"], turns);
  runs = rollouts();
  EXPECT_EQ(runs["stopped"].size(), runs["whole"].size());
  EXPECT_EQ(end_of(start("eval", "greedy", {"--split", "train", "--turns", "2", "--temperature", "0"})),
            "exit status 2");
  EXPECT_THAT(log("greedy"), testing::HasSubstr("--turns 2 --temperature 0"));
}

// It went on to the last update, whatever had become of the policy.
TEST_F(RlProgram, ARunWhosePolicyBreaksDownStopsAndSaysWhy) {
  const std::size_t first = start_rl("run", {"--steps", "100000", "--stop-entropy", "1.000001"});
  EXPECT_EQ(end_of(first), "exit status 1");
  EXPECT_THAT(log("run"), testing::AllOf(testing::HasSubstr("the policy is breaking down: the entropy of the answers"),
                                         testing::HasSubstr("update 15 of"), testing::HasSubstr("--stop-entropy")));
  auto status = nlohmann::json::parse(read_file(folder.path() / "run" / "status.json"));
  EXPECT_EQ(status["state"], "stopped");
  EXPECT_THAT(status.value("stopped_because", ""), testing::HasSubstr("the entropy of the answers"));
  EXPECT_EQ(newest_checkpoint("run"), 15);
  EXPECT_TRUE(metrics("run").back().contains("entropy_ratio"));
  EXPECT_EQ(end_of(start_rl("run", {"--resume", "--steps", "17", "--stop-entropy", "0"})), "exit status 0");
  EXPECT_EQ(metrics("run").size(), 17u);
  status = nlohmann::json::parse(read_file(folder.path() / "run" / "status.json"));
  EXPECT_FALSE(status.contains("stopped_because"));
  EXPECT_EQ(end_of(start_rl("other", {"--stop-length", "1"})), "exit status 2");
}

// What Slurm's array makes of an evaluation is what one process makes of it.
TEST_F(RlProgram, AnEvaluationInPartsIsTheEvaluationOfOneProcess) {
  {
    const auto data = dataset::Dataset::open(path_of_data(), dataset::OpenMode::kAppend);
    for (int i = 2; i <= 5; ++i) {
      proto::JournalRecord record;
      *record.mutable_task() = data->task("task-1").value();
      record.mutable_task()->set_id("task-" + std::to_string(i));
      record.mutable_task()->set_prompt_short("Write kernel " + std::to_string(i) + ".");
      data->append({record});
    }
  }
  const std::vector<std::string> what{"--split", "train", "--samples", "2", "--tasks", "all", "--label", "it"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), what.begin(), what.end());
    return more;
  };
  ASSERT_EQ(end_of(start("eval", "whole", with({}))), "exit status 0");
  std::vector<std::size_t> parts;
  for (const char* part : {"0", "1"}) {
    fs::create_directories(folder.path() / "parts");
    parts.push_back(start("eval", std::string("parts/part-") + part, with({"--part", std::string(part) + "/3"})));
  }
  for (const std::size_t part : parts) ASSERT_EQ(end_of(part), "exit status 0");
  const auto merge = [&] {
    return start("eval", "joined", with({"--merge", (folder.path() / "parts").string(), "--resume"}));
  };
  EXPECT_EQ(end_of(merge()), "exit status 2");
  EXPECT_THAT(log("joined"), testing::HasSubstr("part 2 of 3 is missing"));
  ASSERT_EQ(end_of(start("eval", "parts/part-2", with({"--part", "2/3"}))), "exit status 0");
  for (int twice = 0; twice < 2; ++twice) ASSERT_EQ(end_of(merge()), "exit status 0") << log("joined");
  const auto tables = [&](const std::string& run) {
    auto json = nlohmann::json::parse(read_file(folder.path() / run / "eval.json"));
    EXPECT_EQ(json["record"].value("weights_hash", "").size(), 32u);
    const nlohmann::json hashes{json["record"]["weights_hash"], json["record"]["tasks_hash"]};
    json.erase("record");
    json["hashes"] = hashes;
    return json;
  };
  EXPECT_EQ(tables("joined"), tables("whole"));
  std::map<std::string, std::map<std::pair<std::uint64_t, std::uint32_t>, std::string>> answers;
  dataset::Dataset::open(path_of_data(), dataset::OpenMode::kRead)->for_each_rollout([&](const proto::Rollout& one) {
    EXPECT_TRUE(answers[one.run()]
                    .emplace(std::pair(one.work_id(), one.sample()),
                             one.task() + one.completion().text() + std::to_string(one.verdict().reward()))
                    .second);
    return true;
  });
  EXPECT_EQ(answers["joined"].size(), 10u);
  EXPECT_EQ(answers["joined"], answers["whole"]);
}

}  // namespace
}  // namespace kg::trainer
