#include "npu/calls/non_elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "npu/calls/convert.h"
#include "npu/calls/lanes.h"
#include "npu/calls/rate_table.h"
#include "npu/calls/temporary_space.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Type;

template <typename T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
void store(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T>
T saturated(double value) {
  if (value != value) return 0;
  const double nearest = std::nearbyint(value);
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
  return nearest <= kLow    ? std::numeric_limits<T>::min()
         : nearest >= kHigh ? std::numeric_limits<T>::max()
                            : static_cast<T>(nearest);
}

}  // namespace

double element_at(const std::uint8_t* from, Type type) {
  switch (type) {
    case Type::kFloat:
      return load<float>(from);
    case Type::kHalf:
      return half_scalar(load<std::uint16_t>(from));
    case Type::kBfloat16:
      return kgnpu::bfloat16_value(load<std::uint16_t>(from));
    case Type::kInt8:
      return load<std::int8_t>(from);
    case Type::kUint8:
    case Type::kBool:
      return load<std::uint8_t>(from);
    case Type::kInt16:
      return load<std::int16_t>(from);
    case Type::kUint16:
      return load<std::uint16_t>(from);
    case Type::kInt32:
      return load<std::int32_t>(from);
    case Type::kUint32:
      return load<std::uint32_t>(from);
    case Type::kInt64:
      return static_cast<double>(load<std::int64_t>(from));
    case Type::kUint64:
      return static_cast<double>(load<std::uint64_t>(from));
    case Type::kInt4:  // two in a byte: the calls that take them have tables of their own
    case Type::kNone:
      break;
  }
  return 0;
}

void store_element(std::uint8_t* to, Type type, double value) {
  switch (type) {
    case Type::kFloat:
      return store(to, static_cast<float>(value));
    case Type::kHalf:
      return store(to, half_of_double(value));
    case Type::kBfloat16:  // float has more than two bits beyond bfloat16: odd there, then right
      return store(to, kgnpu::bfloat16_bits(float_to_odd(value)));
    case Type::kInt8:
      return store(to, saturated<std::int8_t>(value));
    case Type::kUint8:
    case Type::kBool:
      return store(to, saturated<std::uint8_t>(value));
    case Type::kInt16:
      return store(to, saturated<std::int16_t>(value));
    case Type::kUint16:
      return store(to, saturated<std::uint16_t>(value));
    case Type::kInt32:
      return store(to, saturated<std::int32_t>(value));
    case Type::kUint32:
      return store(to, saturated<std::uint32_t>(value));
    case Type::kInt64:
      return store(to, saturated<std::int64_t>(value));
    case Type::kUint64:
      return store(to, saturated<std::uint64_t>(value));
    case Type::kInt4:
    case Type::kNone:
      return;
  }
}

void SpecialRun::declare(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address,
                         bool is_write) {
  check_local(core, call.name, operand, tensor, bytes, {.alignment = any_address ? 1 : 0});
  ranges_.push_back({&tensor, bytes, operand, any_address, is_write});
}
void SpecialRun::reads(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address) {
  declare(tensor, bytes, operand, any_address, false);
}
void SpecialRun::writes(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address) {
  declare(tensor, bytes, operand, any_address, true);
}

void SpecialRun::scratch(const kgnpu::Local* tensor, std::int64_t bytes) {
  check_temporary(core, call.name, tensor);
  take_scratch(tensor, bytes);
}
void SpecialRun::scratch(const kgnpu::Local* tensor, std::int64_t bytes, std::int64_t least, const std::string& how) {
  check_temporary(core, call.name, tensor, least, how);
  take_scratch(tensor, bytes);
}

void SpecialRun::take_scratch(const kgnpu::Local* tensor, std::int64_t bytes) {
  std::vector<Extent> operands;
  for (const Range& range : ranges_) operands.push_back({range.tensor->address, range.bytes});
  if (tensor != nullptr) {
    bytes = std::min<std::int64_t>(bytes, tensor->bytes);
    writes(*tensor, bytes, "the temporary buffer");
  }
  lose_temporary(core, tensor, bytes, operands);
}

void SpecialRun::issue(double cycles) {
  const Instruction instruction = core.issue(kV, chip::kVectorStart + cycles, 0, call.name);
  for (const bool is_write : {false, true})
    for (const Range& range : ranges_)
      if (range.writes == is_write)
        touch_local(core, call.name, instruction, range.tensor->address, range.bytes, is_write);
}

const kgnpu::Local& SpecialRun::tensor(int k) const {
  if (call.tensor[k] != nullptr) return *call.tensor[k];
  refuse("a tensor that the call needs is not given");
}

std::int64_t SpecialRun::number(int k) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 27;
  const std::int64_t number = call.number[k];
  if (0 <= number && number <= kMost) return number;
  refuse("a count, size or stride of " + std::to_string(number) +
         (number < 0 ? "; it cannot be negative" : "; no memory of a core holds so much"));
}

double SpecialRun::scalar(int k, Type type) const {
  return element_at(reinterpret_cast<const std::uint8_t*>(&call.number[k]), type);
}

kgnpu::Type SpecialRun::type(int k) const {
  const std::int64_t number = call.number[k];
  if (0 <= number && number <= static_cast<std::int64_t>(Type::kNone)) return static_cast<Type>(number);
  refuse("data type " + std::to_string(number) + ", which there is not");
}

bool SpecialRun::fits(std::initializer_list<std::int64_t> sizes) {
  std::int64_t elements = 1;
  std::string shape;
  bool fits = true;
  for (const std::int64_t size : sizes) {
    shape += (shape.empty() ? "" : " x ") + std::to_string(size);
    fits = fits && size <= UnifiedBuffer::kBytes / elements;
    if (fits) elements *= std::max<std::int64_t>(size, 1);
  }
  if (!fits)
    error(FaultClass::kArgument, "a shape of " + shape + " elements, more than UB holds; work on smaller tiles");
  return fits;
}

double SpecialRun::get(const kgnpu::Local& tensor, Type type, std::int64_t i) const {
  return element_at(at(tensor, i * size_of(type)), type);
}

void SpecialRun::put(const kgnpu::Local& tensor, Type type, std::int64_t i, double value, bool is_defined) {
  const auto bytes = size_of(type);
  store_element(at(tensor, i * bytes), type, value);
  define(tensor, i * bytes, bytes, is_defined);
}

void SpecialRun::copy(const kgnpu::Local& to, std::int64_t to_offset, const kgnpu::Local& from,
                      std::int64_t from_offset, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  std::memmove(at(to, to_offset), at(from, from_offset), size);
  std::memmove(core.ub->defined() + to.address + to_offset, core.ub->defined() + from.address + from_offset, size);
}

double library_cycles(double elements, Type type, double simple, double slow) {
  const double repeats = std::ceil(elements * static_cast<double>(type_bytes(type)) / chip::kRepeatBytes);
  return repeats * simple + std::ceil(elements / chip::kSlowElements) * slow +
         chip::kVectorStart * std::max(0.0, simple + slow - 1);
}

}  // namespace kg::npu

using namespace kg::npu;

extern "C" uint64_t kgnpu_special(const kgnpu::SpecialCall* call) {
  static const auto table = [] {
    std::array<SpecialFunction, static_cast<std::size_t>(kgnpu::Special::kCount)> rows{};
    for (const auto part :
         {gather_table(), transpose_table(), layout_table(), register_table(), sort_table(), broadcast_table(),
          softmax_table(), norm_table(), norm_grad_table(), norm_batch_table(), quant_table()})
      for (const SpecialRow& row : part) rows[static_cast<std::size_t>(row.op)] = row.run;
    return rows;
  }();
  Core& self = core();
  self.line = call->line;
  if (self.kind == CoreKind::kCube) return 0;  // the other half of a mixed kernel
  const auto slot = static_cast<std::size_t>(call->op);
  const SpecialFunction function = slot < table.size() ? table[slot] : nullptr;
  if (function == nullptr) self.fail(FaultClass::kArgument, call->name, " is not supported by the emulated device");
  if (self.device->swapped) {  // some calls look at their operands before they are issued
    self.pipes.wait(kV, {});
    self.device->swapped->begin(self, kV, self.pipes.issued(kV) + 1);
  }
  SpecialRun run(self, *call);
  return function(run);
}
