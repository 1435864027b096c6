// The memories of a core as raw pointers see them, what InitBuffer left over, filling GM, dumps and traps.

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/machine/core.h"
#include "npu/machine/gm_store.h"
#include "npu/machine/gm_traffic.h"

namespace kg::npu {
namespace {

// A buffer record over bytes that no queue owns; one for each place.
kgnpu::Local unowned(Core& core, std::int32_t address, std::int32_t bytes,
                     std::uint8_t position = kgnpu::position::kVecCalc) {
  const Memory memory = memory_of(position);
  kgnpu::Local tensor;
  tensor.address = address;
  tensor.bytes = bytes;
  tensor.position = position;
  for (std::size_t i = 1; i < core.buffers.size(); ++i) {
    const Buffer& buffer = core.buffers[i];
    if (buffer.queue == 0 && buffer.is_plain && buffer.memory == memory && buffer.address == address &&
        buffer.bytes == bytes) {
      tensor.buffer = static_cast<std::uint16_t>(i);
      return tensor;
    }
  }
  Buffer buffer;
  buffer.address = address;
  buffer.bytes = bytes;
  buffer.memory = memory;
  buffer.is_plain = true;
  buffer.line = core.line;
  tensor.buffer = static_cast<std::uint16_t>(core.buffers.size());
  core.buffers.push_back(buffer);
  return tensor;
}

void print_value(const std::uint8_t* from, kgnpu::Type type) {
  const double value = element_at(from, type);
  const bool real = type == kgnpu::Type::kFloat || type == kgnpu::Type::kHalf || type == kgnpu::Type::kBfloat16;
  std::printf(real ? "%f" : "%.0f", value);
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_local_at(uint64_t pointer, kgnpu::Local* out, const char* name, int line) {
  kgnpu_matrix_at(kgnpu::position::kVecCalc, pointer, out, name, line);
}

void kgnpu_matrix_at(int position, uint64_t pointer, kgnpu::Local* out, const char* name, int line) {
  Core& self = core_at(line);
  const auto place = static_cast<std::uint8_t>(position);
  const Memory memory = memory_of(place);
  if (memory == Memory::kUb) self.memory(memory);
  const MemoryKind& kind = kind_of(memory);
  if (pointer >= static_cast<std::uint64_t>(kind.bytes))
    self.fail(FaultClass::kMemory, name, ": this pointer does not point into ", kind.name,
              "; take it from LocalTensor::GetPhyAddr");
  const auto address = static_cast<std::int32_t>(pointer);
  for (std::size_t i = self.buffers.size(); i-- > 1;) {
    const Buffer& buffer = self.buffers[i];
    if (buffer.queue == 0 || buffer.memory != memory || address < buffer.address ||
        address >= buffer.address + buffer.bytes)
      continue;
    *out = kgnpu::Local{};
    out->address = address;
    out->bytes = buffer.address + buffer.bytes - address;
    out->buffer = static_cast<std::uint16_t>(i);
    out->generation = buffer.generation;
    out->position = self.queues[buffer.queue].spec.position;
    return;
  }
  const auto bytes = static_cast<std::int32_t>(kind.bytes);
  *out = unowned(self, 0, bytes, place);
  out->address = address;
  out->bytes = bytes - address;
}

void kgnpu_memory_at(int position, uint32_t address, uint32_t bytes, kgnpu::Local* out, int line) {
  Core& self = core_at(line);
  const MemoryKind& kind = kind_of(memory_of(static_cast<std::uint8_t>(position)));
  if (std::int64_t{address} + bytes > kind.bytes)
    self.fail(FaultClass::kUb, "a tensor of ", bytes, " bytes at ", kind.name, " address ", address,
              " passes the end of its ", kind.bytes, " bytes; make the tensors smaller");
  *out = unowned(self, static_cast<std::int32_t>(address), static_cast<std::int32_t>(bytes),
                 static_cast<std::uint8_t>(position));
}

void kgnpu_stack_buffer(kgnpu::Local* out, int line) {
  Core& self = core_at(line);
  self.memory(Memory::kUb);
  const auto used = static_cast<std::int32_t>(self.used[static_cast<std::size_t>(Memory::kUb)]);
  *out = unowned(self, used, static_cast<std::int32_t>(UnifiedBuffer::kUsable) - used);
}

void kgnpu_fill_global(const char* name, uint64_t address, uint64_t count, int bytes, uint64_t bits, int line) {
  Core& self = core_at(line);
  if (count == 0 || self.kind == CoreKind::kCube) return;  // MTE3 of UB: a vector core's
  const std::uint64_t total = count * static_cast<std::uint64_t>(bytes);
  GlobalMemory::Allocation* to = self.device->memory.find(address);
  if (to == nullptr || address + total > to->start() + to->rounded) {
    to = self.device->memory.nearest(address);
    std::string where = " outside global memory";
    if (to != nullptr)
      where = " at byte " + std::to_string(static_cast<std::int64_t>(address - to->start())) + " of " + to->name +
              ", which has " + std::to_string(to->bytes);
    self.fail(FaultClass::kGm, name, " writes out of bounds: ", total, " bytes", where);
  }
  constexpr std::size_t kPiece = 8192;
  std::uint8_t data[kPiece], defined[kPiece];
  for (std::size_t i = 0; i < kPiece; i += static_cast<std::size_t>(bytes))
    std::memcpy(data + i, &bits, static_cast<std::size_t>(bytes));
  std::memset(defined, 1, kPiece);
  self.issue(kV, chip::kVectorStart + kPiece / chip::kRepeatBytes, 0, name);
  self.pipes.wait(kMte3, self.pipes.set(kV));
  for (std::uint64_t done = 0; done < total; done += kPiece) {
    const std::uint64_t size = std::min<std::uint64_t>(kPiece, total - done);
    const auto piece = static_cast<std::int64_t>(size);
    const std::uint64_t offset = address + done - to->start();
    const Instruction instruction =
        issue_move(self, kMte3, name, {.allocation = to, .offset = offset, .bytes = piece, .writes = true});
    store_global(self, name, instruction, *to, offset, data, defined, piece);
  }
  self.pipes.wait(kV, self.pipes.set(kMte3));
}

uint64_t kgnpu_merged_lengths(int list) { return core().special.merged[list & 3]; }
uint64_t kgnpu_gathered() { return core().special.gathered; }

void kgnpu_set_addresses(int reg, const uint64_t* addresses) {
  std::memcpy(core().special.addresses[reg & 7], addresses, sizeof(core().special.addresses[0]));
}
uint64_t kgnpu_address(int reg, int i) { return core().special.addresses[reg & 7][i & 7]; }
void kgnpu_set_pad_value(uint64_t bits) {
  SpecialState& state = core().special;
  state.pad_value = bits;
  state.has_pad_value = true;
}
uint64_t kgnpu_pad_value() { return core().special.pad_value; }

void kgnpu_dump(const kgnpu::Local* tensor, uint64_t address, int type, uint32_t label, uint32_t count,
                const uint32_t* shape, int dimensions, int line) {
  Core& self = core_at(line);
  const auto kind = static_cast<kgnpu::Type>(type);
  const auto size = size_of(kind);
  const std::uint8_t* from = reinterpret_cast<const std::uint8_t*>(address);
  if (tensor != nullptr) {
    check_local(self, "DumpTensor", "the tensor", *tensor, count * size);
    self.pipes.barrier(kAllPipes);
    from = self.ub->data() + tensor->address;
  } else {
    const GlobalMemory::Allocation* allocation = self.device->memory.find(address);
    if (allocation == nullptr ||
        address + count * static_cast<std::uint64_t>(size) > allocation->start() + allocation->rounded) {
      self.error(FaultClass::kGm, "DumpTensor reads out of bounds; dump fewer elements");
      return;
    }
  }
  std::printf("DumpTensor: desc=%u, data_type=%s, position=%s, block=%d, shape=[", label, type_name(kind),
              tensor != nullptr ? "UB" : "GM", self.index);
  if (dimensions == 0) std::printf("%u", count);
  for (int k = 0; k < dimensions; ++k) std::printf(k == 0 ? "%u" : ",%u", shape[k]);
  std::printf("]\n[");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0) std::printf(", ");
    print_value(from + i * size, kind);
  }
  std::printf("]\n");
  std::fflush(stdout);
}

void kgnpu_trap(int line) {
  Core& self = core_at(line);
  self.fail(FaultClass::kTrap, "Trap() was called");
}

}  // extern "C"
