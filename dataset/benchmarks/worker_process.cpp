#include "dataset/benchmarks/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/program_data.h"

extern char** environ;

namespace kg::dataset::benchmarks {
namespace {

constexpr std::size_t kLongestHeader = 64 << 20;
constexpr std::size_t kPart = 4 << 20;

// Runs a program to its end; true if it ended with status 0.
bool run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  if (::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A virtual environment with the pinned packages, named after the pins.
std::string own_python() {
  const fs::path requirements = shared_folder() / "requirements.txt";
  const fs::path folder = kgtrain_home() / "python" / hash128_hex(read_file(requirements)).substr(0, 12);
  const fs::path python = folder / "bin" / "python";
  if (fs::exists(folder / "complete")) return python.string();
  spdlog::info("making a Python environment for the benchmark's own code in {} (once; PyTorch is large)",
               folder.string());
  fs::create_directories(folder.parent_path());
  if (!run({"python3", "-m", "venv", folder.string()}) ||
      !run({python.string(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
            requirements.string()}))
    throw Error("the Python environment for the benchmark's own code could not be made", folder.string(),
                "install python3-venv and python3-dev, check network and disk; or name an interpreter that has the "
                "packages of " +
                    requirements.string() + " with --python",
                Error::Kind::kEnvironment);
  write_file_atomically(folder / "complete", "");
  return python.string();
}

}  // namespace

std::string python_of(const WorkerOptions& options) {
  if (!options.python.empty()) return options.python;
  const char* named = std::getenv("KGTRAIN_PYTHON");
  return named != nullptr && *named != '\0' ? named : own_python();
}

WorkerProcess::WorkerProcess(const Suite& suite, WorkerOptions options) : suite_(suite), options_(std::move(options)) {
  options_.python = python_of(options_);
}

WorkerProcess::~WorkerProcess() { stop(); }

void WorkerProcess::start() {
  if (child_ > 0) return;
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno), "import", "close some files",
                Error::Kind::kEnvironment);
  std::vector<std::string> words{
      options_.python,
      (script_folder(suite_) / "worker.py").string(),
      fs::absolute(options_.checkout).lexically_normal().string(),
      (kgtrain_home() / suite_.name).string(),
      options_.compiler,
      program_data("pytorch", "sandbox/pytorch", "include/pytorch_npu_helper.hpp") / "include"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
  if (options_.quiet) ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int status = ::posix_spawnp(&child_, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(down[0]);
  ::close(up[1]);
  to_child_ = down[1];
  from_child_ = up[0];
  if (status != 0) {
    child_ = -1;
    stop();
    throw Error(std::string("cannot start Python: ") + std::strerror(status), options_.python,
                "name another with --python", Error::Kind::kEnvironment);
  }
}

void WorkerProcess::stop() {
  for (int* end : {&to_child_, &from_child_}) {
    if (*end >= 0) ::close(*end);
    *end = -1;
  }
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

bool WorkerProcess::read_bytes(char* to, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(from_child_, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool WorkerProcess::read_frame(nlohmann::json& header, std::string& bytes, std::uint64_t most_held) {
  std::uint32_t lengths[2] = {};
  if (!read_bytes(reinterpret_cast<char*>(lengths), sizeof lengths)) return false;
  if (lengths[0] > kLongestHeader) return false;
  std::string text(lengths[0], '\0');
  if (!read_bytes(text.data(), text.size())) return false;
  header = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return false;
  std::uint64_t left = header.value("bytes", std::uint64_t{0});
  const bool held = left <= most_held;
  bytes.assign(held ? left : kPart, '\0');
  if (held) return read_bytes(bytes.data(), bytes.size());
  Hash64 hash;
  while (left > 0) {
    const std::size_t part = std::min<std::uint64_t>(left, kPart);
    if (!read_bytes(bytes.data(), part)) return false;
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
  const std::string line = request.dump() + "\n";
  const auto previous = ::signal(SIGPIPE, SIG_IGN);  // a child that is gone is told by what it answers
  const bool written = ::write(to_child_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::signal(SIGPIPE, previous);
  Answer answer;
  std::string bytes;
  // A worker that ends at once may have said why before it took the request.
  while (read_frame(answer.object, bytes, most_held)) {
    if (answer.object.contains("error")) {
      answer.error = answer.object["error"].get<std::string>();
      if (answer.object.value("fatal", false))
        throw Error(
            answer.error, options_.checkout.string(),
            std::string("name the folder of a checkout of ") + suite_.repository + " (with " + suite_.holds + ")");
      return answer;
    }
    if (answer.object.value("done", false)) return answer;
    if (on_tensor) on_tensor(answer.object, std::move(bytes));
  }
  stop();
  answer.error =
      written ? "the benchmark's code ended the interpreter (out of memory, or a crash)" : "the interpreter has ended";
  return answer;
}

}  // namespace kg::dataset::benchmarks
