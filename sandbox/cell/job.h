#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "npu/launch/device.h"

namespace kg::sandbox {

// One thing for a cell (cell.h) to do in a process of its own. It travels as one packet over the cell's control socket,
// with three descriptors: what the job reads, where it prints, where it puts its result.
struct Job {
  // kModule: a command that reads messages from standard input and writes its own to descriptor 3.
  enum class Kind { kCommand, kCompile, kCase, kHost, kHostFunction, kModule };
  Kind kind = Kind::kCommand;

  std::vector<std::string>
      command;         // kCommand, kModule: program and arguments, paths as inside the cell; kCompile: of clang++
  npu::Launch launch;  // kCase, kHost, kHostFunction: the serialised RunCase is what the job reads

  std::uint32_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  // of address space
  std::uint64_t data_bytes = 0;    // of private writable memory; 0: the same
  std::uint64_t file_bytes = 0;
  std::uint32_t processes = 0;  // and threads, of a compiler or a module; a case can make none
};

// What the cell saw of the job's process.
struct JobEnd {
  int wait_status = 0;            // as of wait(2)
  std::int32_t start_error = 0;   // errno if the job could not be started
  std::int32_t system_call = -1;  // number of the forbidden call that ended it, -1 if none
  std::uint64_t cpu_microseconds = 0;
  std::uint64_t peak_bytes = 0;  // resident
  bool leftovers = false;        // a process that it started is still there
};

// Exit statuses by which the job's process tells the cell's owner why it ended early.
inline constexpr int kExitOutOfMemory = 90;
inline constexpr int kExitForbiddenCall = 91;
inline constexpr int kExitNotStarted = 92;

void send_job(int socket, const Job& job, int input, int output, int result);

struct ReceivedJob {
  Job job;
  Descriptor input, output, result;
};
bool receive_job(int socket, ReceivedJob& received);  // false: the owner has closed the socket

}  // namespace kg::sandbox
