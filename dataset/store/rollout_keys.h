#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "proto/index.pb.h"

namespace kg::dataset {

// Which samples of which works of one run are stored. Works are numbered consecutively, samples from 0, so nearly all
// are in spans of works with equally many: memory grows with the incomplete works, not with the rollouts.
class RolloutKeySet {
 public:
  bool insert(std::uint64_t work, std::uint32_t sample);  // true if it is new
  void erase(std::uint64_t work, std::uint32_t sample);
  bool contains(std::uint64_t work, std::uint32_t sample) const;

  std::uint64_t size() const { return size_; }
  std::uint64_t largest_work() const;  // 0 if empty
  // The smallest of the last `count` works with a sample; 0 if the set is empty.
  std::uint64_t first_of_last(std::uint64_t count) const;
  // Number of samples of a work below a bound.
  std::set<std::uint32_t> samples(std::uint64_t work, std::uint32_t below) const;
  // Whether a work from `first` to `last` has a sample.
  bool any(std::uint64_t first, std::uint64_t last) const;
  std::size_t pieces() const { return spans_.size() + others_.size(); }  // number of entries, which determines memory

  void insert(const proto::RolloutKeys& keys);
  void write(proto::RolloutKeys& keys) const;  // everything but the name of the run

 private:
  struct Span {
    std::uint64_t last;
    std::uint32_t samples;  // each of its works has 0 to samples - 1
  };
  using Spans = std::map<std::uint64_t, Span>;  // by first work; without overlap, neighbours differ in `samples`

  Spans::const_iterator span_of(std::uint64_t work) const;
  std::uint32_t leading(std::uint64_t work) const;  // number of samples from 0 on without a gap
  void set_leading(std::uint64_t work, std::uint32_t samples);
  void insert_span(std::uint64_t first, std::uint64_t last, std::uint32_t samples);
  void join_neighbours(Spans::iterator span);

  Spans spans_;
  std::map<std::uint64_t, std::set<std::uint32_t>> others_;  // samples after a gap
  std::uint64_t size_ = 0;
};

}  // namespace kg::dataset
