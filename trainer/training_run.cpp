#include "trainer/training_run.h"

#include <spdlog/spdlog.h>

#include <cstdio>

#include "base/error.h"
#include "policy/files/adapter_io.h"

namespace kg::trainer {
namespace {

// Once the first process has made it.
fs::path shared_folder(const RunRequest& request, const Replicas* together) {
  if (together != nullptr) together->sum(std::vector<double>{0});
  return fs::canonical(request.folder);
}

}  // namespace

TrainingRun::TrainingRun(const RunRequest& request, int keep_checkpoints, const Replicas* together)
    : run(request, together == nullptr || together->first()),
      checkpoints(shared_folder(request, together), keep_checkpoints),
      data(request.data) {
  run.refuse_second_start();
  if (!request.resume && checkpoints.newest()) refuse_folder(request.folder);
}

void TrainingRun::restore(RunState fresh, Trainable& trainable) {
  state = std::move(fresh);
  const auto newest = checkpoints.newest();
  if (!newest) return;
  const RunState now = std::exchange(state, checkpoints.load(*newest, trainable));
  if (state.data_fingerprint != now.data_fingerprint)
    throw Error("the samples are not the ones the run began with", data.string(),
                "use the run's data set and filters, or start a new run");
  if (state.threads != now.threads || state.dtype != now.dtype)
    spdlog::warn("the run had {} threads and {}, now it has {} and {}: the weights will differ in their last bits",
                 state.threads, state.dtype, now.threads, now.dtype);
  state.threads = now.threads;
  state.dtype = now.dtype;
}

void TrainingRun::count(const StepOutcome& outcome, std::int64_t tokens, double seconds) {
  ++state.step;
  state.tokens += tokens;
  state.seconds += seconds;
  if (outcome.skipped.empty()) return;
  ++state.skipped_steps;
  run.note("step " + std::to_string(state.step) + " skipped: " + outcome.skipped);
}

void TrainingRun::save(const Trainable& trainable, const policy::LoadedModel& source) {
  if (run.has_folder())
    checkpoints.save(state, trainable, source, [&] { run.folder().require_held(); });
  else
    trainable.moments();  // this process's share, which the first one waits for
  run.set_status({{"checkpoint", state.step}});
}

bool TrainingRun::checkpoint_due(std::int64_t every, bool ended) const {
  return every > 0 && state.step % every == 0 && !ended;
}

void TrainingRun::try_saving(const std::function<void()>& save) {
  try {
    save();
  } catch (const Error& error) {
    run.note("no checkpoint: " + error.full_message());
  }
}

void TrainingRun::keep_as_best(const Trainable& trainable, const policy::LoadedModel& source) {
  if (!run.has_folder()) return;
  const fs::path incoming = run.path() / "best.new", best = run.path() / "best";
  fs::remove_all(incoming);
  policy::export_model(incoming, source.config, trainable.weights(), source, "float32");
  fs::remove_all(best);
  fs::rename(incoming, best);
}

int TrainingRun::finish(const Trainable& trainable, const policy::LoadedModel& source) {
  if (!run.has_folder()) return 0;
  policy::export_model(run.path() / "model", source.config, trainable.weights(), source, "float32");
  if (trainable.has_adapters())
    policy::write_adapters(run.path() / "adapter", trainable.adapters(), source.path.string());
  run.folder().link_as_latest();
  run.finish({{"model", (run.path() / "model").string()}});
  std::printf("%s\n", run.path().c_str());
  return 0;
}

}  // namespace kg::trainer
