#include "sandbox/cell.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/json_frame.h"
#include "sandbox/bubblewrap.h"
#include "sandbox/limits.h"

namespace kg::sandbox {
namespace {

constexpr double kStartSeconds = 30;  // a loaded host is slow, a broken one says so at once
constexpr std::size_t kChunk = 256 << 10;

// The job, below bubblewrap and the cell's first process.
pid_t last_descendant(pid_t process) {
  for (pid_t child = process; child > 0;) {
    process = child;
    child = 0;
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
    for (pid_t one; children >> one;) child = one;
  }
  return process;
}

double processor_seconds(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  constexpr int kUserTime = 12;  // after the name, which may hold anything
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < kUserTime - 1; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Error cannot(const std::string& what) {
  return Error(what + ": " + std::strerror(errno), "sandbox", "free memory, processes or descriptors on this host",
               Error::Kind::kEnvironment);
}

struct Pipe {
  Descriptor out, in;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw cannot("cannot make a pipe");
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
    ::fcntl(out.number(), F_SETFL, O_NONBLOCK);
    ::fcntl(out.number(), F_SETPIPE_SZ,
            1 << 20);  // fewer wake-ups; refused where the user has many pipes, which is no harm
  }
};

// Frames to and from a job (proto/json_frame.h).
class FrameExchange {
 public:
  FrameExchange(const JobBounds& bounds, std::string_view first) : bounds_(bounds), waiting_(first) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw cannot("cannot make a pipe");
    theirs = Descriptor(ends[0]);
    ours = Descriptor(ends[1]);
    ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  }

  int wants_to_write() const { return done_ < waiting_.size() ? ours.number() : -1; }

  void write_some() {
    const ssize_t n = ::write(ours.number(), waiting_.data() + done_, waiting_.size() - done_);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    done_ = n < 0 ? waiting_.size() : done_ + static_cast<std::size_t>(n);  // a job that has gone reads no more
    if (done_ < waiting_.size()) return;
    waiting_.clear();
    done_ = 0;
  }

  // Answers the whole frames at the front of `received`, and takes them away. Gives false for one that is too large.
  bool answer(std::string& received) {
    std::size_t at = 0;
    while (const auto size = proto::json_frame_size(std::string_view(received).substr(at))) {
      if (*size > bounds_.result_bytes) return false;
      if (received.size() - at < *size) break;
      waiting_ += bounds_.converse(received.substr(at, *size));
      at += *size;
    }
    received.erase(0, at);
    return true;
  }

  Descriptor theirs;

 private:
  const JobBounds& bounds_;
  Descriptor ours;
  std::string waiting_;
  std::size_t done_ = 0;
};

Descriptor memory_file(std::string_view bytes) {
  Descriptor file(::memfd_create("case", MFD_CLOEXEC));
  if (!file.open()) throw cannot("cannot make a memory file");
  if (!write_fully(file.number(), bytes)) throw cannot("cannot fill a memory file");
  return file;
}

// Reads a chunk of what is there. Gives false at the end of the stream.
template <typename Sink>
bool drain(const Descriptor& pipe, const Sink& sink) {
  static thread_local std::vector<char> buffer(kChunk);
  for (;;) {
    const ssize_t n = ::read(pipe.number(), buffer.data(), buffer.size());
    if (n > 0) {
      sink(buffer.data(), static_cast<std::size_t>(n));
      return true;  // the deadline is looked at between chunks
    }
    if (n == 0) return false;
    if (errno == EINTR) continue;
    return errno == EAGAIN;
  }
}

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
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw cannot("cannot make a socket");
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
      count == 0 ? "no sign of life in " + std::to_string(static_cast<int>(kStartSeconds)) + " s" : last_words();
  stop();
  throw Error("a cell for untrusted code does not start: " + why, "sandbox", "run kgtrain doctor",
              Error::Kind::kEnvironment);
}

std::string Cell::last_words() {
  // The process is ending; wait until its log does.
  CappedText text(4096);
  pollfd waiting{process_.output().number(), POLLIN, 0};
  while (::poll(&waiting, 1, 1000) > 0 &&
         drain(process_.output(), [&](const char* data, std::size_t size) { text.append(data, size); })) {
  }
  std::string words = text.text();
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "it ended without a word" : words;
}

std::string JobOutcome::starved(const std::string& who) const {
  return who + " got too little processor time before " + fmt::format("{:.0f}", wall_ms / 1000) +
         " s were over; run fewer workers on this host";
}

void Cell::stop() {
  if (!process_.started()) return;
  // Of a namespace, this ends bubblewrap, with it the first process inside, and with that every other.
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
  Pipe output, result;
  CappedText text(bounds.output_bytes);
  JobOutcome outcome;
  std::optional<FrameExchange> conversation;
  if (bounds.converse) {
    conversation.emplace(bounds, input);
    send_job(control_.number(), job, conversation->theirs.number(), output.in.number(), result.in.number());
    conversation->theirs.close();
  } else {
    const Descriptor bytes = memory_file(input);
    send_job(control_.number(), job, bytes.number(), output.in.number(), result.in.number());
  }
  output.in.close();
  result.in.close();

  bool ended = false, over = false;
  double allowed = wall_seconds(bounds.seconds), others = 0;  // seconds that the conversation took
  pollfd waiting[] = {{output.out.number(), POLLIN, 0},
                      {result.out.number(), POLLIN, 0},
                      {control_.number(), POLLIN, 0},
                      {bounds.owner, POLLRDHUP, 0},
                      {-1, POLLOUT, 0}};
  // Over when the job has ended and both pipes are empty; a process left behind may hold them open, so the job's end
  // counts.
  while (!over) {
    const double left = begun + allowed + others - monotonic_seconds();
    if (left <= 0 && !ended) {
      const double by_now = wall_seconds(bounds.seconds);  // others may have come meanwhile
      if (begun + by_now + others > monotonic_seconds()) {
        allowed = by_now;
        continue;
      }
      outcome.timed_out = true;
      // One that slept would not have ended on an idle host either, nor one that had its time and is deaf to the
      // signal.
      const double used = processor_seconds(last_descendant(process_.pid()));
      outcome.host_was_busy = allowed > bounds.seconds && used > bounds.seconds / 10 && used < bounds.seconds;
      break;
    }
    if (conversation) waiting[4].fd = conversation->wants_to_write();
    const int count = ::poll(waiting, 5, ended ? 0 : static_cast<int>(left * 1000) + 1);
    if (count < 0 && errno != EINTR) throw cannot("cannot wait for a job");
    if (count < 0) continue;
    if (count == 0 && ended) break;
    if (waiting[3].revents != 0) {
      outcome.owner_gone = true;
      break;
    }
    if (waiting[0].revents != 0 &&
        !drain(output.out, [&](const char* data, std::size_t size) { text.append(data, size); }))
      waiting[0].fd = -1;
    if (waiting[1].revents != 0 &&
        !drain(result.out, [&](const char* data, std::size_t size) { outcome.result.append(data, size); }))
      waiting[1].fd = -1;
    if (conversation) {
      if (waiting[4].fd >= 0 && waiting[4].revents != 0) conversation->write_some();
      const double asked = monotonic_seconds();
      outcome.result_too_large = !conversation->answer(outcome.result);
      others += monotonic_seconds() - asked;
      if (outcome.result_too_large) break;
    }
    if (!conversation && outcome.result.size() > bounds.result_bytes) {
      outcome.result_too_large = true;
      break;
    }
    if (waiting[2].revents != 0) {
      if (::recv(control_.number(), &outcome.end, sizeof(outcome.end), 0) != sizeof(outcome.end)) {
        outcome.cell_lost = last_words();
        break;
      }
      ended = true;
      waiting[2].fd = -1;
    }
    over = ended && waiting[0].fd < 0 && waiting[1].fd < 0;
  }
  outcome.output = text.text();
  outcome.output_truncated = text.truncated();
  const bool clean =
      ended && WIFEXITED(outcome.end.wait_status) && !outcome.end.leftovers && outcome.end.system_call < 0;
  if (!clean) stop();
  outcome.wall_ms = (monotonic_seconds() - begun) * 1000;
  spdlog::debug("{}: {:.1f} ms, of which processor {:.1f} ms, peak memory {} MiB",
                job.kind == Job::Kind::kCommand ? job.command.front() : "case", outcome.wall_ms,
                static_cast<double>(outcome.end.cpu_microseconds) / 1000, outcome.end.peak_bytes >> 20);
  return outcome;
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
