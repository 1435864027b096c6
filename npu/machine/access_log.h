#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace kg::npu {

// Who last read and wrote which bytes of a GM allocation, so that unordered accesses are found whatever
// order the cores happen to run in. Byte by byte, as intervals: neighbours may share a unit of 32 bytes.
struct GlobalAccess {
  std::int32_t core = 0;
  std::int32_t line = 0;
  std::uint32_t number = 0;  // number of the instruction on its pipe
  std::uint32_t epoch = 0;   // Instruction::epoch
  std::uint8_t pipe = 0;
  std::uint8_t atomic = 0;  // the atomic mode of a write, 0: none
  bool changed = false;     // a write that changed the content

  bool same_call(const GlobalAccess& other) const {
    return core == other.core && line == other.line && epoch == other.epoch && pipe == other.pipe &&
           atomic == other.atomic;
  }
};

class IntervalMap {
 public:
  bool empty() const { return map_.empty(); }
  void clear() { map_.clear(); }
  // Makes `access` the last one of bytes [begin, end).
  void assign(std::uint64_t begin, std::uint64_t end, const GlobalAccess& access);
  // Calls see(begin, end, access) for each known piece of the range, until it returns false.
  template <typename See>
  void visit(std::uint64_t begin, std::uint64_t end, See see) const {
    auto it = map_.upper_bound(begin);
    if (it != map_.begin()) --it;
    for (; it != map_.end() && it->first < end; ++it) {
      const std::uint64_t from = it->first < begin ? begin : it->first;
      const std::uint64_t to = it->second.end < end ? it->second.end : end;
      if (from < to && !see(from, to, it->second.access)) return;
    }
  }

 private:
  struct Piece {
    std::uint64_t end;
    GlobalAccess access;
  };
  std::map<std::uint64_t, Piece> map_;  // by first byte; pieces do not overlap
};

class AccessLog {
 public:
  void clear();
  void wrote(std::uint64_t begin, std::uint64_t end, const GlobalAccess& access) { writes_.assign(begin, end, access); }
  void read(std::uint64_t begin, std::uint64_t end, const GlobalAccess& access);
  const IntervalMap& writes() const { return writes_; }
  template <typename See>
  void visit_reads(std::uint64_t begin, std::uint64_t end, See see) const {
    for (const Reader& reader : readers_)
      if (begin < reader.high && reader.low < end) reader.map.visit(begin, end, see);
  }

 private:
  struct Reader {  // one for each core that has read the allocation
    std::int32_t core;
    std::uint64_t low, high;
    IntervalMap map;
  };
  IntervalMap writes_;
  std::vector<Reader> readers_;
};

}  // namespace kg::npu
