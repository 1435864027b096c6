#include "trainer/run_folder.h"

#include <unistd.h>

#include <fstream>
#include <map>

#include "base/clock.h"
#include "base/host_name.h"

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
      lease_(path_),
      events_(path_),
      began_(epoch_seconds()) {}

void RunFolder::write_config(nlohmann::json config) const {
  // A resumed run keeps its original start.
  config["began"] = began_;
  if (fs::exists(path_ / "config.json"))
    if (const nlohmann::json before =
            nlohmann::json::parse(kg::read_file(path_ / "config.json"), nullptr, /*allow_exceptions=*/false);
        before.is_object() && before.contains("began"))
      config["began"] = before["began"];
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
  fields["host"] = host_name();
  fields["time"] = epoch_seconds();
  write_file_atomically(path_ / "status.json", fields.dump() + "\n");
}

void RunFolder::link_as_latest() const {
  const fs::path runs = kgtrain_home() / "runs";
  fs::create_directories(runs);
  const fs::path link = runs / ("latest-" + command_),
                 temporary = runs / (".latest-" + command_ + std::to_string(::getpid()));
  // A run beside the link is linked relatively, so that $KGTRAIN_HOME can be moved.
  const bool beside = path_.parent_path() == fs::canonical(runs);
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fs::create_directory_symlink(beside ? path_.filename() : path_, temporary);
  fs::rename(temporary, link);
}

}  // namespace kg::trainer
