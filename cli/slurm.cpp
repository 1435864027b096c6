#include "cli/slurm.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "base/child_process.h"
#include "base/nearest_name.h"

namespace kg::cli {
namespace {

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

FinishedChild run_slurm(std::vector<std::string> words) {
  if (!on_path(words.front()))
    throw Error("there is no " + words.front() + " on this machine", "PATH",
                "run it on a login node of the cluster; --dry-run writes the scripts without it",
                Error::Kind::kEnvironment);
  ChildCommand command{.words = std::move(words),
                       .input = ChildCommand::kNothing,
                       .output = ChildCommand::kPipe,
                       .errors = ChildCommand::kSameAsOutput};
  return run_child(command);
}

std::vector<std::string> nonempty_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

struct Cause {
  const char* said;  // a part of what sbatch prints
  const char* what;
  const char* hint;
};

// In the words of Slurm's slurm_errno.c, as sbatch 22.05 prints them.
constexpr Cause kCauses[] = {
    {"invalid partition specified", "Slurm has no such partition",
     "sinfo lists the partitions; give one by --partition"},
    {"Invalid partition name", "Slurm has no such partition", "sinfo lists the partitions; give one by --partition"},
    {"No partition specified or system default", "the cluster has no default partition", "give one by --partition"},
    {"Invalid account or account/partition", "the account may not use this partition",
     "sacctmgr show associations user=$USER lists what you may use; give --account or another --partition"},
    {"Invalid qos", "there is no such quality of service, or you may not use it", "give another --qos"},
    {"Job violates accounting/QOS policy", "a quota of the account is full: jobs submitted, size or time",
     "wait until jobs have ended, ask for fewer --nodes or less --time, or use another --account or --qos"},
    {"QOSMaxSubmitJobPerUserLimit", "you have as many jobs in the queue as this quality of service allows",
     "wait until jobs have ended, or give another --qos"},
    {"AssocMaxSubmitJobLimit", "you have as many jobs in the queue as the account allows",
     "wait until jobs have ended, or give another --account"},
    {"Requested time limit is invalid", "the time is more than the partition allows",
     "scontrol show partition says its MaxTime; give less --time: a run that is stopped at its limit continues by "
     "itself"},
    {"Invalid --time specification", "the time is not one that Slurm reads", "--time 2:00:00 or 1-12:00:00"},
    {"Invalid time limit", "the time is not one that Slurm reads", "--time 2:00:00 or 1-12:00:00"},
    {"Requested node configuration is not available", "no node of the partition has what is asked for",
     "sinfo -N -l says what nodes have; ask for fewer --gpus, --cpus or less --memory"},
    {"Node count specification invalid", "the partition has fewer nodes than --nodes or --learners asks for",
     "sinfo shows how many there are"},
    {"More processors requested than permitted", "more processors than a node of the partition has",
     "give fewer --cpus"},
    {"Invalid generic resource", "the cluster has no such GPUs", "sinfo -o %G lists them; --gpus TYPE:COUNT"},
    {"Invalid job array specification", "the array has more members than the cluster allows (MaxArraySize)",
     "ask for fewer --nodes"},
    {"Memory specification can not be satisfied", "no node has that much memory", "give less --memory"},
    {"Unable to contact slurm controller", "Slurm's controller does not answer",
     "try sinfo; ask whoever runs the cluster"},
    {"Could not establish a configuration source", "Slurm is not set up on this machine",
     "run it on a login node of the cluster, or set SLURM_CONF"},
    {"Slurm temporarily unable to accept job", "Slurm's queue is full", "submit again later"},
    {"Disk quota exceeded", "the disk quota is full", "remove old runs; quota -s says what you have"},
};

}  // namespace

bool has_slurm() { return on_path("sbatch"); }

Error sbatch_error(const std::string& said, const fs::path& script) {
  std::string words;
  for (const std::string& line : nonempty_lines_of(said)) words += (words.empty() ? "" : "; ") + line;
  const auto found = std::find_if(std::begin(kCauses), std::end(kCauses),
                                  [&](const Cause& cause) { return said.find(cause.said) != std::string::npos; });
  if (found == std::end(kCauses))
    return Error("sbatch refused the job: " + words, script.string(), "look at the script and at sbatch's message",
                 Error::Kind::kFailed);
  return Error(std::string(found->what) + " (" + words + ")", script.string(), found->hint);
}

std::string sbatch(const fs::path& script, const std::vector<std::string>& words) {
  std::vector<std::string> all{"sbatch", "--parsable"};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back(script.string());
  const FinishedChild done = run_slurm(std::move(all));
  if (!done.end.success()) throw sbatch_error(done.output, script);
  // "ID" or "ID;cluster", perhaps after lines of a site's own.
  for (const std::string& line : nonempty_lines_of(done.output)) {
    const std::string id = line.substr(0, line.find(';'));
    if (!id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      return id;
  }
  throw Error("sbatch did not print a job id: " + done.output, script.string(), "check whether squeue shows it",
              Error::Kind::kFailed);
}

std::vector<std::string> job_states(const std::string& job) {
  const FinishedChild done = run_slurm({"squeue", "--noheader", "--array", "--jobs", job, "--format", "%T"});
  return done.end.success() ? nonempty_lines_of(done.output) : std::vector<std::string>{};
}

std::vector<std::string> describe_job(const std::string& job) {
  if (!on_path("squeue")) return {};
  const FinishedChild done = run_slurm({"squeue", "--noheader", "--jobs", job, "--format", "%i %T %R"});
  return done.end.success() ? nonempty_lines_of(done.output) : std::vector<std::string>{};
}

void cancel_job(const std::string& job) {
  const FinishedChild done = run_slurm({"scancel", job});
  if (!done.end.success())
    throw Error("scancel refused: " + done.output, job, "squeue lists the jobs", Error::Kind::kFailed);
}

void require_partition(const std::string& partition) {
  if (partition.empty() || !on_path("sinfo")) return;
  const FinishedChild done = run_slurm({"sinfo", "--noheader", "--format", "%R"});
  if (!done.end.success()) return;
  std::vector<std::string> known = nonempty_lines_of(done.output);
  std::istringstream wanted(partition);  // one of several, for Slurm to choose from
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  for (std::string one; std::getline(wanted, one, ',');)
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      const std::string near = nearest_name(one, known);
      throw Error("there is no partition \"" + one + "\"", "--partition",
                  near.empty() ? "the cluster has " + list : "did you mean " + near + "? The cluster has " + list);
    }
}

}  // namespace kg::cli
