#include "npu/machine/access_log.h"

#include <algorithm>

#include "base/check.h"

namespace kg::npu {

void IntervalMap::assign(std::uint64_t begin, std::uint64_t end, const GlobalAccess& access) {
  if (begin >= end) return;
  auto it = map_.lower_bound(begin);
  if (it != map_.begin()) {
    auto before = std::prev(it);
    if (before->second.end > begin) {  // cut the piece that reaches in
      const Piece piece = before->second;
      before->second.end = begin;
      if (piece.end > end) it = map_.emplace_hint(it, end, piece);
    }
    // A loop of small accesses stays one piece. No event came between them, so nothing can order only some of them.
    if (before->second.end == begin && before->second.access.same_call(access) &&
        (it == map_.end() || it->first >= end)) {
      before->second.end = end;
      before->second.access.number = std::max(before->second.access.number, access.number);
      before->second.access.changed = before->second.access.changed || access.changed;
      return;
    }
  }
  while (it != map_.end() && it->first < end) {
    if (it->second.end > end) {
      const Piece rest = it->second;
      it = map_.erase(it);
      it = map_.emplace_hint(it, end, rest);
      break;
    }
    it = map_.erase(it);
  }
  // Pieces neither overlap nor are empty.
  KG_CHECK(it == map_.end() || it->first >= end);
  KG_CHECK(it == map_.begin() || std::prev(it)->second.end <= begin);
  map_.emplace_hint(it, begin, Piece{end, access});
}

void AccessLog::clear() {
  writes_.clear();
  readers_.clear();
}

void AccessLog::read(std::uint64_t begin, std::uint64_t end, const GlobalAccess& access) {
  KG_CHECK_GE(access.core, 0);
  auto reader = std::find_if(readers_.begin(), readers_.end(), [&](const Reader& r) { return r.core == access.core; });
  if (reader == readers_.end()) {
    readers_.push_back({access.core, begin, end, {}});
    reader = std::prev(readers_.end());
  }
  reader->low = std::min(reader->low, begin);
  reader->high = std::max(reader->high, end);
  reader->map.assign(begin, end, access);
}

}  // namespace kg::npu
