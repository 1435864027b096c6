#include "dataset/benchmarks/worker_process.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/program_data.h"
#include "proto/json_frame.h"

namespace kg::dataset::benchmarks {
namespace {

constexpr std::size_t kPart = 4 << 20;

// The interpreter that python_environment.sh prints; empty if it failed.
std::string environment(std::vector<std::string> options) {
  options.insert(options.begin(), (shared_folder() / "python_environment.sh").string());
  auto [end, output] =
      run_child({.words = std::move(options), .input = ChildCommand::kNothing, .output = ChildCommand::kPipe});
  if (!end.success()) return {};
  output.erase(output.find_last_not_of('\n') + 1);
  return output;
}

// The interpreter if the environment is there. What is there stays, so the script is not asked again; judging asks
// often.
std::string python_that_is_there() {
  static std::mutex mutex;
  static std::map<fs::path, std::string> known;  // by kgtrain's home
  const std::lock_guard lock(mutex);
  std::string& python = known[kgtrain_home()];
  if (python.empty()) python = environment({"--where"});
  return python;
}

// A virtual environment with the pinned packages.
std::string own_python() {
  if (const std::string there = python_that_is_there(); !there.empty()) return there;
  spdlog::info("making a Python environment with PyTorch in {} (once; it is large)",
               (kgtrain_home() / "python").string());
  const std::string made = environment({});
  if (made.empty())
    throw Error("the Python environment with PyTorch could not be made", (kgtrain_home() / "python").string(),
                "install python3-venv and python3-dev, check network and disk; or name an interpreter that has the "
                "packages of " +
                    (shared_folder() / "requirements.txt").string() + " with --python",
                Error::Kind::kEnvironment);
  return made;
}

}  // namespace

std::string python_of(const WorkerOptions& options) {
  if (!options.python.empty()) return options.python;
  const char* named = std::getenv("KGTRAIN_PYTHON");
  return named != nullptr && *named != '\0' ? named : own_python();
}

bool python_is_there(const WorkerOptions& options) {
  const char* named = std::getenv("KGTRAIN_PYTHON");
  return !options.python.empty() || (named != nullptr && *named != '\0') || !python_that_is_there().empty();
}

WorkerProcess::WorkerProcess(const Suite& suite, WorkerOptions options) : suite_(suite), options_(std::move(options)) {
  options_.python = python_of(options_);
}

std::vector<std::string> WorkerProcess::words() const {
  const std::string checkout = fs::absolute(options_.checkout).lexically_normal().string();
  if (options_.cell)
    return {(program_folder() / "kgtrain-sandbox").string(),
            "worker",
            "--python",
            options_.python,
            "--scripts",
            shared_folder().string(),
            "--script",
            std::string(suite_.name) + "/confined.py",
            "--file",
            checkout,
            "--seconds",
            std::to_string(options_.cell->seconds),
            "--memory-bytes",
            std::to_string(options_.cell->memory_bytes)};
  return {options_.python,
          (script_folder(suite_) / "worker.py").string(),
          checkout,
          (kgtrain_home() / suite_.name).string(),
          options_.compiler,
          (program_data("pytorch", "sandbox/pytorch", "include/pytorch_npu_helper.hpp") / "include").string()};
}

void WorkerProcess::start() {
  if (child_.started()) return;
  const char* path = std::getenv("PYTHONPATH");
  child_ = ChildProcess(
      {.words = words(),
       .environment = {"PYTHONPATH=" + proto::json_frame_folder() + (path != nullptr ? std::string(":") + path : "")},
       .input = ChildCommand::kPipe,
       .output = ChildCommand::kPipe,
       .errors = options_.quiet ? ChildCommand::kNothing : STDERR_FILENO,
       .hint = "name another one with --python"});
}

bool WorkerProcess::read_answer(nlohmann::json& header, std::string& bytes, std::uint64_t most_held) {
  const int pipe = child_.output().number();
  std::optional<proto::JsonFrameFront> front;
  try {
    front = proto::read_json_frame_front(pipe);
  } catch (const Error& error) {
    spdlog::error("{}: {}", suite_.name, error.full_message());
  }
  if (!front) return false;
  header = std::move(front->header);
  header["bytes"] = front->payload;
  const bool held = front->payload <= most_held;
  bytes.assign(held ? front->payload : kPart, '\0');
  if (held) return read_fully(pipe, bytes.data(), bytes.size()) == bytes.size();
  Hash64 hash;
  for (std::uint64_t left = front->payload; left > 0;) {
    const std::size_t part = std::min<std::uint64_t>(left, kPart);
    if (read_fully(pipe, bytes.data(), part) < part) return false;
    hash.add({bytes.data(), part});
    left -= part;
  }
  bytes.clear();
  header["hash"] = hash.value();
  return true;
}

WorkerProcess::Answer WorkerProcess::ask(const nlohmann::json& request, const OnTensor& on_tensor,
                                         std::uint64_t most_held) {
  start();
  const bool written = send_fully(child_.input().number(), proto::encode_json_frame(request));
  Answer answer;
  std::string bytes;
  // A worker that ends at once may have said why before it took the request.
  while (read_answer(answer.object, bytes, most_held)) {
    if (answer.object.contains("error")) {
      answer.error = answer.object["error"].get<std::string>();
      if (options_.cell && answer.object.value("host", false))
        throw Error(answer.error, "sandbox", "kgtrain doctor shows what this machine lacks", Error::Kind::kEnvironment);
      if (answer.object.value("fatal", false))
        throw Error(
            answer.error, options_.checkout,
            std::string("name the folder of a checkout of ") + suite_.repository + " (with " + suite_.holds + ")");
      return answer;
    }
    if (answer.object.value("done", false)) return answer;
    if (on_tensor) on_tensor(answer.object, std::move(bytes));
  }
  child_.kill();
  answer.error =
      written ? "the benchmark's code ended the interpreter (out of memory, or a crash)" : "the interpreter has ended";
  return answer;
}

}  // namespace kg::dataset::benchmarks
