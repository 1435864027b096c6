#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/descriptor.h"
#include "sandbox/cell/host.h"
#include "sandbox/cell/job_run.h"

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

// Theory of operation. A cell is an isolated place with one waiting process in it (cell_process.h), kept from job to
// job because namespaces cost more than a small kernel.
//
//   this side                                 inside the namespaces
//   Cell ── fork, exec ──► bubblewrap ──────► run_cell(), process 1: nobody, no capabilities
//     │                                         │ fork, for each job
//     ├◄─ control socket (SEQPACKET) ─────────► │      job ─►, JobEnd ◄─
//     │                                         ▼
//     ├── input: memory file, or a pipe ──────► the job's process: limits, system call filter, then the untrusted code
//     ├◄─ output: pipe ──────────────────────── its standard output and error
//     └◄─ result: pipe ──────────────────────── CaseResult, LaunchPlan, HostPlan, or frames of a module
//
// A job travels as one packet over the control socket, with its three descriptors (job.h). run_cell() never reads what
// goes through them: it forks, waits, and reports how the job's process ended. The pipes and the packet are
// independent, so the job is over when its end is reported and both pipes are empty; what its process left behind may
// hold them open and is not waited for.
//
// Who ends whom. The job's process has a processor limit that ends it by a signal. run_cell() is a subreaper: whatever
// the job started comes to it, is killed with the job's process group, and is reported as "leftovers" if it does not
// go. This side ends the whole cell when the time is over, the result too large, the owner gone, or a job did not end
// cleanly: SIGKILL to bubblewrap's session ends process 1 of the namespace, and the kernel everything else in it; the
// control socket closes when the last of them has gone. If this program dies, PR_SET_PDEATHSIG ends bubblewrap and with
// it the cell; run_cell() also ends when its control socket is closed. The next job gets a new cell.
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
