#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/options.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// What `sft`, `rl` or `eval` was asked to do, with everything decided that depends on this machine.
struct RunRequest {
  std::string command;
  fs::path folder;  // of the run
  bool resume = false;
  nlohmann::json options;  // every option with the value in force
  fs::path data, model;
  int threads = 0;
  at::Device device = at::kCPU;
  std::string dtype;  // "float32" or "bfloat16"
};

// Parses the command line. With --resume, options not given anew take the values that the run's config.json recorded.
// False if --help was printed. Fills in command, folder, resume and options.
template <typename Values>
bool parse_run_options(int argc, const char* const* argv, const std::string& command, Values& values,
                       RunRequest& request);

// Sets the number of threads of this process and finds device, number type and model.
void settle(RunRequest& request, const DeviceOptions& device, const std::string& model);

// What config.json says of every run: command, data, model, run, options.
nlohmann::json config_of(const RunRequest& request);

// What --dry-run does: prints the configuration. Returns the exit status.
int print_dry_run(const nlohmann::json& config);

// Where a run named on the command line is: a path with a folder in it as given, a name in $KGTRAIN_HOME/runs; an empty
// name is made of the command and the time.
fs::path run_path(const std::string& name, const std::string& command);
// Throws Error if --resume names a run that is not there, or one of another command. A path with a folder in it may
// have no run yet: the jobs that `kgtrain submit` writes begin and go on by the same command.
void refuse_resume(const std::string& name, const fs::path& run_folder, const std::string& command);
// The newest run of this command in $KGTRAIN_HOME/runs that did not finish. Throws Error if there is none.
fs::path unfinished_run(const std::string& command);
// The options that config.json recorded and the command line does not give anew, as words of a command line, after the
// command and before the words given.
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
