#include "trainer/run_folder.h"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include "base/clock.h"
#include "base/error.h"

namespace kg::trainer {
namespace {

double epoch_seconds() { return static_cast<double>(epoch_microseconds()) * 1e-6; }

fs::path made(const fs::path& folder) {
  fs::create_directories(folder);
  return fs::canonical(folder);
}

}  // namespace

RunFolder::RunFolder(const fs::path& folder, std::string command)
    : path_(made(folder)),
      command_(std::move(command)),
      lock_(path_ / "lock", "the run " + path_.string()),
      events_(path_) {}

void RunFolder::write_config(const nlohmann::json& config) const {
  write_file_durably(path_ / "config.json", config.dump(2) + "\n");
}

nlohmann::json RunFolder::read_config() const { return nlohmann::json::parse(kg::read_file(path_ / "config.json")); }

void RunFolder::append_metrics(nlohmann::json line) {
  std::map<std::string, double> scalars;
  for (const auto& [name, value] : line.items())
    if (value.is_number() && name != "step") scalars[name] = value.get<double>();
  line["time"] = epoch_seconds();
  std::ofstream file(path_ / "metrics.jsonl", std::ios::app);
  file << line.dump() << "\n";
  events_.add(line.value("step", std::int64_t{0}), line["time"].get<double>(), scalars);
}

void RunFolder::drop_metrics_after(std::int64_t step) {
  std::ifstream file(path_ / "metrics.jsonl");
  if (!file) return;
  events_.restart_at(step + 1);
  std::string kept;
  for (std::string line; std::getline(file, line);) {
    const auto parsed =
        nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);  // the last may be torn by a kill
    if (parsed.is_object() && parsed.value("step", std::int64_t{0}) <= step) kept += line + "\n";
  }
  write_file_atomically(path_ / "metrics.jsonl", kept);
}

void RunFolder::write_status(const std::string& state, nlohmann::json fields) const {
  fields["state"] = state;
  fields["command"] = command_;
  fields["pid"] = ::getpid();
  fields["time"] = epoch_seconds();
  write_file_atomically(path_ / "status.json", fields.dump() + "\n");
}

void RunFolder::link_as_latest() const {
  const fs::path runs = kgtrain_home() / "runs";
  fs::create_directories(runs);
  const fs::path link = runs / ("latest-" + command_),
                 temporary = runs / (".latest-" + command_ + std::to_string(::getpid()));
  // A run beside the link is named relatively, so that $KGTRAIN_HOME can be moved.
  const bool beside = path_.parent_path() == fs::canonical(runs);
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fs::create_directory_symlink(beside ? path_.filename() : path_, temporary);
  fs::rename(temporary, link);
}

fs::path run_path(const std::string& name, const std::string& command) {
  if (name.find('/') != std::string::npos) return fs::absolute(name);
  if (!name.empty()) return kgtrain_home() / "runs" / name;
  const std::time_t now = std::time(nullptr);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&now));
  return kgtrain_home() / "runs" / (command + "-" + stamp);
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

nlohmann::json recorded_options(const fs::path& run_folder) {
  const auto config =
      nlohmann::json::parse(kg::read_file(run_folder / "config.json"), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !config.contains("options"))
    throw Error("not the configuration of a run", (run_folder / "config.json").string(),
                "start a new run with another --out");
  return config.at("options");
}

std::vector<std::string> recorded_words(const nlohmann::json& recorded, const Options& given) {
  std::vector<std::string> words;
  const nlohmann::json known = given.resolved();
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
  return words;
}

}  // namespace kg::trainer
