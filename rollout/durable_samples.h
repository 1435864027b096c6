#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace kg::rollout {

// Which samples of a run the data set holds. Works follow each other and their groups are whole once they are over: so
// runs of works that hold the samples 0 to n - 1 each are one entry, and a run of ten million samples takes no more
// memory than one of a thousand.
class DurableSamples {
 public:
  void add(std::uint64_t work_id, std::uint32_t sample);
  bool contains(std::uint64_t work_id, std::uint32_t sample) const;
  // Of the samples below `samples`.
  std::set<std::uint32_t> of(std::uint64_t work_id, std::uint32_t samples) const;
  // The work is over, for now: its samples become part of a run if they are 0 to n - 1.
  void seal(std::uint64_t work_id);
  void seal_all();
  std::size_t entries() const { return runs_.size() + open_.size(); }

 private:
  struct Run {
    std::uint64_t last = 0;
    std::uint32_t samples = 0;
  };
  using Runs = std::map<std::uint64_t, Run>;  // by first work

  Runs::const_iterator run_of(std::uint64_t work_id) const;
  void unseal(std::uint64_t work_id);

  Runs runs_;
  std::unordered_map<std::uint64_t, std::set<std::uint32_t>> open_;
};

}  // namespace kg::rollout
