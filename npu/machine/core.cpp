#include "npu/machine/core.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kg::npu {
namespace {

// Whether bytes from the tensor's start are in another buffer than its own.
bool belongs_to_another(const Core& core, const kgnpu::Local& tensor, std::int64_t bytes) {
  const std::int64_t begin = tensor.address, end = begin + bytes;
  for (std::size_t i = 1; i < core.buffers.size(); ++i) {
    const Buffer& other = core.buffers[i];
    if (i == tensor.buffer || other.queue == 0 || other.memory != core.buffers[tensor.buffer].memory) continue;
    if (begin < other.address + other.bytes && other.address < end) return true;
  }
  return false;
}

// A TQueBind's plain EnQue orders the pipes of its own two positions, so a step between them needs its own pair.
bool bound_for_mte3(const Core& core, const LocalMemory::Race& race, int pipe, Memory memory) {
  if (race.pipe != kMte2 || pipe != kV) return false;
  return std::ranges::any_of(core.buffers, [&](const Buffer& buffer) {
    return buffer.queue != 0 && buffer.memory == memory && buffer.state == Buffer::State::kHeld &&
           buffer.filled_by == kMte2 && buffer.filled_for == kMte3 && race.begin < buffer.address + buffer.bytes &&
           buffer.address < race.end;
  });
}

}  // namespace

Instruction Core::issue(int pipe, double occupied, double latency, const char* name, std::uint64_t amount) {
  device->races.settle(*this);
  const Instruction instruction = pipes.issue(pipe, occupied, latency);
  if (device->swapped) device->swapped->begin(*this, instruction.pipe, instruction.number);
  constexpr std::uint64_t kLeast = 64;  // for an instruction that does not say how many
  if (pipe == kV || pipe == kM) device->elements_computed += std::max(amount, kLeast);
  if (device->counts.wanted()) device->counts.instruction(pipe, occupied, line, amount);
  if (device->timeline.wanted()) device->timeline.instruction(number, instruction, occupied, name, line, amount);
  device->trace = (device->trace ^ static_cast<std::uint64_t>(line) << 32 ^ static_cast<std::uint64_t>(pipe) << 56 ^
                   static_cast<std::uint64_t>(occupied * 16)) *
                  0x9E3779B97F4A7C15ULL;
  device->trace ^= device->trace >> 29;
  limit_time(instruction.end);
  return instruction;
}

void Core::limit_time(double time) {
  if (device->cycle_limit <= 0 || time <= device->cycle_limit) return;
  fail(FaultClass::kLimit, "the kernel passed " + std::to_string(static_cast<std::uint64_t>(device->cycle_limit)) +
                               " cycles on the emulated device; it loops for ever or does far too much work");
}

void Core::wait(int pipe, int from, const Clock& flag, const char* name) {
  const double begin = pipes.time(pipe);
  pipes.wait(pipe, flag);
  if (device->counts.wanted()) device->counts.wait(pipe, from, begin, flag.time, line);
  if (device->timeline.wanted()) device->timeline.wait(number, pipe, from, begin, flag.time, name, line);
}

LocalMemory& Core::memory(Memory which) {
  KG_CHECK(which < Memory::kCount);
  if (which == Memory::kUb) {
    if (!ub) {
      ub = std::make_unique<UnifiedBuffer>();
      ub->renew(device->poison);
    }
    return *ub;
  }
  std::unique_ptr<LocalMemory>& made = cube_memories[static_cast<std::size_t>(which)];
  if (!made) {
    made = std::make_unique<LocalMemory>(kind_of(which).bytes);
    made->renew(device->poison);
  }
  return *made;
}

void Core::suspect(const char* call, const std::string& of) {
  if (device->suspects.size() >= Faults::kMostFaults) return;
  for (const Device::Suspect& known : device->suspects)
    if (known.line == line) return;
  device->suspects.push_back({std::string(call) + " reads uninitialised data of " + of, line, index});
}

void check_local(Core& core, const char* call, const char* operand, const kgnpu::Local& tensor, std::int64_t bytes,
                 const Wanted& wanted) {
  const auto who = [&] { return std::string(call) + ": " + operand; };
  if (tensor.buffer == 0 || tensor.buffer >= core.buffers.size())
    core.fail(FaultClass::kMemory, who(),
              " has no memory; get it with AllocTensor, DeQue or TBuf::Get after TPipe::InitBuffer");
  const Buffer& buffer = core.buffers[tensor.buffer];
  const MemoryKind& kind = kind_of(wanted.memory);
  KG_CHECK_GE(buffer.address, 0);
  KG_CHECK_LE(std::int64_t{buffer.address} + buffer.bytes, kind_of(buffer.memory).bytes);
  if (buffer.memory != wanted.memory)
    core.fail(FaultClass::kUb, who(), " is in ", kind_of(buffer.memory).name, ", but the call needs it in ", kind.name,
              "; check the TPosition of its queue or buffer");
  if (!buffer.is_plain && (buffer.state == Buffer::State::kFree || buffer.generation != tensor.generation)) {
    // Until somebody allocates it again the bytes are there; an access that the next one need not wait for is a race.
    const bool somebody_has_it = buffer.generation != tensor.generation;
    core.report(somebody_has_it ? proto::ERROR : proto::WARNING, FaultClass::kQueue, who(),
                " was given back by FreeTensor (line ", buffer.line, "); use it before freeing it, or allocate again");
  }
  if (const std::int64_t alignment = wanted.alignment > 0 ? wanted.alignment : kind.alignment;
      tensor.address % alignment != 0) {
    core.error(FaultClass::kUb, who(), " starts at ", kind.name, " address ", tensor.address,
               ", which is not a multiple of ", alignment, "; make the offset a multiple of ", alignment, " bytes");
    end_kernel();  // the unit raises an exception
  }
  // SetSize and ReinterpretCast make no room.
  const std::int64_t room =
      std::min<std::int64_t>(tensor.bytes, static_cast<std::int64_t>(buffer.address) + buffer.bytes - tensor.address);
  if (bytes > room) {
    const bool harms = belongs_to_another(core, tensor, bytes);
    core.leaves_buffers = true;
    std::string what = who() + " has " + std::to_string(room < 0 ? 0 : room) + " bytes, the call touches " +
                       std::to_string(bytes) + "; make the buffer larger or the count smaller";
    if (harms)
      core.device->faults.doubtful(Faults::Doubt::kForeign, FaultClass::kUb, std::move(what), core.line, core.index);
    else
      core.warning(FaultClass::kUb, std::move(what));
  }
  if (tensor.address < 0 || bytes < 0 || tensor.address + bytes > kind.bytes)
    core.fail(FaultClass::kUb, who(), " reaches beyond the end of ", kind.name, " (address ", tensor.address, ", ",
              bytes, " bytes)");
  if (core.device->foreign)
    core.device->foreign->operand(core, wanted.memory, tensor.address, std::int64_t{buffer.address} + buffer.bytes,
                                  tensor.address + bytes);
}

void touch_local(Core& core, const char* call, const Instruction& instruction, std::int64_t address, std::int64_t bytes,
                 bool writes, Memory memory) {
  if (bytes <= 0) return;
  Device& device = *core.device;
  const auto place = static_cast<int>(memory);
  if (writes && device.swapped)
    device.swapped->writes(core, place, instruction.pipe, instruction.number, address, address + bytes);
  const auto& races = core.memory(memory).touch(core.pipes, instruction, address, bytes, writes, core.line);
  if (races.empty()) return;
  if (!core.swaps) device.races.doubt();
  for (const LocalMemory::Race& race : races)
    device.races.add({.first = {core.key(), race.pipe, race.number, 0, race.wrote},
                      .second = {core.key(), instruction.pipe, instruction.number, 0, writes},
                      .place = place,
                      .begin = static_cast<std::uint64_t>(race.begin),
                      .end = static_cast<std::uint64_t>(race.end),
                      .bytes = {},
                      .defined = {}});
  // What orders two pipes mostly orders the copies of one pipe on both sides of it too.
  const auto other =
      std::find_if(races.begin(), races.end(), [&](const auto& race) { return race.pipe != instruction.pipe; });
  const LocalMemory::Race& race = other != races.end() ? *other : races.front();
  const std::string from = pipe_name(race.pipe), to = pipe_name(instruction.pipe);
  const std::string advice =
      race.pipe == instruction.pipe ? "put PipeBarrier<PIPE_" + from + ">() between them"
      : bound_for_mte3(core, race, instruction.pipe, memory)
          ? "a TQueBind's EnQue() and DeQue() order MTE2 before MTE3 only; write EnQue<TPosition::GM, "
            "TPosition::VECIN> and DeQue of the same positions"
          : "order them with EnQue and DeQue, or SetFlag and WaitFlag<HardEvent::" + from + "_" + to + ">";
  core.race(FaultClass::kSynchronisation, call, " on pipe ", to, (writes ? " writes " : " reads "),
            kind_of(memory).name, " that pipe ", from, " may still ", (race.wrote ? "write" : "read"), " (line ",
            race.line, "); ", advice);
}

}  // namespace kg::npu
