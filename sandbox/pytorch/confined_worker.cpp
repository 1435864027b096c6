#include "sandbox/pytorch/confined_worker.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/utf8.h"
#include "proto/json_frame.h"
#include "sandbox/cell/cell.h"
#include "sandbox/pytorch/python.h"

namespace kg::sandbox {
namespace {

constexpr const char* kWorkerScriptsInside = "/kgtrain/scripts";
constexpr const char* kWorkerFramesInside = "/kgtrain/python";
constexpr const char* kGivenInside = "/kgtrain/given";
constexpr std::uint64_t kMapped = 24ull << 30;  // PyTorch maps gigabytes of libraries
constexpr std::uint64_t kPrinted = 16 << 10;
constexpr std::uint32_t kWorkerThreads = 64;
constexpr int kCores = 2;  // PyTorch's threads (dataset/benchmarks/serving.py)

void tell(const nlohmann::json& header) { write_fully(STDOUT_FILENO, proto::encode_json_frame(header)); }

void refuse(const std::string& what, const std::string& hint) {
  tell({{"refused", what}, {"line", 0}, {"hint", hint}, {"done", true}});
}

std::string first_frame() {
  std::string front(sizeof(std::uint64_t), '\0');
  if (read_fully(STDIN_FILENO, front.data(), front.size()) < front.size()) return {};
  constexpr std::uint64_t kLargest = 64 << 20;
  const std::uint64_t size = *proto::json_frame_size(front);
  if (size > kLargest) return {};
  std::string frame(size, '\0');
  std::memcpy(frame.data(), front.data(), front.size());
  const std::size_t rest = frame.size() - front.size();
  return read_fully(STDIN_FILENO, frame.data() + front.size(), rest) == rest ? frame : std::string();
}

// Passes frames on. The worker is untrusted: a malformed frame, or too much data, ends the conversation.
struct HandOn {
  std::uint64_t left;
  bool ended = false;  // by a last frame, or by a malformed one
  std::string wrong;

  std::string take(std::string&& frame) {
    if (ended) return {};
    try {
      const proto::JsonFrame decoded = proto::decode_json_frame(frame);
      if (frame.size() > left) throw Error("its answer is too large", "", "");
      left -= frame.size();
      ended = decoded.header.contains("error") || decoded.header.contains("done");
      if (decoded.header.contains("error")) {  // only this side may blame the host
        const nlohmann::json& said = decoded.header["error"];
        refuse(said.is_string() ? said.get<std::string>() : "it fails", "look at the module");
        return {};
      }
      write_fully(STDOUT_FILENO, frame);
    } catch (const std::exception& error) {
      wrong = error.what();
      ended = true;
    }
    return {};
  }
};

std::string how_it_ended(const JobOutcome& outcome, const ConfinedWorker& worker) {
  const int status = outcome.end.wait_status;
  if (outcome.timed_out || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
    return fmt::format("it takes longer than {:.0f} s", worker.seconds);
  if (outcome.result_too_large) return "its answer is too large";
  if (WIFSIGNALED(status)) return fmt::format("the interpreter was killed by signal {}", WTERMSIG(status));
  return "the interpreter exited";
}

}  // namespace

int run_confined(const ConfinedWorker& worker) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  const std::string request = first_frame();
  if (request.empty()) return 0;
  try {
    const Python python = find_python(worker.python);
    CellSpec spec = cell_with_python(python);
    spec.mounts.push_back({worker.scripts, kWorkerScriptsInside});
    spec.mounts.push_back({proto::json_frame_folder(), kWorkerFramesInside});
    spec.mounts.push_back({worker.file, fs::path(kGivenInside) / worker.file.filename()});
    // PyTorch asks for a first seed before it is given one, and accepts a refusal: it is the same every time.
    const TemporaryFolder devices("kgtrain-devices");
    const fs::path random = devices.path() / "urandom";
    write_file_atomically(random, std::string(4096, '7'));
    ::chmod(random.c_str(), 0644);
    spec.mounts.push_back({random, "/dev/urandom"});
    Cell cell(find_isolation(/*allow_less=*/false), std::move(spec));
    Job job;
    job.kind = Job::Kind::kModule;
    job.command = {python.program,
                   "-I",
                   "-B",
                   kWorkerScriptsInside + ("/" + worker.script),
                   kWorkerFramesInside,
                   fs::path(kGivenInside) / worker.file.filename()};
    job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(worker.seconds)) * kCores;
    job.memory_bytes = kMapped + worker.memory_bytes;
    job.data_bytes = worker.memory_bytes;
    job.file_bytes = 0;
    job.processes = kWorkerThreads;
    HandOn frames{.left = worker.answer_bytes};
    const JobOutcome outcome =
        cell.run(job, request,
                 {.seconds = worker.seconds,
                  .output_bytes = kPrinted,
                  .result_bytes = worker.answer_bytes,
                  .owner = STDIN_FILENO,
                  .converse = [&](std::string&& frame) { return frames.take(std::move(frame)); }});
    if (outcome.owner_gone) return 0;  // nobody is waiting for the answer
    if (!outcome.output.empty()) ::dprintf(STDERR_FILENO, "%s\n", readable_utf8(outcome.output).c_str());
    if (!outcome.cell_lost.empty()) throw Error("the cell was lost: " + outcome.cell_lost, "sandbox", "");
    if (outcome.end.start_error != 0)
      throw Error(std::string("Python does not start: ") + std::strerror(outcome.end.start_error), python.program, "");
    if (outcome.host_was_busy) throw Error(outcome.starved("the module"), "sandbox", "");
    if (!frames.wrong.empty())
      refuse("its process sent a malformed answer: " + frames.wrong, "look at the module");
    else if (!frames.ended)
      refuse(how_it_ended(outcome, worker), "give smaller sizes, or look at what the module does");
    return 0;
  } catch (const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    tell({{"error", ours != nullptr ? ours->full_message() : error.what()}, {"host", true}});
    return 3;
  }
}

}  // namespace kg::sandbox
