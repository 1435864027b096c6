#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/descriptor.h"
#include "sandbox/capped_text.h"
#include "sandbox/host.h"
#include "sandbox/job.h"

namespace kg::sandbox {

// A folder or file of the host that is seen inside a cell.
struct Mount {
  fs::path host;
  fs::path inside;
  bool writable = false;
};

struct CellSpec {
  std::vector<Mount> mounts;
  std::vector<Mount> links;  // symbolic links: `host` is the target's text
  fs::path folder = "/";     // working folder, as inside
  fs::path program;          // whose `run` mode waits inside; empty: this program
};

// Adds the libraries of the system: folders as they are, links as links.
void add_system_libraries(CellSpec& spec);

struct JobBounds {
  double seconds = 0;              // by the clock wall_seconds() of it
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
  bool host_was_busy = false;  // timed out although it had more than its limit: others had the processors
  bool result_too_large = false;
  bool owner_gone = false;
  std::string cell_lost;  // not empty: the cell ended by itself, and why
  double wall_ms = 0;

  std::string starved(const std::string& who) const;  // what to say where host_was_busy
};

// An isolated place with one waiting process in it (cell_process.h), kept from job to job because namespaces cost more
// than a small kernel. A job that does not end by itself, or leaves processes behind, takes the cell with it; the next
// job gets a new one.
class Cell {
 public:
  Cell(Isolation isolation, CellSpec spec);
  ~Cell();
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  void start();       // begins to make the cell, if there is none; does not wait for it
  void wait_ready();  // throws Error saying why the host does not let it start
  void stop();        // ends every process in it

  // Where a host path that lies in a mount is found by a job.
  std::string path(const fs::path& host) const;

  JobOutcome run(const Job& job, std::string_view input, const JobBounds& bounds);

 private:
  std::vector<std::string> command() const;
  std::string last_words();

  Isolation isolation_;
  CellSpec spec_;
  ChildProcess process_;
  Descriptor control_;
  bool ready_ = false;
};

// The best isolation that the host offers, tried by starting a cell. Throws Error if that is less than namespaces and
// `allow_less` is false.
Isolation find_isolation(bool allow_less);

}  // namespace kg::sandbox
