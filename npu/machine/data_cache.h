#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "npu/chip.h"

namespace kg::npu {

struct Core;

// The scalar unit's data cache: sets of lines, with least-recently-used replacement, written back by whole lines.
// It sees neither the copy units' accesses to GM nor the caches of other cores: two cores that share a line undo each
// other's writes, a copy reads the content from before SetValue, GetValue that from before the copy. A line leaves
// the cache on DataCacheCleanAndInvalid, when another line replaces it, and at the end of the kernel.
class DataCache {
 public:
  static constexpr std::uint64_t kLineBytes = chip::kCacheLineBytes;

  bool holds(std::uint64_t address) const { return const_cast<DataCache*>(this)->find(address) != nullptr; }
  // Bytes inside one line.
  void load(Core& core, std::uint64_t address, int bytes, std::uint8_t* to, bool race);
  void store(Core& core, std::uint64_t address, int bytes, const std::uint8_t* from);
  void clean(Core& core, std::uint64_t address);
  void clean_all(Core& core);
  void end_of_kernel(Core& core);           // no page says that the cache is written back then
  bool dirty(std::uint64_t address) const;  // whether SetValue wrote this byte and it is still in the cache

 private:
  friend void check_caches(Core& core, const char* call, std::uint64_t begin, std::uint64_t end,
                           const std::uint8_t* stored);
  struct Line {
    std::uint64_t address = 0;  // 0: empty
    std::uint64_t dirty = 0;    // one bit per byte
    std::uint32_t number = 0;   // number of the last scalar instruction that wrote it
    int source_line = 0;
    std::uint64_t used = 0;  // time of the last use
    std::uint8_t bytes[kLineBytes];
  };
  Line* find(std::uint64_t address);
  Line& fetch(Core& core, std::uint64_t address, bool& hit);
  void write_back(Core& core, Line& line);
  std::vector<Line> lines_;  // set by set
  std::uint64_t uses_ = 0;
};

// Lines for which some core holds bytes that GM has not seen yet, and the lines' content before unordered writes
// (which a core gets if it fetches the line at the same time). By address, for all cores of a launch.
struct CacheDirectory {
  std::multimap<std::uint64_t, Core*> dirty;
  struct Before {
    std::uint8_t bytes[DataCache::kLineBytes];
  };
  std::map<std::uint64_t, Before> before;

  // Call it before bytes of GM change: keeps the lines that the range covers only partly.
  void keep(std::uint64_t begin, std::uint64_t end);
};

// Reports that a copy meets bytes written by SetValue that are still in a data cache: a copy in (`stored` null)
// reads the earlier content; a copy out will be undone.
void check_caches(Core& core, const char* call, std::uint64_t begin, std::uint64_t end, const std::uint8_t* stored);

}  // namespace kg::npu
