#include "npu/machine/races.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "npu/machine/core.h"

namespace kg::npu {
namespace {

constexpr std::size_t kMostRaces = 1 << 16;
constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::uint64_t kMostRemembered = 256 << 20;

int place_of(Memory memory) { return static_cast<int>(memory); }

struct Part {
  std::uint64_t begin, end;
  bool empty() const { return begin >= end; }
};
Part common(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end) {
  return {std::max(begin, other_begin), std::min(end, other_end)};
}

template <typename T>
auto at(std::vector<T>& bytes, std::uint64_t offset) {
  return bytes.begin() + static_cast<std::ptrdiff_t>(offset);
}
template <typename T>
auto at(const std::vector<T>& bytes, std::uint64_t offset) {
  return bytes.begin() + static_cast<std::ptrdiff_t>(offset);
}

bool same(const Race::Side& a, const Race::Side& b) {
  return a.core == b.core && a.pipe == b.pipe && a.number == b.number;
}

}  // namespace

void RaceLog::add(Race race) {
  bytes_ += race.end - race.begin;
  if (races_.size() >= kMostRaces || bytes_ > kMostBytes) complete_ = false;
  if (!complete_) return;
  if (race.second.writes && !race.first.writes)
    (race.place >= 0 ? unsettled_[race.second.core] : unsettled_global_).push_back(races_.size());
  races_.push_back(std::move(race));
}

void RaceLog::settle(Core& core) {
  if (unsettled_.empty()) return;
  const auto mine = unsettled_.find(core.key());
  if (mine == unsettled_.end()) return;
  for (const std::size_t index : mine->second) {
    Race& race = races_[index];
    LocalMemory& memory = core.memory(static_cast<Memory>(race.place));
    race.bytes.assign(memory.data() + race.begin, memory.data() + race.end);
    race.defined.assign(memory.defined() + race.begin, memory.defined() + race.end);
  }
  unsettled_.erase(mine);
}

void RaceLog::wrote_global(const Race::Side& by, int place, const std::uint8_t* data, const std::uint8_t* state) {
  for (const std::size_t index : unsettled_global_) {
    Race& race = races_[index];
    KG_CHECK(same(race.second, by) && race.place == place);
    race.bytes.assign(data + race.begin, data + race.end);
    race.defined.assign(race.bytes.size(), 1);
    if (state == nullptr) continue;
    for (std::uint64_t i = race.begin; i < race.end; ++i)
      race.defined[i - race.begin] = state[i] == static_cast<std::uint8_t>(GlobalMemory::State::kDefined);
  }
  unsettled_global_.clear();
}

SwappedRaces::SwappedRaces(const std::vector<Race>& races) {
  for (const Race& race : races) {
    const bool local = race.place >= 0;
    by_second_[{race.second.core, race.place, race.second.pipe, race.second.number}].push_back(&race);
    if (!race.first.writes)
      by_first_[{race.first.core, race.place, race.first.pipe, local ? race.first.number : race.first.epoch}].push_back(
          &race);
    if (!race.first.writes) continue;
    Raced& raced = raced_[{local ? race.first.core : 0, race.place}];
    raced.begin = std::min(raced.begin, race.begin);
    raced.end = std::max(raced.end, race.end);
  }
}

const std::vector<const Race*>* SwappedRaces::find(const std::map<Key, std::vector<const Race*>>& in,
                                                   const Key& key) const {
  const auto found = in.find(key);
  return found == in.end() ? nullptr : &found->second;
}

// The bytes' content before the earliest write that need not have ended.
template <typename IsOrdered>
void SwappedRaces::make_stale(const Place& place, IsOrdered is_ordered, Bytes& bytes) const {
  const auto raced = raced_.find(place);
  if (raced == raced_.end()) return;
  std::vector<std::uint8_t> done(bytes.data.size(), 0);
  for (const Write& write : raced->second.writes) {
    const Part part = common(bytes.begin, bytes.end, write.before.begin, write.before.end);
    if (part.empty() || is_ordered(write.by)) continue;
    for (std::uint64_t i = part.begin; i < part.end; ++i) {
      if (done[i - bytes.begin]) continue;
      done[i - bytes.begin] = 1;
      bytes.data[i - bytes.begin] = write.before.data[i - write.before.begin];
      bytes.defined[i - bytes.begin] = write.before.defined[i - write.before.begin];
    }
  }
}

void SwappedRaces::remember(Raced& raced, const Race::Side& by, Bytes before) {
  room_ += before.data.size() + sizeof(Write);
  if (room_ > kMostRemembered) gave_up_ = true;
  if (!gave_up_) raced.writes.push_back({by, std::move(before)});
}

void SwappedRaces::begin(Core& core, int pipe, std::uint32_t number) {
  Current& current = current_[core.key()];
  if (current.pipe == pipe && current.number == number) return;
  settle(core);
  current.pipe = pipe;
  current.number = number;
  const Race::Side by{core.key(), pipe, number, 0, false};
  for (int memory = 0; memory < place_of(Memory::kCount); ++memory) begin_in(core, memory, by, current);
}

void SwappedRaces::begin_in(Core& core, int memory, const Race::Side& by, Current& current) {
  const Key key{by.core, memory, by.pipe, by.number};
  const auto* second = find(by_second_, key);
  const auto* first = find(by_first_, key);
  if (second == nullptr && first == nullptr) return;
  LocalMemory& local = core.memory(static_cast<Memory>(memory));
  const auto now = [&](std::uint64_t begin, std::uint64_t end) {
    return Bytes{memory,
                 begin,
                 end,
                 {local.data() + begin, local.data() + end},
                 {local.defined() + begin, local.defined() + end}};
  };
  const auto show = [&](const Bytes& bytes) {
    current.shown.push_back(now(bytes.begin, bytes.end));
    std::copy(bytes.data.begin(), bytes.data.end(), local.data() + bytes.begin);
    std::copy(bytes.defined.begin(), bytes.defined.end(), local.defined() + bytes.begin);
  };
  // Lost writes first: what is put back is not what is only shown to the instruction.
  if (second != nullptr)
    for (const Race* race : *second)
      if (race->first.writes && race->second.writes)
        for (const Write& write : raced_.at({by.core, memory}).writes)
          if (const Part part = common(race->begin, race->end, write.before.begin, write.before.end);
              same(write.by, race->first) && !part.empty())
            current.lost.push_back(now(part.begin, part.end));
  if (second != nullptr)
    for (const Race* race : *second) {
      if (!race->first.writes || race->second.writes) continue;
      Bytes stale = now(race->begin, race->end);
      const auto is_ordered = [&](const Race::Side& write) {
        return write.pipe == kS || same(write, by) || core.pipes.ordered(by.pipe, write.pipe, write.number);
      };
      make_stale({by.core, memory}, is_ordered, stale);
      show(stale);
    }
  if (first != nullptr)
    for (const Race* race : *first)
      if (!race->bytes.empty()) show({memory, race->begin, race->end, race->bytes, race->defined});
}

void SwappedRaces::settle(Core& core) {
  Current& current = current_[core.key()];
  for (auto shown = current.shown.rbegin(); shown != current.shown.rend(); ++shown) {
    LocalMemory& local = core.memory(static_cast<Memory>(shown->place));
    std::vector<std::uint8_t> written(shown->data.size(), 0);
    for (const auto& [place, begin, end] : current.written)
      if (const Part part = common(shown->begin, shown->end, begin, end); place == shown->place && !part.empty())
        std::fill(at(written, part.begin - shown->begin), at(written, part.end - shown->begin), std::uint8_t{1});
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i]) continue;
      local.data()[shown->begin + i] = shown->data[i];
      local.defined()[shown->begin + i] = shown->defined[i];
    }
  }
  for (const Bytes& lost : current.lost) {
    LocalMemory& local = core.memory(static_cast<Memory>(lost.place));
    std::copy(lost.data.begin(), lost.data.end(), local.data() + lost.begin);
    std::copy(lost.defined.begin(), lost.defined.end(), local.defined() + lost.begin);
  }
  current = {};
}

void SwappedRaces::writes(Core& core, int memory, int pipe, std::uint32_t number, std::int64_t begin,
                          std::int64_t end) {
  Current& current = current_[core.key()];
  const auto first = static_cast<std::uint64_t>(begin), last = static_cast<std::uint64_t>(end);
  if (!current.shown.empty()) current.written.emplace_back(memory, first, last);
  const auto raced = raced_.find({core.key(), memory});
  if (raced == raced_.end()) return;
  const Part part = common(first, last, raced->second.begin, raced->second.end);
  if (part.empty()) return;
  LocalMemory& local = core.memory(static_cast<Memory>(memory));
  Bytes before{memory,
               part.begin,
               part.end,
               {local.data() + part.begin, local.data() + part.end},
               {local.defined() + part.begin, local.defined() + part.end}};
  // Without what is only shown.
  for (auto shown = current.shown.rbegin(); shown != current.shown.rend(); ++shown) {
    const Part under = common(part.begin, part.end, shown->begin, shown->end);
    if (shown->place != memory || under.empty()) continue;
    std::copy(at(shown->data, under.begin - shown->begin), at(shown->data, under.end - shown->begin),
              at(before.data, under.begin - part.begin));
    std::copy(at(shown->defined, under.begin - shown->begin), at(shown->defined, under.end - shown->begin),
              at(before.defined, under.begin - part.begin));
  }
  remember(raced->second, {core.key(), pipe, number, 0, true}, std::move(before));
}

void SwappedRaces::read_global(Core& core, const Race::Side& reader, int place, std::uint64_t begin, std::uint8_t* data,
                               std::uint8_t* defined, std::uint64_t bytes) {
  const auto put = [&](const Bytes& source, const Part& part) {
    std::copy(at(source.data, part.begin - source.begin), at(source.data, part.end - source.begin),
              data + (part.begin - begin));
    std::copy(at(source.defined, part.begin - source.begin), at(source.defined, part.end - source.begin),
              defined + (part.begin - begin));
  };
  if (const auto* second = find(by_second_, {reader.core, place, reader.pipe, reader.number}))
    for (const Race* race : *second) {
      const Part part = common(race->begin, race->end, begin, begin + bytes);
      if (part.empty() || race->second.writes) continue;
      const std::uint64_t from = part.begin - begin, to = part.end - begin;
      Bytes stale{place, part.begin, part.end, {data + from, data + to}, {defined + from, defined + to}};
      const auto is_ordered = [&](const Race::Side& write) {
        if (same(write, reader)) return true;
        if (write.core == reader.core)
          return write.pipe == kS || core.pipes.ordered(reader.pipe, write.pipe, write.number);
        return core.pipes.ordered_across(reader.pipe, Core::number_of(write.core), write.pipe, write.number);
      };
      make_stale({0, place}, is_ordered, stale);
      put(stale, part);
    }
  if (const auto* first = find(by_first_, {reader.core, place, reader.pipe, reader.epoch}))
    for (const Race* race : *first)
      if (const Part part = common(race->begin, race->end, begin, begin + bytes); !part.empty())
        put({place, race->begin, race->end, race->bytes, race->defined}, part);
}

void SwappedRaces::before_store(Core& core, const Race::Side& writer, int place, std::uint64_t begin, std::uint64_t end,
                                const std::uint8_t* data, const std::uint8_t* state) {
  kept_.erase({core.key(), place});
  const auto raced = raced_.find({0, place});
  if (raced == raced_.end()) return;
  const Part part = common(begin, end, raced->second.begin, raced->second.end);
  if (part.empty()) return;
  Bytes before{place, part.begin, part.end, {data + part.begin, data + part.end}, {}};
  if (state != nullptr)
    before.defined.assign(state + part.begin, state + part.end);
  else
    before.defined.assign(before.data.size(), static_cast<std::uint8_t>(GlobalMemory::State::kDefined));
  kept_[{core.key(), place}] = before;
  // A reader only asks whether they are defined.
  for (std::uint8_t& one : before.defined) one = one == static_cast<std::uint8_t>(GlobalMemory::State::kDefined);
  remember(raced->second, writer, std::move(before));
}

void SwappedRaces::after_store(const Race::Side& writer, int place, std::uint64_t begin, std::uint64_t end,
                               std::uint8_t* data, std::uint8_t* state) {
  const auto* second = find(by_second_, {writer.core, place, writer.pipe, writer.number});
  const auto kept = kept_.find({writer.core, place});
  if (second == nullptr || kept == kept_.end()) return;
  const Bytes& before = kept->second;
  for (const Race* race : *second) {
    if (!race->first.writes || !race->second.writes) continue;
    const Part mine = common(race->begin, race->end, begin, end);
    const Part part = common(mine.begin, mine.end, before.begin, before.end);
    if (part.empty()) continue;
    std::copy(at(before.data, part.begin - before.begin), at(before.data, part.end - before.begin), data + part.begin);
    if (state != nullptr)
      std::copy(at(before.defined, part.begin - before.begin), at(before.defined, part.end - before.begin),
                state + part.begin);
  }
}

}  // namespace kg::npu
