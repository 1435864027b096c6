#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

// Slurm through its own commands: sbatch, squeue, scancel, sinfo. Slurm alone decides where and when a job runs.
namespace kg::cli {

// Submits a script with additional sbatch words before it; returns the job's id. Throws Error with the cause.
std::string sbatch(const fs::path& script, const std::vector<std::string>& words);

// The meaning of a refusal by sbatch and what to do about it; `said` is what it printed.
Error sbatch_error(const std::string& said, const fs::path& script);

// The states of a job's members in Slurm's words ("RUNNING", "PENDING"); none if Slurm no longer knows it.
std::vector<std::string> job_states(const std::string& job);

// One line for each member that Slurm still knows: "17_0 PENDING (Resources)"; none without Slurm.
std::vector<std::string> describe_job(const std::string& job);

// A job, or one member "JOB_INDEX" or several members "JOB_[2-3]" of an array job.
void cancel_job(const std::string& job);

// Throws Error with the existing partitions if this one does not exist. If that cannot be asked, sbatch decides.
void require_partition(const std::string& partition);

bool has_slurm();  // sbatch is in $PATH

}  // namespace kg::cli
