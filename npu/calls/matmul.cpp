// The products of the Matmul object: run on the cube core of the group, for the vector core that asks. Its copies,
// loads and fixpipe are not walked through one by one; the time is that of a double-buffered walk over base blocks.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/calls/matrix_product.h"
#include "npu/calls/quantise_lane.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/headers/kgnpu/number.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

using kgnpu::MatrixFormat;
using kgnpu::MatrixPlace;
using kgnpu::Type;

constexpr const char* kName = "Matmul";

// Extents come from the kernel's tiling, which may be anything: these keep their products exact.
constexpr std::int64_t kMostExtent = 1 << 24, kMostElements = 1 << 28, kMostPlace = std::int64_t{1} << 31;

void check_sizes(Core& core, const kgnpu::MatmulCall& call) {
  std::string wrong;
  if (std::max<std::int64_t>({call.m, call.n, call.k}) > kMostExtent)
    wrong = "M, N or K of the tiling is above " + std::to_string(kMostExtent);
  else if (std::max<std::int64_t>({call.m * call.k, call.k * call.n, call.m * call.n}) > kMostElements)
    wrong = "a matrix of " + std::to_string(call.m) + " x " + std::to_string(call.n) + " x " + std::to_string(call.k) +
            " is larger than the emulated device multiplies at once, " + std::to_string(kMostElements) + " elements";
  for (const MatrixPlace* x : {&call.a, &call.b, &call.c, &call.bias})
    for (const std::int64_t one : {x->rows, x->columns, x->row, x->column})
      if (one < 0 || one > kMostPlace) wrong = "an extent or offset of a matrix is " + std::to_string(one);
  if (wrong.empty()) return;
  core.error(FaultClass::kArgument, "Matmul: " + wrong + "; was the tiling read?");
  end_kernel();
}

// Elements from the start of the operand to element (row, column) of the matrix as it is used.
std::int64_t place(const MatrixPlace& x, std::int64_t row, std::int64_t column) {
  row += x.row;
  column += x.column;
  if (x.transposed) std::swap(row, column);
  const auto size = static_cast<std::int64_t>(type_bytes(x.type));
  switch (x.format) {
    case MatrixFormat::kNz: {
      const std::int64_t width = LocalMemory::kUnit / size, rows = ceil_div(x.rows, 16) * 16;
      return column / width * rows * width + row * width + column % width;
    }
    case MatrixFormat::kNdAlign: {
      const std::int64_t unit = LocalMemory::kUnit / size;
      return row * ceil_div(x.columns, unit) * unit + column;
    }
    case MatrixFormat::kVector:
      return column;
    default:
      return row * x.columns + column;
  }
}

// The last element of a part lies furthest from the start in every format, if the fractals' columns are as high as the
// part.
void check_formed(Core& core, const char* name, const MatrixPlace& x, std::int64_t rows, std::int64_t columns) {
  if (x.format != MatrixFormat::kNz) return;
  const std::int64_t needed = x.transposed ? x.column + columns : x.row + rows;
  if (needed <= ceil_div(x.rows, 16) * 16) return;
  core.error(FaultClass::kArgument, std::string("Matmul: ") + name + " in NZ has " + std::to_string(x.rows) +
                                        " rows, the product takes " + std::to_string(needed) +
                                        "; check the tiling's original shape");
  end_kernel();
}

// Where the elements of an operand are, and which of them are defined.
class Operand {
 public:
  Operand(Core& core, const char* name, const MatrixPlace& x, std::int64_t rows, std::int64_t columns, bool writes)
      : size_(static_cast<std::int64_t>(type_bytes(x.type))), place_(x) {
    if (x.format != MatrixFormat::kNd && x.format != MatrixFormat::kNz && x.format != MatrixFormat::kNdAlign &&
        x.format != MatrixFormat::kVector) {
      core.error(FaultClass::kArgument,
                 std::string("Matmul: ") + name + " is ND, NZ, ND_ALIGN or VECTOR on this device");
      end_kernel();
    }
    check_formed(core, name, x, rows, columns);
    const std::int64_t low = place(x, 0, 0), high = place(x, rows - 1, columns - 1);
    if (x.gm != 0) {
      allocation_ = &check_global_range(core, kName, x.gm + static_cast<std::uint64_t>(low * size_),
                                        static_cast<std::uint64_t>((high - low + 1) * size_), writes);
      base_ = static_cast<std::int64_t>(x.gm - allocation_->start());
      instruction_ = core.issue(writes ? kMte3 : kMte2, 0, 0);
      if (!writes) read(core, rows, columns);
      return;
    }
    if (x.local == nullptr || x.local->buffer == 0) {
      core.error(FaultClass::kMemory, std::string("Matmul: ") + name + " is not set; call SetTensor" +
                                          (name[0] == 'A' ? "A" : "B") + " before Iterate");
      end_kernel();
    }
    memory_ = memory_among(core, kName, name, *x.local, {Memory::kUb, Memory::kL1});
    check_local(core, kName, name, *x.local, (high + 1) * size_, /*any_address=*/false, memory_);
    base_ = x.local->address;
    local_ = &core.memory(memory_);
    // The framework moves it through the vector core's copy unit.
    const Instruction instruction = core.issue(writes ? kMte2 : kMte3, 0, 0);
    touch_local(core, kName, instruction, base_, (high + 1) * size_, writes, memory_);
  }

  std::int64_t offset(std::int64_t row, std::int64_t column) const {
    return base_ + place(place_, row, column) * size_;
  }
  const std::uint8_t* at(std::int64_t offset) const {
    return allocation_ != nullptr ? allocation_->data + offset : local_->data() + offset;
  }
  bool defined(std::int64_t offset) const {
    if (local_ != nullptr) return local_->all_defined(offset, size_);
    if (allocation_->state.empty()) return true;
    for (std::int64_t i = 0; i < size_; ++i)
      if (allocation_->state.data()[offset + i] != static_cast<std::uint8_t>(GlobalMemory::State::kDefined))
        return false;
    return true;
  }
  void store(Core& core, std::int64_t offset, const std::uint8_t* data, const std::uint8_t* defined,
             std::int64_t bytes) const {
    if (allocation_ != nullptr) {
      store_global(core, kName, instruction_, *allocation_, static_cast<std::uint64_t>(offset), data, defined, bytes);
      return;
    }
    std::memcpy(local_->data() + offset, data, static_cast<std::size_t>(bytes));
    std::memcpy(local_->defined() + offset, defined, static_cast<std::size_t>(bytes));
  }
  std::int64_t size() const { return size_; }

 private:
  // Records the reads: along the rows as stored.
  void read(Core& core, std::int64_t rows, std::int64_t columns) const {
    if (place_.transposed) std::swap(rows, columns);
    const bool by_rows = place_.format != MatrixFormat::kNz;
    for (std::int64_t row = 0; row < (by_rows ? rows : 1); ++row) {
      const std::int64_t first = place_.transposed ? offset(0, row) : offset(row, 0);
      const std::int64_t last =
          !by_rows ? offset((place_.transposed ? columns : rows) - 1, (place_.transposed ? rows : columns) - 1)
          : place_.transposed ? offset(columns - 1, row)
                              : offset(row, columns - 1);
      read_global(core, kName, instruction_, *allocation_, static_cast<std::uint64_t>(first), last - first + size_);
    }
  }
  std::int64_t size_, base_ = 0;
  MatrixPlace place_;
  GlobalMemory::Allocation* allocation_ = nullptr;
  LocalMemory* local_ = nullptr;
  Memory memory_ = Memory::kUb;
  Instruction instruction_;
};

float number(Type type, const std::uint8_t* at) {
  if (type == Type::kFloat) {
    float value;
    std::memcpy(&value, at, 4);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, at, 2);
  return type == Type::kHalf ? kgnpu::half_value(bits) : kgnpu::bfloat16_value(bits);
}

// C in columns of 16, as multiply_floats and multiply_integers leave it: 4 bytes an element.
struct Result {
  std::int64_t rows;
  std::vector<std::uint8_t> data;
  std::vector<bool> row_known, column_known;
  const std::uint8_t* at(std::int64_t row, std::int64_t column) const {
    return data.data() + ((column / 16 * rows + row) * 16 + column % 16) * 4;
  }
};

void start_from_bias(const kgnpu::MatmulCall& call, Core& core, Result& c) {
  if (call.bias.gm == 0 && call.bias.local == nullptr) return;
  const Operand bias(core, "the bias", call.bias, 1, call.n, /*writes=*/false);
  for (std::int64_t j = 0; j < call.n; ++j) {
    const std::int64_t from = bias.offset(0, j);
    std::uint32_t bits;
    if (call.bias.type == Type::kInt32) {
      std::memcpy(&bits, bias.at(from), 4);
    } else {
      bits = kgnpu::bits_of_float(number(call.bias.type, bias.at(from)));
    }
    if (!bias.defined(from)) c.column_known[static_cast<std::size_t>(j)] = false;
    for (std::int64_t i = 0; i < call.m; ++i)
      std::memcpy(c.data.data() + ((j / 16 * c.rows + i) * 16 + j % 16) * 4, &bits, 4);
  }
}

Result multiply(const kgnpu::MatmulCall& call, Core& core) {
  const Operand a(core, "A", call.a, call.m, call.k, /*writes=*/false);
  const Operand b(core, "B", call.b, call.k, call.n, /*writes=*/false);
  const std::int64_t columns = ceil_div(call.n, 16);
  Result c{call.m, std::vector<std::uint8_t>(static_cast<std::size_t>(columns * call.m * 64)),
           std::vector<bool>(static_cast<std::size_t>(call.m), true),
           std::vector<bool>(static_cast<std::size_t>(call.n), true)};
  start_from_bias(call, core, c);
  const bool integers = call.a.type == Type::kInt8;
  const std::int64_t k = integers ? ceil_div(call.k, 2) * 2 : call.k;
  const auto gather = [&](auto& left, auto& right, auto value) {
    left.assign(static_cast<std::size_t>(call.m * k), 0);
    right.assign(static_cast<std::size_t>(columns * k * 16), 0);
    for (std::int64_t i = 0; i < call.m; ++i)
      for (std::int64_t x = 0; x < call.k; ++x) {
        const std::int64_t from = a.offset(i, x);
        left[static_cast<std::size_t>(i * k + x)] = value(call.a.type, a.at(from));
        if (!a.defined(from)) c.row_known[static_cast<std::size_t>(i)] = false;
      }
    for (std::int64_t x = 0; x < call.k; ++x)
      for (std::int64_t j = 0; j < call.n; ++j) {
        const std::int64_t from = b.offset(x, j);
        const std::int64_t to =
            integers ? j / 16 * k * 16 + x / 2 * 32 + j % 16 * 2 + x % 2 : (j / 16 * k + x) * 16 + j % 16;
        right[static_cast<std::size_t>(to)] = value(call.b.type, b.at(from));
        if (!b.defined(from)) c.column_known[static_cast<std::size_t>(j)] = false;
      }
  };
  if (integers) {
    static std::vector<std::int16_t> left, right;
    gather(left, right, [](Type, const std::uint8_t* at) { return std::int16_t{static_cast<std::int8_t>(*at)}; });
    multiply_integers(call.m, call.n, k, left.data(), right.data(), reinterpret_cast<std::int32_t*>(c.data.data()),
                      c.rows);
  } else {
    static std::vector<float> left, right;
    gather(left, right, number);
    multiply_floats(call.m, call.n, k, left.data(), right.data(), reinterpret_cast<float*>(c.data.data()), c.rows);
  }
  return c;
}

void write(const kgnpu::MatmulCall& call, Core& core, const Result& result) {
  const Operand c(core, "C", call.c, call.m, call.n, /*writes=*/true);
  const std::int64_t size = c.size();
  const Type from = call.a.type == Type::kInt8 ? Type::kInt32 : Type::kFloat;
  GlobalMemory::Allocation* scales =
      call.scales == 0
          ? nullptr
          : &check_global_range(core, kName, call.scales, static_cast<std::uint64_t>((call.c.column + call.n) * 8),
                                /*writes=*/false);
  const int old_mode = core.atomic_mode;
  const Type old_type = core.atomic_type;
  if (call.atomic != 0) {
    core.atomic_mode = call.atomic;
    core.atomic_type = call.c.type;
  }
  std::vector<std::uint8_t> data(static_cast<std::size_t>(call.n * size)), defined(data.size());
  for (std::int64_t i = 0; i < call.m; ++i) {
    for (std::int64_t j = 0; j < call.n; ++j) {
      std::uint64_t word = call.scale;
      if (scales != nullptr)
        std::memcpy(&word, scales->data + (call.scales - scales->start()) + (call.c.column + j) * 8, 8);
      const std::uint32_t bits = quantised(call.quantisation, from, call.c.type, /*relu=*/false, result.at(i, j), word);
      std::memcpy(data.data() + j * size, &bits, static_cast<std::size_t>(size));
      const bool known =
          result.row_known[static_cast<std::size_t>(i)] && result.column_known[static_cast<std::size_t>(j)];
      std::memset(defined.data() + j * size, known, static_cast<std::size_t>(size));
    }
    // Runs of elements that lie behind one another.
    for (std::int64_t j = 0; j < call.n;) {
      std::int64_t end = j + 1;
      while (end < call.n && c.offset(i, end) == c.offset(i, end - 1) + size) ++end;
      c.store(core, c.offset(i, j), data.data() + j * size, defined.data() + j * size, (end - j) * size);
      j = end;
    }
  }
  core.atomic_mode = old_mode;
  core.atomic_type = old_type;
}

// Of the cube core: base blocks one after the other, loads and products overlapping.
double cycles_of(const kgnpu::MatmulCall& call, std::int64_t in_size, std::int64_t out_size) {
  const std::int64_t base_m = std::min<std::int64_t>(call.m, std::max(call.base_m, 16));
  const std::int64_t base_n = std::min<std::int64_t>(call.n, std::max(call.base_n, 16));
  const double blocks = static_cast<double>(ceil_div(call.m, base_m) * ceil_div(call.n, base_n));
  const std::int64_t k_step = in_size == 1 ? 32 : in_size == 4 ? 4 : 16;
  const double steps = static_cast<double>(ceil_div(base_m, 16) * ceil_div(base_n, 16) * ceil_div(call.k, k_step));
  const double a_bytes = static_cast<double>(base_m * call.k * in_size);
  const double b_bytes = static_cast<double>(base_n * call.k * in_size);
  const double copies = (a_bytes + b_bytes) / chip::kMoveBytesPerCycle;
  const double loads = a_bytes / chip::kL0aBytesPerCycle + b_bytes / chip::kL0bBytesPerCycle;
  const double out = static_cast<double>(base_m * base_n * out_size) / chip::kMoveBytesPerCycle;
  return chip::kMoveInLatency + chip::kMmadLatency + blocks * std::max({steps, copies, loads, out}) + out;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_matmul_on_cube() { core().cube.runs_matmul = true; }

void kgnpu_matmul(const kgnpu::MatmulCall* call) {
  Core& self = core();
  self.line = call->line;
  const bool alone = self.cube.runs_matmul;
  if (alone != (self.kind == CoreKind::kCube)) return;
  if (!alone && self.device->cross_core->layout().cubes == 0) {
    self.error(FaultClass::kArgument,
               "the Matmul object needs cube cores; declare KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)");
    end_kernel();
  }
  if (call->m <= 0 || call->n <= 0 || call->k <= 0) return;
  check_sizes(self, *call);
  // What the vector core has written so far is there when its message arrives.
  self.pipes.barrier(kAllPipes);
  const Result result = multiply(*call, self);
  write(*call, self, result);
  const auto in_size = static_cast<std::int64_t>(type_bytes(call->a.type));
  const auto out_size = static_cast<std::int64_t>(type_bytes(call->c.type));
  self.device->bytes_read += static_cast<std::uint64_t>((call->m + call->n) * call->k * in_size);
  self.device->bytes_written += static_cast<std::uint64_t>(call->m * call->n * out_size);
  // The vector cores of a group share its cube core.
  double& free_at = self.device->cube_free_at[self.block];
  const double message = alone ? 0 : chip::kCrossCoreFlag;
  free_at = std::max(free_at, self.pipes.scalar_time() + message) + cycles_of(*call, in_size, out_size);
  self.cube.matmul_done = std::max(self.cube.matmul_done, free_at + message);
  if (call->wait) kgnpu_matmul_wait(call->line);
}

void kgnpu_matmul_wait(int line) {
  Core& self = core();
  self.line = line;
  self.pipes.barrier(kAllPipes);
  self.pipes.start_at(self.cube.matmul_done);
}

}  // extern "C"
