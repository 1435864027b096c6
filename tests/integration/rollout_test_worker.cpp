// The real worker with a judge that needs no sandbox: for tests of leases and results alone. `--sandbox-fault WORD`
// makes every answer with that word a sandbox fault.
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "rollout/worker.h"

int main(int argc, char** argv) {
  kg::start_logging("test-worker");
  return kg::run_program([&] {
    kg::rollout::WorkerOptions worker;
    std::string run, keys, cache, fault;
    kg::Options options("test-worker", "Holds leases.");
    options.add("connect", worker.coordinator, "coordinator").add("run", run, "folder of the run");
    options.add("generator", worker.generator, "generator").required();
    options.add("name", worker.name, "name").required();
    options.add("keys", keys, "keys").add("weights-cache", cache, "cache").add("sandbox-fault", fault, "word");
    options.add("key-name", worker.key_name, "key");
    options.add("give-up-seconds", worker.give_up_seconds, "seconds");
    if (!options.parse(argc, argv)) return 0;
    worker.run_folder = run;
    worker.keys_folder = keys;
    worker.weights_cache = cache;
    const auto judge = [&](const kg::proto::Task& task, kg::proto::Rollout& rollout) {
      kg::proto::Verdict& verdict = *rollout.mutable_verdict();
      verdict.set_task(task.id());
      rollout.set_kernel(rollout.completion().text());
      if (!fault.empty() && rollout.kernel().find(fault) != std::string::npos)
        return verdict.set_sandbox_error("asked for");
      verdict.set_reward_valid(true);
      verdict.set_stage(kg::proto::CORRECT);
      verdict.set_correct(true);
      verdict.set_reward(1);
      verdict.set_cycles(rollout.sample());
    };
    kg::rollout::Worker(worker, [&](const kg::proto::Welcome&) { return judge; }).run(/*stop_descriptor=*/-1);
    return 0;
  });
}
