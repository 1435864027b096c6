#include "npu/machine/data_cache.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

constexpr std::uint64_t kLineBytes = DataCache::kLineBytes;
constexpr std::size_t kLines = chip::kCacheBytes / chip::kCacheLineBytes, kWays = chip::kCacheWays;

std::uint64_t line_of(std::uint64_t address) { return address / kLineBytes * kLineBytes; }
// The first line of the set that an address belongs to.
std::size_t set_of(std::uint64_t address) { return address / kLineBytes % (kLines / kWays) * kWays; }
const std::uint8_t* memory(std::uint64_t address) { return reinterpret_cast<const std::uint8_t*>(address); }

}  // namespace

void CacheDirectory::keep(std::uint64_t begin, std::uint64_t end) {
  KG_CHECK_LE(begin, end);
  for (const std::uint64_t line : {line_of(begin), line_of(end - 1)}) {
    if (begin <= line && line + kLineBytes <= end) continue;
    const auto [it, is_new] = before.try_emplace(line);
    if (is_new) std::memcpy(it->second.bytes, memory(line), kLineBytes);
  }
}

DataCache::Line* DataCache::find(std::uint64_t address) {
  if (lines_.empty()) return nullptr;
  Line* const set = lines_.data() + set_of(address);
  Line* const found = std::find_if(set, set + kWays, [&](const Line& one) { return one.address == line_of(address); });
  return found == set + kWays ? nullptr : found;
}

bool DataCache::dirty(std::uint64_t address) const {
  const Line* line = const_cast<DataCache*>(this)->find(address);
  return line != nullptr && (line->dirty >> address % kLineBytes & 1u) != 0;
}

DataCache::Line& DataCache::fetch(Core& core, std::uint64_t address, bool& hit) {
  if (lines_.empty()) lines_.resize(kLines);
  const std::uint64_t line = line_of(address);
  Line* const found = find(address);
  hit = found != nullptr;
  if (hit) {
    found->used = ++uses_;
    return *found;
  }
  Line* const set = lines_.data() + set_of(address);
  Line& slot = *std::min_element(set, set + kWays, [](const Line& a, const Line& b) { return a.used < b.used; });
  write_back(core, slot);
  slot = Line{};
  slot.address = line;
  slot.used = ++uses_;
  std::memcpy(slot.bytes, memory(line), kLineBytes);
  // Data written by another core at the same time has not arrived.
  Device& device = *core.device;
  const auto before = device.caches.before.find(line);
  const GlobalMemory::Allocation* allocation = device.memory.find(line);
  if (before == device.caches.before.end() || allocation == nullptr) return slot;
  const std::uint64_t offset = line - allocation->start();
  allocation->log.writes().visit(offset, offset + kLineBytes, [&](auto begin, auto end, const GlobalAccess& write) {
    if (write.core != core.number && !core.pipes.ordered_across(kS, write.core, write.pipe, write.number))
      std::memcpy(slot.bytes + (begin - offset), before->second.bytes + (begin - offset), end - begin);
    return true;
  });
  return slot;
}

void DataCache::load(Core& core, std::uint64_t address, int bytes, std::uint8_t* to, bool race) {
  bool hit = false;
  const Line& line = fetch(core, address, hit);
  const std::uint64_t at = address % kLineBytes;
  KG_CHECK_EQ(line.address, line_of(address));
  KG_CHECK_LE(at + static_cast<std::uint64_t>(bytes), kLineBytes);
  std::memcpy(to, line.bytes + at, static_cast<std::size_t>(bytes));
  for (int i = 0; hit && !race && i < bytes; ++i) {
    if ((line.dirty >> (at + static_cast<std::uint64_t>(i)) & 1u) != 0 ||
        memory(address)[i] == line.bytes[at + static_cast<std::uint64_t>(i)])
      continue;
    core.error(FaultClass::kCache,
               "GetValue reads an old value: the line has been in the data cache since before global memory was "
               "written; call DataCacheCleanAndInvalid on it before GetValue");
    break;
  }
}

void DataCache::store(Core& core, std::uint64_t address, int bytes, const std::uint8_t* from) {
  bool hit = false;
  Line& line = fetch(core, address, hit);
  const std::uint64_t at = address % kLineBytes;
  KG_CHECK_EQ(line.address, line_of(address));
  KG_CHECK_LE(at + static_cast<std::uint64_t>(bytes), kLineBytes);
  std::memcpy(line.bytes + at, from, static_cast<std::size_t>(bytes));
  if (line.dirty == 0) core.device->caches.dirty.emplace(line.address, &core);
  line.dirty |= ((std::uint64_t{1} << bytes) - 1) << at;
  line.source_line = core.line;
  line.number = core.pipes.issued(kS);
}

void DataCache::write_back(Core& core, Line& line) {
  if (line.address == 0 || line.dirty == 0) return;
  Device& device = *core.device;
  const auto [first, last] = device.caches.dirty.equal_range(line.address);
  const auto entry = std::find_if(first, last, [&](const auto& one) { return one.second == &core; });
  KG_CHECK(entry != last);  // every line that SetValue wrote is in the directory until here
  device.caches.dirty.erase(entry);
  GlobalMemory::Allocation* to = device.memory.find(line.address);
  KG_CHECK(to != nullptr);  // SetValue was held against it
  const int present_line = core.line, atomic_mode = core.atomic_mode;
  core.line = line.source_line;
  core.atomic_mode = 0;
  const std::uint64_t dirty = line.dirty, offset = line.address - to->start();
  line.dirty = 0;  // store_global() looks for dirty lines
  const Instruction instruction = core.issue(kS, 0, 0);
  device.caches.keep(line.address, line.address + 1);
  static constexpr auto kDefined = [] {
    std::array<std::uint8_t, kLineBytes> ones{};
    ones.fill(1);
    return ones;
  }();
  for (std::uint64_t i = 0; i < kLineBytes;) {
    const bool is_dirty = (dirty >> i & 1u) != 0;
    std::uint64_t end = i;
    while (end < kLineBytes && ((dirty >> end & 1u) != 0) == is_dirty) ++end;
    const std::uint8_t* now = memory(line.address);
    if (is_dirty) {
      store_global(core, "GlobalTensor::SetValue", instruction, *to, offset + i, line.bytes + i, kDefined.data(),
                   static_cast<std::int64_t>(end - i));
    } else if (const auto differs = std::mismatch(line.bytes + i, line.bytes + end, now + i);
               differs.first != line.bytes + end) {
      const auto at = static_cast<std::uint64_t>(differs.first - line.bytes);
      std::string who = "something else";
      to->log.writes().visit(offset + at, offset + at + 1, [&](auto, auto, const GlobalAccess& write) {
        who = (write.core == core.number ? "a copy of this core" : "core " + std::to_string(write.core)) + " (line " +
              std::to_string(write.line) + ")";
        return false;
      });
      core.error(FaultClass::kCache, "SetValue undoes what ", who, " wrote to byte ", offset + at, " of ", to->name,
                 ": the data cache writes whole 64-byte lines back; give each core lines of its own, or write with "
                 "DataCopyPad");
      std::memcpy(to->data + offset + i, line.bytes + i, end - i);
    }
    i = end;
  }
  core.line = present_line;
  core.atomic_mode = atomic_mode;
}

void DataCache::clean(Core& core, std::uint64_t address) {
  Line* line = find(address);
  if (line == nullptr) return;
  write_back(core, *line);
  *line = Line{};
}

void DataCache::clean_all(Core& core) {
  for (Line& line : lines_) write_back(core, line);
  lines_.clear();
}

void DataCache::end_of_kernel(Core& core) {
  const int present_line = core.line;
  for (const Line& line : lines_) {
    if (line.dirty == 0) continue;
    core.line = line.source_line;
    core.warning(FaultClass::kCache,
                 "the kernel ends while what SetValue wrote is still in the data cache; call DataCacheCleanAndInvalid "
                 "after SetValue, which writes it to global memory");
  }
  core.line = present_line;
  clean_all(core);
}

void check_caches(Core& core, const char* call, std::uint64_t begin, std::uint64_t end, const std::uint8_t* stored) {
  const auto& dirty = core.device->caches.dirty;
  for (auto it = dirty.lower_bound(line_of(begin)); it != dirty.end() && it->first < end; ++it) {
    Core& owner = *it->second;
    const bool own = &owner == &core;
    if (stored != nullptr && !own) continue;  // reported when the line is written back
    const DataCache::Line* line = owner.cache.find(it->first);
    KG_CHECK(line != nullptr);
    for (std::uint64_t i = 0; i < kLineBytes; ++i) {
      const std::uint64_t address = it->first + i;
      if ((line->dirty >> i & 1u) == 0 || address < begin || address >= end) continue;
      if (line->bytes[i] == (stored != nullptr ? stored[address - begin] : *memory(address))) continue;
      const std::string who = own ? "SetValue" : "SetValue of core " + std::to_string(owner.number);
      core.error(
          FaultClass::kCache, call, (stored != nullptr ? " writes" : " reads"), " bytes that ", who, " in line ",
          line->source_line, " left in the data cache; global memory ",
          (stored != nullptr ? "gets the older value back when the cache writes them" : "still holds the old value"),
          "; call DataCacheCleanAndInvalid after SetValue");
      return;
    }
  }
}

}  // namespace kg::npu
