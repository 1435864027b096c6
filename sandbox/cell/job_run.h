#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sandbox/cell/job.h"

namespace kg::sandbox {

struct JobBounds {
  double seconds = 0;              // wall-clock limit, extended by the time that others had the processors
  std::uint64_t output_bytes = 0;  // limit of the kept output
  std::uint64_t result_bytes = 0;  // limit of the result; a job that writes more is stopped
  int owner = -1;                  // a socket; the job stops when it closes
  // For a job of kind kModule: takes each frame (proto/json_frame.h) that it sends, returns the answer, or
  // nothing. The job's input is the first frame to it. The time this takes does not count as the job's.
  std::function<std::string(std::string&& frame)> converse;
};

struct JobOutcome {
  JobEnd end;
  std::string output;
  bool output_truncated = false;
  std::string result;
  bool timed_out = false;
  bool host_was_busy = false;  // timed out before it got its share of processor time: others had the processors
  bool result_too_large = false;
  bool owner_gone = false;
  std::string cell_lost;  // not empty: the cell itself ended, and why
  double wall_ms = 0;

  std::string starved(const std::string& who) const;  // the message if host_was_busy
};

// Runs one job from the moment it is sent into a cell: feeds it, collects its output and result, and stops when
// it has ended, when a limit is reached, or when its owner goes. The caller ends the cell if the job has not ended
// cleanly.
class JobRun {
 public:
  // `control`: the cell's socket. `cell`: its first process on this side.
  JobRun(const JobBounds& bounds, int control, pid_t cell);
  ~JobRun();

  enum class Stop { kEnded, kBound, kCellLost };
  Stop run(const Job& job, std::string_view input);

  bool ended_cleanly() const;  // the job ended by itself and left nothing behind
  JobOutcome outcome;

 private:
  struct Channels;
  void send(const Job& job, std::string_view input);
  Stop watch();
  bool has_time();
  void take_output();
  bool take_result();
  bool take_end();

  const JobBounds& bounds_;
  int control_;
  pid_t cell_;
  std::unique_ptr<Channels> channels_;
  double begun_, allowed_;
  double others_ = 0;  // seconds spent in the conversation
  bool ended_ = false;
};

}  // namespace kg::sandbox
