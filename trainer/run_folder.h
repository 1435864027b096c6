#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/options.h"
#include "trainer/event_file.h"

namespace kg::trainer {

// The folder of one run: lock, config.json, metrics.jsonl, status.json, checkpoints/, model/, logs
// (docs/checkpoints.md).
class RunFolder {
 public:
  // Makes the folder if it is absent and locks it; throws Error naming the process that has it.
  RunFolder(const fs::path& folder, std::string command);
  const fs::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }

  void write_config(const nlohmann::json& config) const;
  nlohmann::json read_config() const;
  // Adds "time" (seconds since the epoch) and appends one line; its numbers go to TensorBoard's event file as well.
  void append_metrics(nlohmann::json line);
  // A resumed run says its steps again: forgets lines of later steps.
  void drop_metrics_after(std::int64_t step);
  // Adds command, pid, time; state is "running", "stopped", "finished" or "failed".
  void write_status(const std::string& state, nlohmann::json fields) const;
  // Makes $KGTRAIN_HOME/runs/latest-<command> point here.
  void link_as_latest() const;

 private:
  fs::path path_;
  std::string command_;
  FileLock lock_;
  EventFile events_;
};

// Where a run named on the command line lies: a path with a folder as it is, a name in $KGTRAIN_HOME/runs; an empty
// name is made of the command and the time.
fs::path run_path(const std::string& name, const std::string& command);
// The newest run of this command in $KGTRAIN_HOME/runs that did not finish. Throws Error if there is none.
fs::path unfinished_run(const std::string& command);

// Parses a command line of a long command. With --resume, options not given anew take the values that the run's
// config.json recorded. False if --help was printed. `values` has members `resume` and `out`; `folder` becomes the
// run's folder.
template <typename Values>
bool parse_run_options(int argc, const char* const* argv, const std::string& command, Values& values, fs::path& folder,
                       nlohmann::json& resolved);

// Options of `recorded` (config.json's "options") that `given` lacks, as words of a command line.
std::vector<std::string> recorded_words(const nlohmann::json& recorded, const Options& given);
nlohmann::json recorded_options(const fs::path& run_folder);

template <typename Values>
bool parse_run_options(int argc, const char* const* argv, const std::string& command, Values& values, fs::path& folder,
                       nlohmann::json& resolved) {
  Options options = declare(values);
  if (!options.parse(argc, argv)) return false;
  folder = values.resume && values.out.empty() ? unfinished_run(command) : run_path(values.out, command);
  resolved = options.resolved();
  if (!values.resume || !fs::exists(folder / "config.json")) return true;
  std::vector<std::string> words = recorded_words(recorded_options(folder), options);
  words.insert(words.begin(), command);
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  values = Values{};
  Options again = declare(values);
  again.parse(static_cast<int>(pointers.size()), pointers.data());
  values.resume = true;
  resolved = again.resolved();
  return true;
}

}  // namespace kg::trainer
