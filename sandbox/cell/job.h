#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "npu/launch/device.h"

namespace kg::sandbox {

// One task for a cell (cell.h), done in its own process. It travels as one packet over the cell's control socket,
// with three descriptors: the job's input, its output, and its result.
struct Job {
  // kModule: a command that reads messages from standard input and writes its own to descriptor 3.
  enum class Kind { kCommand, kCompile, kCase, kHost, kHostFunction, kModule };
  Kind kind = Kind::kCommand;

  std::vector<std::string>
      command;         // kCommand, kModule: program and arguments, paths as seen inside the cell; kCompile: clang++'s
  npu::Launch launch;  // kCase, kHost, kHostFunction: the job's input is the serialised RunCase

  std::uint32_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  // limit of the address space
  std::uint64_t data_bytes = 0;    // limit of private writable memory; 0: the same
  std::uint64_t file_bytes = 0;
  std::uint32_t processes = 0;  // limit of processes and threads of a compiler or a module; a case cannot start any
};

// The cell's report on the job's process.
struct JobEnd {
  int wait_status = 0;            // as from wait(2)
  std::int32_t start_error = 0;   // errno if the job could not be started
  std::int32_t system_call = -1;  // number of the forbidden system call that ended it, -1 if none
  std::uint64_t cpu_microseconds = 0;
  std::uint64_t peak_bytes = 0;  // resident memory
  bool leftovers = false;        // a process that it started still runs
};

// Exit statuses that tell the cell's owner why the job's process ended early.
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
