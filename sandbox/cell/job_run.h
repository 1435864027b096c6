#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sandbox/cell/job.h"

namespace kg::sandbox {

struct JobBounds {
  double seconds = 0;              // by the clock as many more as others kept it from the processors
  std::uint64_t output_bytes = 0;  // of the output kept
  std::uint64_t result_bytes = 0;  // a job that writes more is stopped
  int owner = -1;                  // a socket; its closing stops the job
  // Of a job of kind kModule: takes each frame (proto/json_frame.h) that it sends, gives the one to answer with, or
  // nothing. The job's input is the first frame to it. The time that this takes is not the job's.
  std::function<std::string(std::string&& frame)> converse;
};

struct JobOutcome {
  JobEnd end;
  std::string output;
  bool output_truncated = false;
  std::string result;
  bool timed_out = false;
  bool host_was_busy = false;  // timed out without having had its limit: others had the processors
  bool result_too_large = false;
  bool owner_gone = false;
  std::string cell_lost;  // not empty: the cell ended by itself, and why
  double wall_ms = 0;

  std::string starved(const std::string& who) const;  // what to say where host_was_busy
};

// One job from the moment it is sent into a cell: feeds it, keeps what it prints and answers, and stops watching when
// it has ended, when a bound is reached, or when its owner goes. Whoever calls ends the cell if the job has not ended
// cleanly.
class JobRun {
 public:
  // `control`: the cell's socket. `cell`: its first process on this side.
  JobRun(const JobBounds& bounds, int control, pid_t cell);
  ~JobRun();

  enum class Stop { kEnded, kBound, kCellLost };
  Stop run(const Job& job, std::string_view input);

  bool ended_cleanly() const;  // by itself, leaving nothing behind
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
  double others_ = 0;  // seconds that the conversation took
  bool ended_ = false;
};

}  // namespace kg::sandbox
