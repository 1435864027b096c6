#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/descriptor.h"
#include "sandbox/cell/host.h"
#include "sandbox/cell/job_run.h"

namespace kg::sandbox {

// A folder or file of the host that is visible inside a cell.
struct Mount {
  fs::path host;
  fs::path inside;
  bool writable = false;
};

struct CellSpec {
  std::vector<Mount> mounts;
  std::vector<Mount> links;  // symbolic links: `host` is the link's target text
  fs::path folder = "/";     // working folder, as seen inside
  fs::path program;          // the program whose `run` mode waits inside; empty: this program
};

// Adds the system's libraries: folders as folders, links as links.
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
// independent, so a job is over when its end is reported and both pipes are empty; processes it left behind may
// hold the pipes open and are not waited for.
//
// Who ends whom. The job's process has a processor limit that ends it by a signal. run_cell() is a subreaper: it
// inherits all that the job started, kills it with the job's process group, and reports it as "leftovers" if it does
// not go. This side ends the whole cell if the time is over, the result too large, the owner gone, or a job did not end
// cleanly: SIGKILL to bubblewrap's session ends process 1 of the namespace, and the kernel everything else in it; the
// control socket closes when the last of them is gone. If this program dies, PR_SET_PDEATHSIG ends bubblewrap and with
// it the cell; run_cell() also ends when its control socket is closed. The next job gets a new cell.
class Cell {
 public:
  Cell(Isolation isolation, CellSpec spec);
  ~Cell();
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  void start();       // begins to start the cell, if there is none; does not wait for it
  void wait_ready();  // throws Error with the reason why the host does not let it start
  void stop();        // ends every process in the cell

  // The path inside the cell of a host path that is in a mount.
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

// The best isolation that the host offers, found by starting a cell. Throws Error if that is less than namespaces and
// `allow_less` is false.
Isolation find_isolation(bool allow_less);

}  // namespace kg::sandbox
