#pragma once

// Races: unordered accesses to the same bytes, at least one of them a write.
//
// Theory of operation. The clocks of the pipes show that there is a race, whatever the numbers were (LocalMemory,
// gm_store). Whether it can spoil an output is determined by running the launch again with every pair the other way
// round, the second access as early as the chip could have made it:
//   a read that an earlier write need not have preceded finds the content from before all such writes;
//   a write that an earlier one may follow is lost;
//   a read that a later write may precede finds what that write stores, as the first run has shown.
// RaceLog holds the findings of the first run, SwappedRaces the changes in the second. If the second run takes the same
// course, ends with the same outputs and has no other fault, the pairs are harmless, and their faults become warnings.

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace kg::npu {

struct Core;

struct Race {
  struct Side {
    std::uint32_t core = 0;  // includes the launch
    int pipe = 0;
    std::uint32_t number = 0, epoch = 0;  // Instruction
    bool writes = false;
  };
  Side first, second;  // in program order
  int place = 0;       // a Memory of the core; in GM: place_of_allocation()
  std::uint64_t begin = 0, end = 0;
  std::vector<std::uint8_t> bytes, defined;  // what `second` writes there, if `first` reads
};

constexpr int place_of_allocation(std::size_t index) { return -1 - static_cast<int>(index); }

class RaceLog {
 public:
  const std::vector<Race>& list() const { return races_; }
  // Whether all races are in the list, and can be swapped.
  bool complete() const { return complete_; }
  void add(Race race);
  // Notes an access that cannot be swapped: by the scalar unit's cache, or by the Matmul object.
  void doubt() { complete_ = false; }
  // Notes what the core's last instruction wrote to its memories, or the current one to GM, where an earlier one reads.
  void settle(Core& core);
  void wrote_global(const Race::Side& by, int place, const std::uint8_t* data, const std::uint8_t* state);

 private:
  std::vector<Race> races_;
  std::map<std::uint32_t, std::vector<std::size_t>> unsettled_;  // by core
  std::vector<std::size_t> unsettled_global_;
  std::uint64_t bytes_ = 0;
  bool complete_ = true;
};

class SwappedRaces {
 public:
  explicit SwappedRaces(const std::vector<Race>& races);
  SwappedRaces(const SwappedRaces&) = delete;
  SwappedRaces& operator=(const SwappedRaces&) = delete;
  // Whether more had to be recorded than there is room for.
  bool gave_up() const { return gave_up_; }

  // Call it before an instruction reads or writes local memory: undoes or completes everything of the previous one.
  void begin(Core& core, int pipe, std::uint32_t number);
  void settle(Core& core);
  // Call it before an instruction writes these bytes of a local memory.
  void writes(Core& core, int memory, int pipe, std::uint32_t number, std::int64_t begin, std::int64_t end);

  // Adjusts the bytes that an instruction has read from GM to what it may find there.
  void read_global(Core& core, const Race::Side& reader, int place, std::uint64_t begin, std::uint8_t* data,
                   std::uint8_t* defined, std::uint64_t bytes);
  // Called around a write to GM: records the previous content, and restores it where the write is lost.
  void before_store(Core& core, const Race::Side& writer, int place, std::uint64_t begin, std::uint64_t end,
                    const std::uint8_t* data, const std::uint8_t* state);
  void after_store(const Race::Side& writer, int place, std::uint64_t begin, std::uint64_t end, std::uint8_t* data,
                   std::uint8_t* state);

 private:
  struct Bytes {  // bytes of a memory at some time
    int place = 0;
    std::uint64_t begin = 0, end = 0;
    std::vector<std::uint8_t> data, defined;
  };
  struct Write {
    Race::Side by;
    Bytes before;
  };
  struct Current {  // the instruction that a core is executing
    int pipe = -1;
    std::uint32_t number = 0;
    std::vector<Bytes> shown, lost;  // restored after it, except for what it writes; and restored in any case
    std::vector<std::tuple<int, std::uint64_t, std::uint64_t>> written;
  };
  using Place = std::pair<std::uint32_t, int>;                     // core and memory; in GM: 0 and the allocation
  using Key = std::tuple<std::uint32_t, int, int, std::uint32_t>;  // core, place, pipe, number or epoch
  struct Raced {
    std::uint64_t begin = ~0ULL, end = 0;
    std::vector<Write> writes;  // writes that reach into it
  };

  const std::vector<const Race*>* find(const std::map<Key, std::vector<const Race*>>& in, const Key& key) const;
  template <typename IsOrdered>
  void make_stale(const Place& place, IsOrdered is_ordered, Bytes& bytes) const;
  void remember(Raced& raced, const Race::Side& by, Bytes before);
  void begin_in(Core& core, int memory, const Race::Side& by, Current& current);

  std::map<Place, Raced> raced_;
  std::map<Key, std::vector<const Race*>> by_second_;  // by number
  std::map<Key, std::vector<const Race*>> by_first_;   // by number in local memories, by epoch in GM
  std::map<std::uint32_t, Current> current_;
  std::map<Place, Bytes> kept_;  // between before_store() and after_store()
  std::uint64_t room_ = 0;
  bool gave_up_ = false;
};

}  // namespace kg::npu
