#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace kg::npu {

// The pipes of a core: which instruction is known to have ended before which (vector clocks), and when (cycles).
//
// The scalar unit S issues everything in program order. Each other pipe runs its own instructions in order, at the same
// time as the others, until an event orders them: a flag, a barrier, a queue. An instruction has a number on its pipe;
// a pipe's clock holds, for each pipe, the number up to which instructions are known to have ended. Two accesses to the
// same bytes by different pipes, one of them writing, with neither known to come first, are a race on the device
// even if this program order gives the right numbers.
enum Pipe : int { kS = 0, kV, kM, kMte1, kMte2, kMte3, kAllPipes, kFix, kPipes };

const char* pipe_name(int pipe);
constexpr bool is_pipe(int pipe) { return pipe >= 0 && pipe < kPipes; }

// For each other core, the numbers up to which its instructions are known to have ended; by core.
using Others = std::vector<std::array<std::uint32_t, kPipes>>;

struct Clock {
  std::array<std::uint32_t, kPipes> ended{};
  double time = 0;
  std::shared_ptr<const Others> others;  // null: nothing is known; shared, since many clocks know the same

  void join(const Clock& other);
};

struct Instruction {
  int pipe = kS;
  std::uint32_t number = 0;
  std::uint32_t epoch = 0;  // counts the pipe's events: instructions of one epoch cannot be distinguished
  double start = 0;
  double end = 0;
};

class Pipes {
 public:
  // Issues an instruction that holds its pipe for `occupied` cycles; its results are available `latency` later.
  Instruction issue(int pipe, double occupied, double latency);
  // Whether instruction `number` of `other` has certainly ended before the one being issued on `pipe`. Call it after
  // issue().
  bool ordered(int pipe, int other, std::uint32_t number) const;

  // The same for an instruction of another core: only SyncAll and cross-core flags order these.
  bool ordered_across(int pipe, int core, int other, std::uint32_t number) const;

  Clock set(int from);                   // the clock carried by a flag set by `from`
  Clock publish(int from, int core);     // the same as seen by cores other than `core`, this one; they wait() for it
  void wait(int to, const Clock& flag);  // `to` waits for it
  void barrier(int pipe);                // PipeBarrier; kAllPipes stops everything
  void scalar_meets(int other);          // the dependency that the compiler adds between S and another pipe
  void spend_scalar(double cycles) { clock_[kS].time += cycles; }
  std::uint32_t issued(int pipe) const { return issued_[pipe]; }
  double scalar_time() const { return clock_[kS].time; }
  double time(int pipe) const { return clock_[pipe].time > clock_[kS].time ? clock_[pipe].time : clock_[kS].time; }
  double busy(int pipe) const { return busy_[pipe]; }
  double finish() const;  // when everything issued so far has ended
  void start_at(double time);

 private:
  std::array<Clock, kPipes> clock_{};
  std::array<std::uint32_t, kPipes> issued_{};
  std::array<std::uint32_t, kPipes> epoch_{};
  std::array<double, kPipes> results_{};  // when the results of the last instruction are available
  std::array<double, kPipes> busy_{};
};

}  // namespace kg::npu
