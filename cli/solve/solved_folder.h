#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/solve/search.h"
#include "proto/task.pb.h"

namespace kg::cli {

// A kernel that is kept, and what the judge says of it.
struct Solution {
  std::string kernel;
  proto::SourceLanguage language = proto::DSL;
  proto::Verdict verdict;
  std::string timeline;  // Chrome trace of the first case; empty: it did not run
  reward::CycleReport cycles;
};

// An operator project of the solution, for the shapes of one case.
struct SolvedProject {
  std::string name;  // folder within the solved folder
  int task_case = 0;
  bool judged = false;  // false: for the full size of a scaled case, which no judge runs
};

// What `kgtrain solve` leaves: kernel, projects, page, record, and every answer as it came. docs/guide/solve.md has the
// list.
class SolvedFolder {
 public:
  // Throws Error if the folder holds something already.
  explicit SolvedFolder(const fs::path& path);

  const fs::path& path() const { return path_; }
  // The operator's file beside the kernel, so that the folder is judged without anything else.
  void copy_operator(const fs::path& file);
  // One line of tried.jsonl, written before the next answer is looked at.
  void add(const Tried& tried);
  // Kernel, lowered kernel, projects, verdict, page, and the command that judges it again. `judge_arguments`: of
  // `kgtrain judge` besides --module and --kernel.
  std::vector<SolvedProject> write(const proto::Task& task, const Solution& solution,
                                   const std::vector<std::string>& judge_arguments);

 private:
  void put(const fs::path& name, const std::string& text) const;
  std::vector<SolvedProject> write_projects(const proto::Task& task, const Solution& solution) const;

  fs::path path_;
  std::string operator_file_;
  std::ofstream tried_;
};

}  // namespace kg::cli
