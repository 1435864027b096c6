#include "sandbox/cell/cell.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sandbox/cell/bubblewrap.h"
#include "sandbox/cell/capped_text.h"

namespace kg::sandbox {
namespace {

constexpr double kStartSeconds = 30;  // a loaded host is slow; a broken one fails at once
constexpr std::size_t kLongestWords = 4096;

}  // namespace

void add_system_libraries(CellSpec& spec) {
  for (const char* folder : {"/usr/lib", "/usr/lib32", "/usr/lib64"})
    if (fs::is_directory(folder)) spec.mounts.push_back({folder, folder});
  for (const char* folder : {"/lib", "/lib32", "/lib64"}) {
    if (fs::is_symlink(folder))
      spec.links.push_back({fs::read_symlink(folder), folder});
    else if (fs::is_directory(folder))
      spec.mounts.push_back({folder, folder});
  }
}

Cell::Cell(Isolation isolation, CellSpec spec) : isolation_(isolation), spec_(std::move(spec)) {}

Cell::~Cell() { stop(); }

std::string Cell::path(const fs::path& host) const {
  if (isolation_ == Isolation::kLess) return host.string();
  for (const Mount& mount : spec_.mounts) {
    const auto [rest, unused] = std::mismatch(mount.host.begin(), mount.host.end(), host.begin(), host.end());
    if (rest != mount.host.end()) continue;
    const fs::path tail = host.lexically_relative(mount.host);
    return tail == "." ? mount.inside.string() : (mount.inside / tail).string();
  }
  return host.string();
}

void Cell::start() {
  if (process_.started()) return;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw host_lacks("cannot make a socket");
  control_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  ChildCommand command{.words = cell_command(isolation_, spec_, theirs.number()),
                       .bare_environment = true,
                       .folder = "/",
                       .input = ChildCommand::kNothing,
                       .output = ChildCommand::kPipe,
                       .errors = ChildCommand::kSameAsOutput,
                       .kept = {theirs.number()},
                       .group = ChildCommand::Group::kOwnSession,
                       .dies_with_this_thread = true};
  if (isolation_ == Isolation::kLess)
    for (const Mount& mount : spec_.mounts)
      if (mount.inside == spec_.folder) command.folder = mount.host;
  process_ = ChildProcess(command);
  ready_ = false;
}

void Cell::wait_ready() {
  start();
  if (ready_) return;
  pollfd waiting{control_.number(), POLLIN, 0};
  const double deadline = monotonic_seconds() + kStartSeconds;
  int count = 0;
  while ((count = ::poll(&waiting, 1, static_cast<int>(std::max(0.0, deadline - monotonic_seconds()) * 1000))) < 0 &&
         errno == EINTR) {
  }
  JobEnd hello;
  if (count > 0 && ::recv(control_.number(), &hello, sizeof(hello), 0) == sizeof(hello)) {
    ready_ = true;
    return;
  }
  const std::string why =
      count == 0 ? "no answer within " + std::to_string(static_cast<int>(kStartSeconds)) + " s" : last_words();
  stop();
  throw Error("a cell for untrusted code does not start: " + why, "sandbox", "run kgtrain doctor",
              Error::Kind::kEnvironment);
}

std::string Cell::last_words() {
  // The process is ending; wait until its log does.
  CappedText text(kLongestWords);
  char part[kLongestWords];
  const int log = process_.output().number();
  pollfd waiting{log, POLLIN, 0};
  for (ssize_t got = 0; ::poll(&waiting, 1, 1000) > 0 && (got = ::read(log, part, sizeof(part))) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  std::string words = text.text();
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "it ended without a message" : words;
}

void Cell::stop() {
  if (!process_.started()) return;
  // With namespaces this ends bubblewrap, which ends the first process inside, which ends all others.
  process_.signal_group(SIGKILL);
  process_.kill();
  ready_ = false;
  // The socket closes when the last process that holds it has gone.
  pollfd waiting{control_.number(), POLLIN, 0};
  char rest[sizeof(JobEnd)];
  while (::poll(&waiting, 1, 2000) > 0 && ::recv(control_.number(), rest, sizeof(rest), 0) > 0) {
  }
  control_.close();
}

JobOutcome Cell::run(const Job& job, std::string_view input, const JobBounds& bounds) {
  wait_ready();
  const double begun = monotonic_seconds();
  JobRun run(bounds, control_.number(), process_.pid());
  try {
    if (run.run(job, input) == JobRun::Stop::kCellLost) run.outcome.cell_lost = last_words();
  } catch (...) {  // the cell may still have the job: its end would be taken for that of the next
    stop();
    throw;
  }
  if (!run.ended_cleanly()) stop();
  run.outcome.wall_ms = (monotonic_seconds() - begun) * 1000;
  spdlog::debug("{}: {:.1f} ms, of which processor {:.1f} ms, peak memory {} MiB",
                job.kind == Job::Kind::kCommand ? job.command.front() : "case", run.outcome.wall_ms,
                static_cast<double>(run.outcome.end.cpu_microseconds) / 1000, run.outcome.end.peak_bytes >> 20);
  return std::move(run.outcome);
}

Isolation find_isolation(bool allow_less) {
  std::string why;
  for (const Isolation isolation :
       {::geteuid() == 0 ? Isolation::kNamespaces : Isolation::kUserNamespaces, Isolation::kLess}) {
    if (isolation == Isolation::kLess && !allow_less) break;
    try {
      Cell(isolation, CellSpec{}).wait_ready();
      return isolation;
    } catch (const Error& error) {
      why = error.what();
    }
  }
  throw Error("this host does not let bubblewrap make namespaces (" + why + ")", "sandbox",
              "install bubblewrap and allow user namespaces (in a container: --privileged, or --security-opt "
              "seccomp=unconfined), or accept "
              "less isolation with --allow-less-isolation",
              Error::Kind::kEnvironment);
}

}  // namespace kg::sandbox
