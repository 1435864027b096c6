#include "trainer/run_request.h"

#include <cstdio>
#include <ctime>
#include <fstream>

#include "base/error.h"
#include "policy/files/model_io.h"
#include "policy/model/device.h"
#include "trainer/runtime.h"
#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

nlohmann::json recorded_options(const fs::path& run_folder) {
  const auto config =
      nlohmann::json::parse(kg::read_file(run_folder / "config.json"), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !config.contains("options"))
    throw Error("not the configuration of a run", (run_folder / "config.json").string(),
                "start a new run with another --out");
  return config.at("options");
}

}  // namespace

void settle(RunRequest& request, const DeviceOptions& device, const std::string& model) {
  request.threads = set_threads(device.threads);
  request.device = policy::open_device(device.device);
  request.dtype = resolve_dtype(device.dtype, request.device);
  request.model = fs::canonical(policy::find_model(model));  // a link such as latest-sft may lead elsewhere tomorrow
}

nlohmann::json config_of(const RunRequest& request) {
  nlohmann::json options = request.options;
  options.update({{"threads", request.threads},
                  {"dtype", request.dtype},
                  {"data", request.data.string()},
                  {"model", request.model.string()}});
  return {{"command", request.command},
          {"data", request.data.string()},
          {"model", request.model.string()},
          {"run", request.folder.string()},
          {"options", std::move(options)}};
}

int print_dry_run(const nlohmann::json& config) {
  std::printf("%s\n", config.dump(2).c_str());
  return 0;
}

fs::path run_path(const std::string& name, const std::string& command) {
  if (name.find('/') != std::string::npos) return fs::absolute(name);
  if (!name.empty()) return kgtrain_home() / "runs" / name;
  const std::time_t now = std::time(nullptr);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&now));
  return kgtrain_home() / "runs" / (command + "-" + stamp);
}

void refuse_resume(const std::string& name, const fs::path& run_folder, const std::string& command) {
  if (!fs::exists(run_folder / "config.json")) {
    if (name.find('/') == std::string::npos)
      throw Error("there is no run \"" + name + "\" to continue", run_folder.string(),
                  "name a run by --out, or leave out --resume to start one; kgtrain " + command +
                      " --resume alone takes the newest that did not finish");
    return;
  }
  const auto config =
      nlohmann::json::parse(kg::read_file(run_folder / "config.json"), nullptr, /*allow_exceptions=*/false);
  if (config.is_object() && config.value("command", command) != command)
    throw Error("the run was made by kgtrain " + config["command"].get<std::string>() + ", not by kgtrain " + command,
                run_folder.string(),
                "continue it with: kgtrain " + config["command"].get<std::string>() + " --resume --out " +
                    (name.empty() ? run_folder.string() : name));
}

fs::path unfinished_run(const std::string& command) {
  const fs::path runs = kgtrain_home() / "runs";
  fs::path newest;
  fs::file_time_type newest_time;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(runs, ignored)) {
    if (entry.is_symlink() || !fs::exists(entry.path() / "config.json")) continue;
    const auto read = [&](const char* file) {
      std::ifstream in(entry.path() / file);
      return nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
    };
    const nlohmann::json config = read("config.json"), status = read("status.json");
    if (!config.is_object() || config.value("command", "") != command) continue;
    if (status.is_object() && status.value("state", "") == "finished") continue;
    const auto time = fs::last_write_time(entry.path() / "config.json");
    if (newest.empty() || time > newest_time) {
      newest = entry.path();
      newest_time = time;
    }
  }
  if (newest.empty())
    throw Error("no " + command + " run that did not finish", runs.string(), "name the run: --resume --out RUN");
  return newest;
}

std::vector<std::string> with_recorded_words(const fs::path& run_folder, const Options& given, int argc,
                                             const char* const* argv) {
  std::vector<std::string> words{argv[0]};
  const nlohmann::json known = given.resolved(), recorded = recorded_options(run_folder);
  for (const auto& [name, value] : recorded.items()) {
    if (name == "resume" || name == "out" || name == "dry-run" || !known.contains(name) || given.given(name)) continue;
    const auto word = [&](const nlohmann::json& one) {
      words.push_back("--" + name + "=" + (one.is_string() ? one.get<std::string>() : one.dump()));
    };
    if (value.is_array())
      for (const auto& one : value) word(one);
    else
      word(value);
  }
  words.insert(words.end(), argv + 1, argv + argc);
  return words;
}

}  // namespace kg::trainer
