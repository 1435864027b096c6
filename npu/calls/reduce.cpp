// Reductions. Inside a repeat sums are added as a binary tree of neighbours, each addition rounded to the element type;
// over repeats one after the other, as documented.

#include <algorithm>
#include <cstring>

#include "npu/calls/lanes.h"
#include "npu/calls/rate_table.h"
#include "npu/calls/vector.h"
#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {
namespace {

using kgnpu::Masking;
using kgnpu::Op;
using kgnpu::Type;

enum class Kind { kSum, kMax, kMin };

Kind kind_of(Op op) {
  switch (op) {
    case Op::kReduceMax:
    case Op::kWholeReduceMax:
    case Op::kBlockReduceMax:
      return Kind::kMax;
    case Op::kReduceMin:
    case Op::kWholeReduceMin:
    case Op::kBlockReduceMin:
      return Kind::kMin;
    default:
      return Kind::kSum;
  }
}

struct Lane {
  float value = 0;
  bool active = false, defined = true;
};

float rounded(float value, bool half) {
  if (!half) return value;
  std::uint16_t bits;
  narrow_half(&value, &bits, 1);
  return half_scalar(bits);
}

float tree_sum(std::vector<float>& values, bool half) {  // their number is a power of two
  for (std::size_t n = values.size(); n > 1; n /= 2)
    for (std::size_t i = 0; i < n / 2; ++i) values[i] = rounded(values[2 * i] + values[2 * i + 1], half);
  return values[0];
}

bool better(Kind kind, float candidate, float best) {  // the first of equals wins, a NaN beats all
  if (best != best) return false;
  return candidate != candidate || (kind == Kind::kMax ? candidate > best : candidate < best);
}

class Reduction {
 public:
  Reduction(Core& core, const kgnpu::VectorCall& call)
      : core_(core), call_(call), half_(call.src_type == Type::kHalf), bytes_(size_of(call.src_type)) {}

  void run() {
    const Operand source{call_.src[0], bytes_, call_.src_stride[0], "the source tensor"};
    shape_ = shape_of(core_, call_, {source}, /*keep_repeats=*/true);
    if (shape_.pieces.empty()) return;
    check_operand(core_, call_, shape_, source, 0);
    const bool whole = call_.op == Op::kReduceSum || call_.op == Op::kReduceMax || call_.op == Op::kReduceMin ||
                       call_.op == Op::kRowSum;
    instruction_ = begin_vector(core_, call_, static_cast<double>(shape_.repeats));
    touch_operand(core_, call_, instruction_, shape_, source, 0, false);
    load();
    if (whole)
      over_all();
    else
      over_repeats();
  }

 private:
  const char* name() const { return operation(call_.op).name; }

  void load() {
    lanes_.assign(static_cast<std::size_t>(shape_.repeats * shape_.per_repeat), Lane{});
    for (const Piece& piece : shape_.pieces) {
      const std::int64_t at = call_.src[0]->address + piece.offset[0];
      const bool defined = core_.ub->all_defined(at, piece.n * bytes_);
      for (std::int64_t i = 0; i < piece.n; ++i) {
        Lane& lane = lanes_[static_cast<std::size_t>(piece.repeat * shape_.per_repeat + piece.element + i)];
        const std::uint8_t* from = core_.ub->data() + at + i * bytes_;
        std::uint64_t bits = 0;
        std::memcpy(&bits, from, static_cast<std::size_t>(bytes_));
        lane = {half_ ? half_scalar(bits) : scalar_of<float>(bits), true,
                defined || core_.ub->all_defined(at + i * bytes_, bytes_)};
      }
    }
  }

  // Sum, or extreme and its index, of lanes [begin, end) of a repeat. False if no lane is active.
  bool reduce(std::int64_t begin, std::int64_t end, float& value, std::int64_t& index) const {
    const Kind kind = kind_of(call_.op);
    bool any = false;
    if (kind == Kind::kSum) {
      std::vector<float> values;
      for (std::int64_t i = begin; i < end; ++i) {
        const Lane& lane = lanes_[static_cast<std::size_t>(i)];
        values.push_back(lane.active ? lane.value : 0.0f);
        any = any || lane.active;
      }
      value = tree_sum(values, half_);
      return any;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const Lane& lane = lanes_[static_cast<std::size_t>(i)];
      if (!lane.active || (any && !better(kind, lane.value, value))) continue;
      value = lane.value;
      index = i;
      any = true;
    }
    return any;
  }

  bool all_defined(std::int64_t begin, std::int64_t end) const {
    return std::all_of(lanes_.begin() + begin, lanes_.begin() + end, [](const Lane& lane) { return lane.defined; });
  }

  void store(std::int64_t offset, std::uint64_t bits, bool defined) {
    const std::int64_t at = call_.dst->address + offset;
    std::memcpy(core_.ub->data() + at, &bits, static_cast<std::size_t>(bytes_));
    core_.ub->set_defined(at, bytes_, defined);
  }
  std::uint64_t bits_of(float value) const {
    if (!half_) return std::bit_cast<std::uint32_t>(value);
    std::uint16_t bits;
    narrow_half(&value, &bits, 1);
    return bits;
  }

  // The result of ReduceSum may begin at any element, those of ReduceMax and ReduceMin, a value and its index, at every
  // other one (their pages in the API reference).
  void check_result(std::int64_t results) {
    const std::int64_t alignment = call_.op == Op::kRowSum ? 1 : kind_of(call_.op) == Kind::kSum ? bytes_ : 2 * bytes_;
    check_local(core_, name(), "the destination tensor", *call_.dst, results * bytes_, {.alignment = alignment});
  }

  // Of a tensor's first n elements the pages count whole repeats.
  std::int64_t temporary_bytes() const {
    const std::int64_t whole = std::max<std::int64_t>(call_.count * bytes_ / 256, 1);
    const std::int64_t repeats = call_.masking == Masking::kFirst ? whole : shape_.repeats;
    return kind_of(call_.op) == Kind::kSum ? kgnpu::sum_temporary(repeats, bytes_)
                                           : kgnpu::extreme_temporary(repeats, bytes_, call_.flag);
  }
  // What the call keeps beyond the end of its work tensor: numbers that nothing else shows.
  void spoil_beyond(const kgnpu::Local& work, std::int64_t needed) {
    const std::int64_t own = std::max<std::int64_t>(work.bytes, 0);
    if (needed <= own) return;
    std::memset(core_.ub->data() + work.address + own, 0xFF, static_cast<std::size_t>(needed - own));
    core_.ub->set_defined(work.address + own, needed - own, false);
  }

  void over_all() {
    const Kind kind = kind_of(call_.op);
    const std::int64_t results = call_.flag ? 2 : 1;
    const bool to_register = call_.dst == nullptr;  // the raw intrinsics can leave the result only in ACC_VAL
    if (!to_register) check_result(results);
    if (const kgnpu::Local* work = call_.src[1]; work != nullptr) {
      const std::int64_t needed = temporary_bytes();
      check_local(core_, name(), "the work tensor", *work, needed);
      touch_local(core_, name(), instruction_, work->address, std::min<std::int64_t>(needed, work->bytes), true);
      spoil_beyond(*work, needed);
    }
    if (!to_register) touch_local(core_, name(), instruction_, call_.dst->address, results * bytes_, true);
    float total = 0;
    std::int64_t index = 0;
    bool any = false, defined = true;
    for (std::int64_t r = 0; r < shape_.repeats; ++r) {
      float value = 0;
      std::int64_t at = 0;
      if (!reduce(r * shape_.per_repeat, (r + 1) * shape_.per_repeat, value, at)) continue;
      defined = defined && all_defined(r * shape_.per_repeat, (r + 1) * shape_.per_repeat);
      if (kind == Kind::kSum) {
        total = any ? rounded(total + value, half_) : value;
      } else if (!any || better(kind, value, total)) {
        total = value;
        index = at;
      }
      any = true;
    }
    if (!to_register) store(0, bits_of(total), defined);
    if (!to_register && call_.flag) store(bytes_, static_cast<std::uint64_t>(index), defined);
    core_.reduce_result[kind == Kind::kSum ? 2 : 0] = bits_of(total);
    if (kind != Kind::kSum) core_.reduce_result[1] = static_cast<std::uint64_t>(index);
  }

  void over_repeats() {
    if (call_.dst == nullptr) core_.fail(FaultClass::kArgument, name(), ": the destination tensor is not given");
    const bool pairs = call_.op == Op::kPairReduceSum;
    const bool blocks =
        call_.op == Op::kBlockReduceSum || call_.op == Op::kBlockReduceMax || call_.op == Op::kBlockReduceMin;
    const std::int64_t group = pairs ? 2 : blocks ? 32 / bytes_ : shape_.per_repeat;
    const std::int64_t groups = shape_.per_repeat / group;
    constexpr int kValueIndex = 0, kIndexValue = 1, kOnlyValue = 2, kOnlyIndex = 3;  // ReduceOrder
    const int order = kind_of(call_.op) == Kind::kSum ? kOnlyValue : call_.mode;
    const std::int64_t per_result = order == kValueIndex || order == kIndexValue ? 2 : 1;
    const std::int64_t step = call_.dst_stride.repeat * groups * per_result * bytes_;
    const std::int64_t width = groups * per_result * bytes_;
    // Only the results of active groups are written; the extent is that of the last one.
    std::int64_t end = 0;
    for (const Piece& piece : shape_.pieces)
      end = std::max(end, piece.repeat * step + ((piece.element + piece.n - 1) / group + 1) * per_result * bytes_);
    // The results of a repeat are stored as one, up to a block of them (pages 0079, 0082).
    check_local(core_, name(), "the destination tensor", *call_.dst, end,
                {.alignment = std::min(width, LocalMemory::kUnit)});
    for (std::int64_t r = 0; r < shape_.repeats; ++r) {
      const std::int64_t reach = std::min(width, end - r * step);
      if (reach > 0) touch_local(core_, name(), instruction_, call_.dst->address + r * step, reach, true);
      for (std::int64_t g = 0; g < groups; ++g) {
        float value = 0;
        std::int64_t index = 0;
        const std::int64_t first = r * shape_.per_repeat + g * group;
        if (!reduce(first, first + group, value, index)) continue;
        const bool defined = all_defined(first, first + group);
        const std::int64_t at = r * step + g * per_result * bytes_;
        const auto position = static_cast<std::uint64_t>(index - r * shape_.per_repeat);
        if (order == kOnlyValue)
          store(at, bits_of(value), defined);
        else if (order == kOnlyIndex)
          store(at, position, defined);
        else {
          store(at + (order == kIndexValue ? bytes_ : 0), bits_of(value), defined);
          store(at + (order == kIndexValue ? 0 : bytes_), position, defined);
        }
      }
    }
  }

  Core& core_;
  const kgnpu::VectorCall& call_;
  const bool half_;
  const std::int64_t bytes_;
  Shape shape_;
  Instruction instruction_;
  std::vector<Lane> lanes_;
};

}  // namespace

void run_reduce(Core& core, const kgnpu::VectorCall& call) { Reduction(core, call).run(); }

}  // namespace kg::npu
