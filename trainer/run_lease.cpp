#include "trainer/run_lease.h"

#include <signal.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"

namespace kg::trainer {
namespace {

struct Holder {
  std::string host, job, token;
  int pid = 0;
  std::uint64_t lineage = 0, beat = 0;
  bool released = false;
  std::string text() const {
    return "process " + std::to_string(pid) + " on " + host + (job.empty() ? "" : ", Slurm job " + job);
  }
};

// Nothing if there is no readable lease: the file is always replaced as a whole, so anything else is not a lease.
std::optional<Holder> read_holder(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  } catch (const Error&) {  // removed in the meantime
    return std::nullopt;
  }
  if (!json.is_object()) return std::nullopt;
  return Holder{.host = json.value("host", ""),
                .job = json.value("job", ""),
                .token = json.value("token", ""),
                .pid = json.value("pid", 0),
                .lineage = json.value("lineage", std::uint64_t{0}),
                .beat = json.value("beat", std::uint64_t{0}),
                .released = json.value("released", false)};
}

bool is_shared_file_system(const fs::path& folder) {
  static const std::set<std::uint64_t> kShared{0x6969,     0xFF534D42, 0xFE534D42, 0x517B,     0x0BD00BD0,
                                               0x47504653, 0x65735546, 0x00C36400, 0x19830326, 0x01021997};
  // NFS, CIFS, SMB2, SMB, Lustre, GPFS, FUSE, Ceph, BeeGFS, 9P
  struct statfs info{};
  return ::statfs(folder.c_str(), &info) == 0 && kShared.contains(static_cast<std::uint32_t>(info.f_type));
}

enum class JobLife { kLives, kGone, kUnknown };

JobLife ask_slurm(const std::string& job) {
  const bool is_job = !job.empty() && std::all_of(job.begin(), job.end(),
                                                  [](unsigned char c) { return std::isdigit(c) != 0 || c == '_'; });
  if (!is_job) return JobLife::kUnknown;
  try {
    const FinishedChild done = run_child({.words = {"squeue", "--noheader", "--jobs", job, "--format", "%T"},
                                          .input = ChildCommand::kNothing,
                                          .output = ChildCommand::kPipe,
                                          .errors = ChildCommand::kSameAsOutput});
    if (!done.end.success())
      return done.output.find("Invalid job id") != std::string::npos ? JobLife::kGone : JobLife::kUnknown;
    for (const char* state : {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT"})
      if (done.output.find(state) != std::string::npos) return JobLife::kLives;
    return JobLife::kGone;
  } catch (const Error&) {  // no squeue here
    return JobLife::kUnknown;
  }
}

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Whether the holder still increases its beat, as far as can be seen.
bool beats(const fs::path& file, const Holder& holder, double patience) {
  const double deadline = monotonic_seconds() + patience;
  while (monotonic_seconds() < deadline) {
    wait(std::min(0.5, patience / 10));
    const auto now = read_holder(file);
    if (!now || now->released) return false;
    if (now->token != holder.token || now->beat != holder.beat) return true;
  }
  return false;
}

[[noreturn]] void refuse(const Holder& holder, const fs::path& file) {
  throw Error("another learner has the run: " + holder.text(), file.string(),
              "wait for it, end it, or use another --out");
}

}  // namespace

RunLease::RunLease(const fs::path& run_folder, RunLeaseOptions options)
    : file_(run_folder / "lease.json"), options_(std::move(options)) {
  if (options_.host.empty()) options_.host = host_name();
  if (const char* job = std::getenv("SLURM_JOB_ID"); options_.job.empty() && job != nullptr) options_.job = job;
  if (options_.settle_seconds < 0) options_.settle_seconds = is_shared_file_system(run_folder) ? 2 : 0;
  std::random_device random;
  token_ = std::to_string(random()) + "-" + std::to_string(random()) + "-" + std::to_string(::getpid());
  take();
  thread_ = std::thread([this] { keep(); });
}

RunLease::~RunLease() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  std::error_code ignored;
  if (other_holder().empty()) fs::remove(file_, ignored);
}

void RunLease::take() {
  if (const auto holder = read_holder(file_); holder && !holder->released) {
    lineage_ = holder->lineage + 1;
    // Within a host, the run folder's lock has already shown that nobody is there, and a job that Slurm restarts has
    // ended before. If its earlier self is still running somewhere, it will notice this file.
    const bool gone = holder->host == options_.host || (!holder->job.empty() && holder->job == options_.job);
    const JobLife life = gone ? JobLife::kGone : ask_slurm(holder->job);
    if (life == JobLife::kLives) refuse(*holder, file_);
    if (life == JobLife::kUnknown && beats(file_, *holder, options_.patience_seconds))
      refuse(read_holder(file_).value_or(*holder), file_);
    if (holder->host != options_.host) spdlog::warn("the run belonged to {}, which is gone", holder->text());
  }
  write(0);
  if (options_.settle_seconds > 0) wait(options_.settle_seconds);
  if (!other_holder().empty()) refuse(read_holder(file_).value_or(Holder{}), file_);
}

void RunLease::write(std::uint64_t beat) const {
  write_file_atomically(file_, nlohmann::json{{"host", options_.host},
                                              {"pid", ::getpid()},
                                              {"job", options_.job},
                                              {"token", token_},
                                              {"lineage", lineage_},
                                              {"beat", beat},
                                              {"time", static_cast<double>(epoch_microseconds()) * 1e-6}}
                                       .dump() +
                                   "\n");
}

std::string RunLease::other_holder() const {
  const auto holder = read_holder(file_);
  return holder && holder->token != token_ ? holder->text() : "";
}

void RunLease::require_held() const {
  if (const std::string other = other_holder(); !other.empty())
    throw Error("another learner has taken over the run: " + other, file_.string(), "this one ends",
                Error::Kind::kFailed);
}

void RunLease::keep() {
  std::unique_lock lock(mutex_);
  for (std::uint64_t beat = 1; !ending_; ++beat) {
    changed_.wait_for(lock, std::chrono::duration<double>(options_.beat_seconds), [&] { return ending_; });
    if (ending_) return;
    if (const std::string other = other_holder(); !other.empty()) {
      if (options_.lost) return options_.lost(other);
      std::fprintf(stderr, "error: another learner has taken over the run: %s\n  at: %s\n  try: this one ends\n",
                   other.c_str(), file_.c_str());
      ::_exit(1);
    }
    try {
      write(beat);
    } catch (const std::exception& error) {  // a full disk: the run reports it in other ways
      spdlog::warn("the run's lease cannot be renewed: {}", error.what());
    }
  }
}

}  // namespace kg::trainer
