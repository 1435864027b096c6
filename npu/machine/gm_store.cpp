#include "npu/machine/gm_store.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "npu/machine/atomics.h"

namespace kg::npu {
namespace {

using State = GlobalMemory::State;

constexpr std::uint64_t kUnit = 32;

GlobalAccess access_of(const Core& core, const Instruction& instruction) {
  GlobalAccess access;
  access.core = core.number;
  access.line = core.line;
  access.number = instruction.number;
  access.epoch = instruction.epoch;
  access.pipe = static_cast<std::uint8_t>(instruction.pipe);
  return access;
}

// Whether the earlier access has certainly ended. The compiler makes S of a vector core wait for the copies it meets.
bool comes_first(Core& core, const Instruction& instruction, const GlobalAccess& earlier) {
  if (earlier.core != core.number)
    return core.pipes.ordered_across(instruction.pipe, earlier.core, earlier.pipe, earlier.number);
  if (earlier.pipe == instruction.pipe && earlier.number == instruction.number) return true;
  if (core.pipes.ordered(instruction.pipe, earlier.pipe, earlier.number)) return true;
  if (instruction.pipe != kS) return earlier.pipe == kS;
  core.pipes.scalar_meets(earlier.pipe);
  return true;
}

Race::Side side_of(const Core& core, const Instruction& instruction, bool writes) {
  return {core.key(), instruction.pipe, instruction.number, instruction.epoch, writes};
}

// A race for the log. The scalar unit's accesses go through its cache and cannot be swapped.
void record(Core& core, const Instruction& instruction, const GlobalMemory::Allocation& allocation, std::uint64_t begin,
            std::uint64_t end, const GlobalAccess& other, bool other_writes, bool writes) {
  RaceLog& log = core.device->races;
  if (!core.swaps || instruction.pipe == kS || other.pipe == kS) return log.doubt();
  const std::uint32_t launch = core.key() & ~0xFFFFu;
  log.add(
      {.first = {launch | static_cast<std::uint32_t>(other.core), other.pipe, other.number, other.epoch, other_writes},
       .second = side_of(core, instruction, writes),
       .place = place_of_allocation(allocation.index),
       .begin = begin,
       .end = end,
       .bytes = {},
       .defined = {}});
}

// The cores of a mixed kernel by their group, as scheduler.cpp names them.
struct Place {
  bool mixed = false, cube = false;
  int group = 0;
  std::string name;
};
Place place_of(const Core& core, int number) {
  const TaskLayout& layout = core.device->cross_core->layout();
  if (layout.cubes == 0 || layout.vectors == 0) return {.name = "core " + std::to_string(number)};
  const int group = number / layout.cores(), lane = number % layout.cores();
  const bool cube = lane < layout.cubes;
  return {true, cube, group,
          message_of(cube ? "the cube core" : message_of("vector core ", lane - layout.cubes), " of group ", group)};
}

// What orders an access of one core before one of another.
std::string order_between(const Place& first, int first_pipe, const Place& second) {
  if (first.group == second.group && first.cube != second.cube)
    return "order them with CrossCoreSetFlag<0x2, PIPE_" + std::string(pipe_name(first_pipe)) + ">(id) on " +
           first.name + " after its access, and CrossCoreWaitFlag(id) on " + second.name + " before its own";
  if (first.cube != second.cube) return "put SyncAll<false> between, which waits for cube and vector cores";
  return "give each core its own range, put SyncAll between, or add with SetAtomicAdd";
}

void report(Core& core, const char* call, const Instruction& instruction, const char* does,
            const GlobalMemory::Allocation& allocation, std::uint64_t at, const GlobalAccess& other,
            const char* other_does) {
  const std::string what =
      std::string(call) + " " + does + " byte " + std::to_string(at) + " of " + allocation.name + " that ";
  if (other.core == core.number) {
    const std::string from = pipe_name(other.pipe), to = pipe_name(instruction.pipe);
    core.race(FaultClass::kSynchronisation, what, "pipe ", from, " may still ", other_does, " (line ", other.line,
              "); ",
              (from == to ? "put PipeBarrier<PIPE_" + from + ">() between them"
                          : "order them with SetFlag and WaitFlag<HardEvent::" + from + "_" + to + ">"));
    return;
  }
  const Place self = place_of(core, core.number), first = place_of(core, other.core);
  std::string before = first.name + " " + other_does + "s (line " + std::to_string(other.line) + ")";
  if (self.mixed)
    before = "pipe " + std::string(pipe_name(other.pipe)) + " of " + before + ", while pipe " +
             pipe_name(instruction.pipe) + " of " + self.name + " may run at the same time";
  core.race(FaultClass::kGm, what, before, (self.mixed ? "; " : " with nothing between that orders them; "),
            order_between(first, other.pipe, self));
}

bool differ(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t bytes) { return std::memcmp(a, b, bytes) != 0; }

void check_store(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& to,
                 std::uint64_t offset, const std::uint8_t* data, std::uint64_t end) {
  const int atomic = core.atomic_mode;
  bool reported = false;
  const auto found = [&](std::uint64_t from, std::uint64_t until, const GlobalAccess& other, bool wrote) {
    if (!reported) report(core, call, instruction, "overwrites", to, from, other, wrote ? "write" : "read");
    reported = true;
    record(core, instruction, to, from, until, other, wrote, /*writes=*/true);
    return core.device->races.complete();  // else one is enough
  };
  to.log.writes().visit(offset, end, [&](std::uint64_t from, std::uint64_t until, const GlobalAccess& write) {
    if (atomic != 0 && write.atomic == atomic) return true;
    if (atomic == 0 && write.atomic == 0 && !differ(to.data + from, data + (from - offset), until - from)) return true;
    if (comes_first(core, instruction, write)) return true;
    return found(from, until, write, true);
  });
  if (reported && !core.device->races.complete()) return;
  to.log.visit_reads(offset, end, [&](std::uint64_t from, std::uint64_t until, const GlobalAccess& read) {
    if (atomic == 0 && !differ(to.data + from, data + (from - offset), until - from)) return true;
    if (comes_first(core, instruction, read)) return true;
    return found(from, until, read, false);
  });
}

void mark_stored(Core& core, const Instruction& instruction, GlobalMemory::Allocation& to, std::uint64_t offset,
                 const std::uint8_t* defined, std::uint64_t bytes) {
  const bool all = std::memchr(defined, 0, bytes) == nullptr;
  if (to.state.empty()) {
    if (all) return;
    to.state = ZeroBytes(to.rounded);  // an input that undefined data are written to
    std::memset(to.state.data(), static_cast<int>(State::kDefined), to.rounded);
  }
  KG_CHECK_EQ(to.state.size(), to.rounded);
  std::uint8_t* state = to.state.data() + offset;
  constexpr auto kDefined = static_cast<std::uint8_t>(State::kDefined);
  constexpr auto kUndefined = static_cast<std::uint8_t>(State::kUndefined);
  if (core.atomic_mode == 0 && all) {
    std::memset(state, kDefined, bytes);
    return;
  }
  bool garbage = false;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    // An atomic operation on something undefined stays undefined.
    const bool known = defined[i] != 0 && (core.atomic_mode == 0 || state[i] == kDefined);
    state[i] = known ? kDefined : kUndefined;
    garbage = garbage || !known;
  }
  if (garbage && to.is_output)
    core.device->garbage.push_back(
        {&to, offset, bytes, core.line, core.index, instruction.pipe, core.atomic_mode != 0});
  else if (garbage && instruction.pipe == kFix && !core.device->detour)
    core.device->detour = {&to, offset, bytes, core.line, core.index};
}

}  // namespace

bool read_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::int64_t bytes) {
  const std::uint64_t end = offset + static_cast<std::uint64_t>(bytes);
  KG_CHECK_GE(bytes, 0);
  KG_CHECK_LE(end, from.rounded);
  if (!core.device->caches.dirty.empty() && instruction.pipe != kS)
    check_caches(core, call, from.start() + offset, from.start() + end, nullptr);
  bool clean = true, reported = false;
  from.log.writes().visit(offset, end, [&](std::uint64_t at, std::uint64_t until, const GlobalAccess& write) {
    if (!write.changed || comes_first(core, instruction, write)) return true;
    clean = false;
    if (write.core != core.number && at + kUnit > end && instruction.pipe != kS) return false;  // padding lanes
    if (!reported) report(core, call, instruction, "reads", from, at, write, "write");
    reported = true;
    record(core, instruction, from, at, until, write, true, /*writes=*/false);
    return core.device->races.complete();
  });
  // Bytes that a copy reads beyond its last whole unit may be padding; whether somebody writes them at the same time
  // does not matter.
  const std::uint64_t certain = instruction.pipe == kS ? end : std::max(offset + 1, end - std::min(end, kUnit - 1));
  from.log.read(offset, certain, access_of(core, instruction));
  return clean;
}

void load_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::uint8_t* data, std::uint8_t* defined, std::int64_t bytes) {
  const bool clean = read_global(core, call, instruction, from, offset, bytes);
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(data, from.data + offset, size);
  if (from.state.empty()) {
    std::memset(defined, 1, size);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      defined[i] = from.state.data()[offset + i] == static_cast<std::uint8_t>(State::kDefined);
    if (auto& detour = core.device->detour; detour && detour->allocation == &from &&
                                            offset < detour->offset + detour->bytes && detour->offset < offset + size)
      detour->read = detour->read || std::memchr(defined, 0, size) != nullptr;
  }
  if (core.device->swapped)
    core.device->swapped->read_global(core, side_of(core, instruction, false), place_of_allocation(from.index), offset,
                                      data, defined, size);
  if (clean) return;
  const std::uint64_t end = offset + size;
  from.log.writes().visit(end > kUnit ? std::max(offset, end - kUnit) : offset, end,
                          [&](std::uint64_t at, std::uint64_t until, const GlobalAccess& write) {
                            if (write.changed && !comes_first(core, instruction, write))
                              std::memset(defined + (at - offset), 0, until - at);
                            return true;
                          });
}

void store_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& to,
                  std::uint64_t offset, const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes);
  KG_CHECK_GE(bytes, 0);
  KG_CHECK_LE(offset + size, to.rounded);
  if (to.is_constant())
    core.fail(FaultClass::kGm, call, " writes a constant of the kernel's code; write to an output or the workspace");
  std::uint8_t* target = to.data + offset;
  if (!core.device->caches.dirty.empty() && instruction.pipe != kS)
    check_caches(core, call, to.start() + offset, to.start() + offset + size, data);
  check_store(core, call, instruction, to, offset, data, offset + size);
  if (core.device->block_dim > 1) core.device->caches.keep(to.start() + offset, to.start() + offset + size);
  const bool changed = core.atomic_mode != 0 || differ(target, data, size);
  const Race::Side writer = side_of(core, instruction, true);
  SwappedRaces* const swapped = core.device->swapped.get();
  if (swapped != nullptr)
    swapped->before_store(core, writer, place_of_allocation(to.index), offset, offset + size, to.data, to.state.data());
  mark_stored(core, instruction, to, offset, defined, size);
  if (core.atomic_mode == 0)
    std::memcpy(target, data, size);
  else
    apply_atomic(core.atomic_mode, core.atomic_type, target, data, size);
  core.device->races.wrote_global(writer, place_of_allocation(to.index), to.data, to.state.data());
  if (swapped != nullptr)
    swapped->after_store(writer, place_of_allocation(to.index), offset, offset + size, to.data, to.state.data());
  GlobalAccess access = access_of(core, instruction);
  access.atomic = static_cast<std::uint8_t>(core.atomic_mode);
  access.changed = changed;
  to.log.wrote(offset, offset + size, access);
}

}  // namespace kg::npu
