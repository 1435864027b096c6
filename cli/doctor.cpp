#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "cli/command.h"
#include "reward/judge_version.h"

namespace kg::cli {
namespace {

constexpr const char* kDefaultModel = "smollm2-135m-instruct";
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kLeastMemory = 6;  // GiB: one learner and one generator of a 135M model in fp32, two kernels
constexpr double kLeastDisk = 10;   // GiB: checkpoints with optimiser state, model exports, data

enum class State { kOk, kMissing, kNone };

// The lines of `kgtrain-sandbox check` have the same form.
struct Report {
  bool complete = true;
  void line(State state, const std::string& what, const std::string& detail) {
    const char* word = state == State::kOk ? "ok" : state == State::kMissing ? "missing" : "none";
    std::printf("%-8s %-22s %s\n", word, what.c_str(), detail.c_str());
    complete = complete && state != State::kMissing;
  }
};

std::string gib(double bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GiB", bytes / kGiB);
  return text;
}

// The first line of a /proc file that begins with one of the words, without that word.
std::string field(const char* file, std::initializer_list<std::string> words) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    for (const std::string& word : words)
      if (line.starts_with(word)) return line.substr(line.find(':') + 1);
  return {};
}

// A program's output, and how it ended.
FinishedChild answer_of(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  std::fflush(stdout);
  try {
    return run_child({.words = std::move(words),
                      .environment = std::move(environment),
                      .output = ChildCommand::kPipe,
                      .errors = ChildCommand::kSameAsOutput});
  } catch (const Error& error) {
    return {.end = {.status = -1}, .output = error.full_message() + "\n"};
  }
}

void look_at_processor(Report& report) {
  std::istringstream words(field("/proc/cpuinfo", {"flags", "Features"}));
  std::set<std::string> flags;
  for (std::string word; words >> word;) flags.insert(word);
  std::string found;
  for (const char* flag : {"avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "sve", "bf16"})
    if (flags.count(flag) > 0) found += std::string(found.empty() ? "" : " ") + flag;
  report.line(State::kOk, "processor",
              std::to_string(std::thread::hardware_concurrency()) + " cores" + (found.empty() ? "" : ", ") + found);
  const bool bf16 = flags.count("avx512_bf16") + flags.count("amx_bf16") + flags.count("bf16") > 0;
  report.line(bf16 ? State::kOk : State::kNone, "bf16 instructions",
              bf16 ? "--dtype auto means bf16" : "--dtype auto means fp32 on this processor");
}

void look_at_space(Report& report) {
  const double total = std::atof(field("/proc/meminfo", {"MemTotal"}).c_str()) * 1024;
  const double available = std::atof(field("/proc/meminfo", {"MemAvailable"}).c_str()) * 1024;
  report.line(total / kGiB >= kLeastMemory ? State::kOk : State::kMissing, "memory",
              gib(total) + ", " + gib(available) + " available" +
                  (total / kGiB >= kLeastMemory ? "" : "; at least 6 GiB are needed to train"));
  fs::path home;
  try {
    home = kgtrain_home();
  } catch (const Error& error) {
    return report.line(State::kMissing, "disk",
                       std::string(error.what()) + " at " + error.where() + ": " + error.hint());
  }
  if (::access(home.c_str(), W_OK) != 0)
    return report.line(State::kMissing, "disk", home.string() + " cannot be written: point KGTRAIN_HOME elsewhere");
  const double disk = static_cast<double>(free_disk_bytes(home));
  report.line(
      disk / kGiB >= kLeastDisk ? State::kOk : State::kMissing, "disk",
      gib(disk) + " free in " + home.string() +
          (disk / kGiB >= kLeastDisk ? ""
                                     : "; at least 10 GiB are needed: free some, or point KGTRAIN_HOME elsewhere"));
}

void look_at_programs(Report& report) {
  const fs::path folder = program_folder();
  for (const char* name : {"kgtrain", "kgtrain-learner", "kgtrain-generator", "kgtrain-worker", "kgtrain-sandbox"}) {
    const bool found = fs::exists(folder / name);
    report.line(
        found ? State::kOk : State::kMissing, name,
        found ? (folder / name).string() : "not next to kgtrain in " + folder.string() + ": scripts/build.sh makes it");
  }
}

void look_at_libtorch(Report& report) {
  const fs::path learner = program_folder() / "kgtrain-learner";
  if (!fs::exists(learner))
    return report.line(
        State::kMissing, "LibTorch",
        "kgtrain-learner is missing, so this cannot be checked: run scripts/setup.sh and scripts/build.sh");
  // The dynamic loader's own answer, without starting the program.
  std::istringstream lines(answer_of({learner.string()}, {"LD_TRACE_LOADED_OBJECTS=1"}).output);
  for (std::string line; std::getline(lines, line);) {
    const auto arrow = line.find("libtorch_cpu.so => ");
    if (arrow == std::string::npos) continue;
    const std::string path = line.substr(arrow + 19);
    const bool found = path.find("not found") == std::string::npos;
    return report.line(
        found ? State::kOk : State::kMissing, "LibTorch",
        found ? path.substr(0, path.find(" (")) : "not found on the run path of kgtrain-learner: run scripts/setup.sh");
  }
  report.line(State::kMissing, "LibTorch", "kgtrain-learner was built without it: configure with -DKG_WITH_TORCH=ON");
}

void look_at_model(Report& report) {
  fs::path folder;
  try {
    folder = kgtrain_home() / "models" / kDefaultModel;
  } catch (const Error&) {  // already said
    return report.line(State::kMissing, "model", "none: there is no folder for models");
  }
  std::error_code error;
  fs::path file;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".gguf" || entry.path().filename() == "config.json") file = entry.path();
  report.line(file.empty() ? State::kMissing : State::kOk, "model",
              file.empty() ? "no " + std::string(kDefaultModel) + " in " + folder.string() +
                                 ": run scripts/setup.sh, or give --model"
                           : file.string());
}

// Neither is needed: the emulated NPU judges kernels, and the processor trains.
void look_at_devices(Report& report) {
  const auto library = [](const char* name) {
    void* handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) ::dlclose(handle);
    return handle != nullptr;
  };
  const bool cuda_device = fs::exists("/dev/nvidia0"), cuda = library("libcuda.so.1");
  report.line(cuda && cuda_device ? State::kOk : State::kNone, "CUDA",
              cuda && cuda_device ? "driver and device"
              : cuda              ? "driver, but no device"
              : cuda_device       ? "device, but no driver library (libcuda.so.1)"
                                  : "no driver");
  const bool npu_device = fs::exists("/dev/davinci0"), npu = library("libascendcl.so");
  report.line(npu && npu_device ? State::kOk : State::kNone, "Ascend NPU",
              npu && npu_device ? "CANN and device"
              : npu             ? "CANN, but no device"
              : npu_device      ? "device, but no CANN (source its set_env.sh)"
                                : "no CANN; the emulated NPU judges kernels");
}

void look_at_sandbox(Report& report) {
  const fs::path sandbox = program_folder() / "kgtrain-sandbox";
  if (!fs::exists(sandbox)) return;  // already said
  const FinishedChild check = answer_of({sandbox.string(), "check"});
  std::fputs(check.output.c_str(), stdout);
  report.complete = report.complete && check.end.success();
}

void look_at_judge(Report& report) {
  try {
    report.line(State::kOk, "judge version", reward::judge_version());
    for (const reward::JudgePart& part : reward::judge_parts()) report.line(State::kOk, "  " + part.name, part.state);
  } catch (const Error& error) {
    report.line(State::kMissing, "judge version", error.full_message());
  }
}

}  // namespace

int run_doctor(int argc, const char* const* argv) {
  Options options("kgtrain doctor",
                  "Reports what this machine has and lacks; exit status 3 if something needed is missing.");
  if (!options.parse(argc, argv)) return 0;
  Report report;
  look_at_processor(report);
  look_at_space(report);
  look_at_programs(report);
  look_at_libtorch(report);
  look_at_model(report);
  look_at_devices(report);
  look_at_sandbox(report);
  look_at_judge(report);
  return report.complete ? 0 : static_cast<int>(Error::Kind::kEnvironment);
}

}  // namespace kg::cli
