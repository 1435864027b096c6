#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/options.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// A request to `sft`, `rl` or `eval`, with everything resolved that depends on this machine.
struct RunRequest {
  std::string command;
  fs::path folder;  // folder of the run
  bool resume = false;
  nlohmann::json options;  // every option with its current value
  fs::path data, model;
  int threads = 0;
  at::Device device = at::kCPU;
  std::string dtype;  // "float32" or "bfloat16"
};

// Parses the command line. With --resume, options that are not given take the values recorded in the run's config.json.
// False if --help was printed. Fills in command, folder, resume and options.
template <typename Values>
bool parse_run_options(int argc, const char* const* argv, const std::string& command, Values& values,
                       RunRequest& request);

// Sets the number of threads of this process and finds device, number type and model.
void settle(RunRequest& request, const DeviceOptions& device, const std::string& model);

// The content of config.json for every run: command, data, model, run, options.
nlohmann::json config_of(const RunRequest& request);

// Implements --dry-run: prints the configuration. Returns the exit status.
int print_dry_run(const nlohmann::json& config);

// The path of a run named on the command line: a path with a folder is used as given, a name is in $KGTRAIN_HOME/runs;
// an empty name is made from the command and the time.
fs::path run_path(const std::string& name, const std::string& command);
// Throws Error if --resume names a run that does not exist, or one of another command. A path with a folder may
// not have a run yet: the jobs that `kgtrain submit` writes use the same command to begin and to continue.
void refuse_resume(const std::string& name, const fs::path& run_folder, const std::string& command);
// The newest run of this command in $KGTRAIN_HOME/runs that did not finish. Throws Error if there is none.
fs::path unfinished_run(const std::string& command);
// The options recorded in config.json that are not on the command line, as command line words, to be put after the
// command and before the given words.
std::vector<std::string> with_recorded_words(const fs::path& run_folder, const Options& given, int argc,
                                             const char* const* argv);

template <typename Values>
bool parse_run_options(int argc, const char* const* argv, const std::string& command, Values& values,
                       RunRequest& request) {
  Options options = declare(values);
  if (!options.parse(argc, argv)) return false;
  request = {.command = command,
             .folder = values.resume && values.out.empty() ? unfinished_run(command) : run_path(values.out, command),
             .resume = values.resume,
             .options = options.resolved()};
  if (values.resume) refuse_resume(values.out, request.folder, command);
  if (!values.resume || !fs::exists(request.folder / "config.json")) return true;
  const std::vector<std::string> words = with_recorded_words(request.folder, options, argc, argv);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  values = Values{};
  Options again = declare(values);
  again.parse(static_cast<int>(pointers.size()), pointers.data());
  values.resume = true;
  request.options = again.resolved();
  return true;
}

}  // namespace kg::trainer
