#pragma once

#include <cstdint>

#include "base/file.h"

namespace kg::rollout {

// A policy version is one number: lineage x 2^32 + the learner's own count of its versions, 1, 2, 3. The lineage is the
// second in which the run's coordinator was started, and larger than any before in this run: so a learner which is
// killed after it published version 7, and resumes from a checkpoint of version 6, never calls other weights by a
// number that a worker may still hold; and workers and generators that outlive a run take the versions of the next one
// for newer.
inline constexpr int kLineageShift = 32;

inline std::uint64_t version_in(std::uint64_t lineage, std::uint64_t number) {
  return lineage << kLineageShift | number;
}
inline std::uint64_t lineage_of(std::uint64_t version) { return version >> kLineageShift; }
inline std::uint64_t number_of(std::uint64_t version) { return version & ((std::uint64_t{1} << kLineageShift) - 1); }

struct Lineage {
  std::uint64_t number = 0;
  bool first = true;  // of its run
};
// Of the coordinator that starts now; durable before it is returned. RUN/lineage holds the smallest that the next one
// may have.
Lineage begin_lineage(const fs::path& run_folder);

// Lease ids are never used again either: those of a lineage lie above all before.
inline constexpr int kLeaseShift = 32;
inline std::uint64_t first_lease_of(std::uint64_t lineage) { return (lineage << kLeaseShift) + 1; }

}  // namespace kg::rollout
