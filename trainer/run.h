#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trainer/progress.h"
#include "trainer/run_folder.h"
#include "trainer/run_request.h"

namespace kg::trainer {

// A running `sft`, `rl` or `eval`: what it writes into its folder and shows on the terminal. If several
// processes train together, only the first has the folder; the others make the same calls, which do nothing.
class Run {
 public:
  // Makes and locks the folder, unless another process of this run has it.
  explicit Run(const RunRequest& request, bool has_folder = true);

  // Throws Error if the folder already holds a run and the request is not to resume it.
  void refuse_second_start() const;
  bool has_folder() const { return folder_ != nullptr; }
  const RunFolder& folder() const { return *folder_; }
  const fs::path& path() const { return folder_->path(); }
  std::string name() const { return has_folder() ? folder_->name() : ""; }
  bool resumed() const { return resume_; }   // as given on the command line
  bool goes_on() const { return goes_on_; }  // the folder held a run when this one began

  // Writes config.json, and drops the metrics of steps after `step`, which will be written again.
  void open(const nlohmann::json& config, std::int64_t step);
  // From here on the status is "running" and the terminal shows `step` of `steps`. `more`: further fields of the
  // status.
  void begin(const std::string& title, std::int64_t step, std::int64_t steps, const nlohmann::json& more = {});

  // `steps`: of the run, as far as can be told now.
  void expect(std::int64_t steps);

  void append_metrics(nlohmann::json line);
  void show(std::int64_t step, const std::string& details);
  void note(const std::string& text);
  void set_status(const nlohmann::json& fields);     // written with the next update
  void update_status(const nlohmann::json& fields);  // written at once

  // Ends a run that a signal stopped after `what` ("step 12"). Returns the exit status.
  int stop(const std::string& what);
  void finish(const nlohmann::json& fields = {});

 private:
  std::string command_;
  bool resume_;
  std::unique_ptr<RunFolder> folder_;
  bool goes_on_ = false;
  std::optional<Progress> progress_;
  nlohmann::json status_ = nlohmann::json::object();
};

// The error thrown by refuse_second_start().
[[noreturn]] void refuse_folder(const fs::path& folder);

}  // namespace kg::trainer
