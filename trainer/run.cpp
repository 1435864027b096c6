#include "trainer/run.h"

#include "base/error.h"
#include "trainer/stop_signal.h"

namespace kg::trainer {

Run::Run(const RunRequest& request, bool has_folder) : command_(request.command), resume_(request.resume) {
  if (!has_folder) return;
  folder_ = std::make_unique<RunFolder>(request.folder, request.command);
  // A folder left behind by a refused command, before anything began, holds no run.
  goes_on_ = fs::exists(path() / "config.json") &&
             (fs::exists(path() / "status.json") || fs::exists(path() / "metrics.jsonl"));
}

void Run::refuse_second_start() const {
  if (goes_on_ && !resume_) refuse_folder(path());
}

void Run::open(const nlohmann::json& config, std::int64_t step) {
  if (!has_folder()) return;
  folder_->write_config(config);
  folder_->drop_metrics_after(step);
}

void Run::begin(const std::string& title, std::int64_t step, std::int64_t steps, const nlohmann::json& more) {
  if (!has_folder()) return;
  progress_.emplace(title, step, steps);
  status_ = {{"step", step}, {"steps", steps}};
  update_status(more);
}

void Run::expect(std::int64_t steps) {
  if (progress_) progress_->expect(steps);
  set_status({{"steps", steps}});
}

void Run::append_metrics(nlohmann::json line) {
  if (has_folder()) folder_->append_metrics(std::move(line));
}

void Run::show(std::int64_t step, const std::string& details) {
  if (progress_) progress_->show(step, details);
}

void Run::note(const std::string& text) {
  if (progress_) progress_->note(text);
}

void Run::set_status(const nlohmann::json& fields) {
  if (!fields.is_null()) status_.update(fields);
}

void Run::update_status(const nlohmann::json& fields) {
  set_status(fields);
  if (has_folder()) folder_->write_status("running", status_);
}

int Run::stop(const std::string& what) {
  if (has_folder()) {
    folder_->write_status("stopped", status_);
    note("stopped after " + what + "; continue it with: kgtrain " + command_ + " --resume --out " + path().string());
  }
  return stop_status();
}

void Run::finish(const nlohmann::json& fields) {
  set_status(fields);
  if (has_folder()) folder_->write_status("finished", status_);
}

void refuse_folder(const fs::path& folder) {
  throw Error("the folder already holds a run", folder.string(), "continue it with --resume, or name another --out");
}

}  // namespace kg::trainer
