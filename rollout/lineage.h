#pragma once

#include <cstdint>

#include "base/file.h"

namespace kg::rollout {

// A policy version is one number: lineage x 2^32 + the learner's own count of its versions. The lineage is how often
// the run's coordinator was started before, so that a learner which is killed after it published version 7, and resumes
// from a checkpoint of version 6, never calls other weights by a number that a worker may still hold. An unbroken run
// has lineage 0: its versions are 1, 2, 3. Versions of a later lineage are larger than all of an earlier one.
inline constexpr int kLineageShift = 32;

inline std::uint64_t version_in(std::uint64_t lineage, std::uint64_t number) {
  return lineage << kLineageShift | number;
}
inline std::uint64_t lineage_of(std::uint64_t version) { return version >> kLineageShift; }
inline std::uint64_t number_of(std::uint64_t version) { return version & ((std::uint64_t{1} << kLineageShift) - 1); }

// The lineage of the coordinator that starts now; durable before it is returned. RUN/lineage holds the next one.
std::uint64_t begin_lineage(const fs::path& run_folder);

// Lease ids are never used again either: those of a lineage lie above all before.
inline constexpr int kLeaseShift = 40;
inline std::uint64_t first_lease_of(std::uint64_t lineage) { return (lineage << kLeaseShift) + 1; }

}  // namespace kg::rollout
