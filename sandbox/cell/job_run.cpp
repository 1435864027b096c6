#include "sandbox/cell/job_run.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "proto/json_frame.h"
#include "sandbox/cell/capped_text.h"
#include "sandbox/cell/host.h"
#include "sandbox/cell/limits.h"
#include "sandbox/cell/processor_time.h"

namespace kg::sandbox {
namespace {

constexpr std::size_t kChunk = 256 << 10;

Descriptor memory_file(std::string_view bytes) {
  Descriptor file(::memfd_create("case", MFD_CLOEXEC));
  if (!file.open()) throw host_lacks("cannot make a memory file");
  if (!write_fully(file.number(), bytes)) throw host_lacks("cannot fill a memory file");
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

std::string JobOutcome::starved(const std::string& who) const {
  return who + " got too little processor time before " + fmt::format("{:.0f}", wall_ms / 1000) +
         " s were over; run fewer workers on this host";
}

// This side's part of a running job.
struct JobRun::Channels {
  struct Pipe {
    Descriptor out, in;
    Pipe() {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) throw host_lacks("cannot make a pipe");
      out = Descriptor(ends[0]);
      in = Descriptor(ends[1]);
      ::fcntl(out.number(), F_SETFL, O_NONBLOCK);
      ::fcntl(out.number(), F_SETPIPE_SZ,
              1 << 20);  // fewer wake-ups; may be refused if the user has many pipes, which is harmless
    }
  };

  // Frames to and from a job (proto/json_frame.h).
  class FrameExchange {
   public:
    FrameExchange(const JobBounds& bounds, std::string_view first) : bounds_(bounds), waiting_(first) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) throw host_lacks("cannot make a pipe");
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

    // Answers the complete frames at the front of `received`, and removes them. False if one is too large.
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

  explicit Channels(const JobBounds& bounds) : text(bounds.output_bytes) {}

  Pipe output, result;
  CappedText text;
  std::optional<FrameExchange> frames;
  enum { kOutput, kResult, kControl, kOwner, kInput, kCount };
  pollfd waiting[kCount];
};

JobRun::JobRun(const JobBounds& bounds, int control, pid_t cell)
    : bounds_(bounds),
      control_(control),
      cell_(cell),
      channels_(std::make_unique<Channels>(bounds)),
      begun_(monotonic_seconds()),
      allowed_(wall_seconds(bounds.seconds)) {}

JobRun::~JobRun() = default;

JobRun::Stop JobRun::run(const Job& job, std::string_view input) {
  send(job, input);
  const Stop stop = watch();
  outcome.output = channels_->text.text();
  outcome.output_truncated = channels_->text.truncated();
  return stop;
}

void JobRun::send(const Job& job, std::string_view input) {
  Channels& at = *channels_;
  if (bounds_.converse) {
    at.frames.emplace(bounds_, input);
    send_job(control_, job, at.frames->theirs.number(), at.output.in.number(), at.result.in.number());
    at.frames->theirs.close();
  } else {
    const Descriptor bytes = memory_file(input);
    send_job(control_, job, bytes.number(), at.output.in.number(), at.result.in.number());
  }
  at.output.in.close();
  at.result.in.close();
  pollfd* const waiting = at.waiting;
  waiting[Channels::kOutput] = {at.output.out.number(), POLLIN, 0};
  waiting[Channels::kResult] = {at.result.out.number(), POLLIN, 0};
  waiting[Channels::kControl] = {control_, POLLIN, 0};
  waiting[Channels::kOwner] = {bounds_.owner, POLLRDHUP, 0};
  waiting[Channels::kInput] = {-1, POLLOUT, 0};
}

JobRun::Stop JobRun::watch() {
  Channels& at = *channels_;
  pollfd* const waiting = at.waiting;
  // The job is over when its process has ended and both pipes are empty; a process left behind may hold them open, so
  // then its end counts.
  while (!ended_ || waiting[Channels::kOutput].fd >= 0 || waiting[Channels::kResult].fd >= 0) {
    const bool late = !ended_ && !has_time();
    const double left = begun_ + allowed_ + others_ - monotonic_seconds();
    if (at.frames) waiting[Channels::kInput].fd = at.frames->wants_to_write();
    const int count = ::poll(waiting, Channels::kCount, ended_ || late ? 0 : static_cast<int>(left * 1000) + 1);
    if (count < 0 && errno != EINTR) throw host_lacks("cannot wait for a job");
    if (count < 0) continue;
    if (count == 0 && ended_) break;
    if (waiting[Channels::kOwner].revents != 0) {
      outcome.owner_gone = true;
      return Stop::kBound;
    }
    take_output();
    if (!take_result()) return Stop::kBound;
    if (!take_end()) return Stop::kCellLost;
    if (late && !ended_) return Stop::kBound;
  }
  if (ended_) outcome.timed_out = outcome.host_was_busy = false;  // it came to its end before this side looked
  return Stop::kEnded;
}

// False when the job's time is over.
bool JobRun::has_time() {
  if (begun_ + allowed_ + others_ > monotonic_seconds()) return true;
  // Time that other processes took in between does not count, up to a limit.
  const double most = kMostStretch * bounds_.seconds;
  const std::vector<pid_t> chain = chain_of_children(cell_);
  const pid_t job = chain.back();
  const double denied = denied_seconds(job), used = processor_seconds(job), missing = bounds_.seconds - used;
  double allowed = std::max(wall_seconds(bounds_.seconds), bounds_.seconds + denied);
  // A wait that has not ended is not in `denied`, nor is that of the processes that start it and reap it. While
  // one of them is not asleep, the job still needs at least the missing time.
  const bool waits = missing > 0 && std::any_of(chain.begin(), chain.end(), runnable);
  if (waits) allowed = std::max(allowed, monotonic_seconds() - begun_ - others_ + missing);
  allowed_ = std::max(allowed_, std::min(allowed, most));
  if (begun_ + allowed_ + others_ > monotonic_seconds()) return true;
  outcome.timed_out = true;
  // One that slept would not have ended on an idle host either, nor one that had its time and is deaf to the signal.
  const bool kept_from_it = denied > 0 ? waits || bounds_.seconds + denied > most
                                       : allowed_ > bounds_.seconds && used > bounds_.seconds / 10;  // a guess
  outcome.host_was_busy = missing > 0 && kept_from_it;
  return false;
}

void JobRun::take_output() {
  Channels& at = *channels_;
  pollfd& waiting = at.waiting[Channels::kOutput];
  if (waiting.revents != 0 &&
      !drain(at.output.out, [&](const char* data, std::size_t size) { at.text.append(data, size); }))
    waiting.fd = -1;
}

// False for a result that is too large.
bool JobRun::take_result() {
  Channels& at = *channels_;
  pollfd& waiting = at.waiting[Channels::kResult];
  if (waiting.revents != 0 &&
      !drain(at.result.out, [&](const char* data, std::size_t size) { outcome.result.append(data, size); }))
    waiting.fd = -1;
  if (at.frames) {
    if (at.waiting[Channels::kInput].fd >= 0 && at.waiting[Channels::kInput].revents != 0) at.frames->write_some();
    const double asked = monotonic_seconds();
    outcome.result_too_large = !at.frames->answer(outcome.result);
    others_ += monotonic_seconds() - asked;
  } else {
    outcome.result_too_large = outcome.result.size() > bounds_.result_bytes;
  }
  return !outcome.result_too_large;
}

// False if the cell has gone.
bool JobRun::take_end() {
  pollfd& waiting = channels_->waiting[Channels::kControl];
  if (waiting.revents == 0) return true;
  if (::recv(control_, &outcome.end, sizeof(outcome.end), 0) != sizeof(outcome.end)) return false;
  ended_ = true;
  waiting.fd = -1;
  return true;
}

bool JobRun::ended_cleanly() const {
  return ended_ && WIFEXITED(outcome.end.wait_status) && !outcome.end.leftovers && outcome.end.system_call < 0;
}

}  // namespace kg::sandbox
