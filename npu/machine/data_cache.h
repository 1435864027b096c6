#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "npu/chip.h"

namespace kg::npu {

struct Core;

// The scalar unit's data cache: sets of lines, of which the least lately used gives way, written back by whole lines.
// It sees neither what the copy units do to GM nor the caches of other cores: two cores that share a line undo each
// other's writes, a copy reads what was there before SetValue, GetValue what was there before the copy. A line leaves
// the cache when DataCacheCleanAndInvalid says so, when another line takes its place, and at the end of the kernel.
class DataCache {
 public:
  static constexpr std::uint64_t kLineBytes = chip::kCacheLineBytes;

  bool holds(std::uint64_t address) const { return const_cast<DataCache*>(this)->find(address) != nullptr; }
  // Bytes that lie inside one line.
  void load(Core& core, std::uint64_t address, int bytes, std::uint8_t* to, bool race);
  void store(Core& core, std::uint64_t address, int bytes, const std::uint8_t* from);
  void clean(Core& core, std::uint64_t address);
  void clean_all(Core& core);
  bool dirty(std::uint64_t address) const;  // whether SetValue wrote this byte and it has not left the cache

 private:
  friend void check_caches(Core& core, const char* call, std::uint64_t begin, std::uint64_t end,
                           const std::uint8_t* stored);
  struct Line {
    std::uint64_t address = 0;  // 0: empty
    std::uint64_t dirty = 0;    // a bit for each byte
    std::uint32_t number = 0;   // of the scalar instruction that wrote last
    int source_line = 0;
    std::uint64_t used = 0;  // when
    std::uint8_t bytes[kLineBytes];
  };
  Line* find(std::uint64_t address);
  Line& fetch(Core& core, std::uint64_t address, bool& hit);
  void write_back(Core& core, Line& line);
  std::vector<Line> lines_;  // set by set
  std::uint64_t uses_ = 0;
};

// Lines of which some core holds bytes that GM has not seen yet, and what lines held before writes that nothing orders
// (a core that fetches the line at the same time gets this). By address, for all cores of a launch.
struct CacheDirectory {
  std::multimap<std::uint64_t, Core*> dirty;
  struct Before {
    std::uint8_t bytes[DataCache::kLineBytes];
  };
  std::map<std::uint64_t, Before> before;

  // To be called before bytes of GM change: keeps the lines that the range covers by a part only.
  void keep(std::uint64_t begin, std::uint64_t end);
};

// Reports that a copy meets bytes which SetValue wrote and which are still in a data cache: a copy in (`stored` null)
// reads what was there before; a copy out will be undone.
void check_caches(Core& core, const char* call, std::uint64_t begin, std::uint64_t end, const std::uint8_t* stored);

}  // namespace kg::npu
