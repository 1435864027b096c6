// The real worker with its real judge, and a lie now and then: of --forge of the verdicts the reward is that of a
// correct kernel. For tests/integration/kill_rl.py.
#include <random>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "rollout/judging.h"
#include "rollout/worker.h"

int main(int argc, char** argv) {
  kg::start_logging("lying-worker");
  return kg::run_program([&] {
    kg::rollout::WorkerOptions worker;
    kg::rollout::JudgingOptions judging;
    std::string keys, cache;
    double forge = 0.05;
    int seed = 1;
    kg::Options options("lying-worker", "Reports a part of its verdicts as correct.");
    options.add("connect", worker.coordinator, "coordinator").required();
    options.add("generator", worker.generator, "generator").required();
    options.add("name", worker.name, "name").required();
    options.add("keys", keys, "keys").required().add("key-name", worker.key_name, "key");
    options.add("weights-cache", cache, "cache")
        .add("forge", forge, "part of the verdicts")
        .add("seed", seed, "of lies");
    options.add("fetch-weights", worker.always_fetch, "as kgtrain-worker");
    if (!options.parse(argc, argv)) return 0;
    worker.keys_folder = keys;
    worker.weights_cache = cache;
    std::mt19937 random(static_cast<unsigned>(seed));
    int judged = 0;
    const auto make = [&](const kg::proto::Welcome& welcome) -> kg::rollout::JudgeQueue::Judge {
      return [&, honest = kg::rollout::make_judge(judging, welcome)](const kg::proto::Task& task,
                                                                     kg::proto::Rollout& rollout) {
        honest(task, rollout);
        spdlog::info("result {} of this worker", ++judged);
        if (std::uniform_real_distribution<>(0, 1)(random) >= forge) return;
        kg::proto::Verdict& verdict = *rollout.mutable_verdict();
        verdict.set_stage(kg::proto::CORRECT);
        verdict.set_compiled(true);
        verdict.set_ran(true);
        verdict.set_correct(true);
        verdict.set_reward(1);
        verdict.set_reward_valid(true);
        spdlog::warn("lied about work {} sample {}, after {} results", rollout.work_id(), rollout.sample(), judged);
      };
    };
    kg::rollout::Worker(worker, make).run(/*stop_descriptor=*/-1);
    return 0;
  });
}
