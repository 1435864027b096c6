// The products of the Matmul object: run on the cube core of the group, for the vector core that asks. Its copies,
// loads and fixpipe are not walked through one by one (matmul_time.h).

#include "npu/calls/matmul.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/calls/matmul_time.h"
#include "npu/calls/matrix_operand.h"
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

bool of_integers(const kgnpu::MatmulCall& call) { return call.a.type == Type::kInt8 || call.a.type == Type::kInt4; }

void check_sizes(Core& core, const kgnpu::MatmulCall& call) {
  std::string wrong;
  if (std::max<std::int64_t>({call.m, call.n, call.k}) > kMostExtent)
    wrong = "M, N or K of the tiling is above " + std::to_string(kMostExtent);
  else if (std::max<std::int64_t>({call.m * call.k, call.k * call.n, call.m * call.n}) > kMostElements)
    wrong = message_of("a matrix of ", call.m, " x ", call.n, " x ", call.k,
                       " is larger than the emulated device multiplies at once, ", kMostElements, " elements");
  for (const MatrixPlace* x : {&call.a, &call.b, &call.c, &call.bias})
    for (const std::int64_t one : {x->rows, x->columns, x->row, x->column})
      if (one < 0 || one > kMostPlace) wrong = "an extent or offset of a matrix is " + std::to_string(one);
  if (!wrong.empty()) core.fail(FaultClass::kArgument, "Matmul: ", wrong, "; was the tiling read?");
}

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

// The cube core reads an operand as soon as the scalar unit's message arrives. No page says whether that message waits
// for what this vector core is still storing there; production kernels rely on it, so it is a warning.
void check_stored(Core& core, const char* operand, const MatrixPlace& x, std::int64_t rows, std::int64_t columns) {
  if (x.gm == 0 || rows <= 0 || columns <= 0) return;
  GlobalMemory::Allocation* const allocation = core.device->memory.find(x.gm);
  if (allocation == nullptr) return;
  const GmBlocks part = blocks_in_gm(*allocation, x, 0, rows, 0, columns, /*writes=*/false);
  bool reported = false;
  for (std::int64_t k = 0; k < part.blocks && !reported; ++k) {
    const std::uint64_t begin = part.offset + static_cast<std::uint64_t>(k * part.stride);
    const std::uint64_t end = std::min(begin + static_cast<std::uint64_t>(part.bytes), allocation->rounded);
    if (begin >= end) return;
    allocation->log.writes().visit(begin, end, [&](std::uint64_t at, std::uint64_t, const GlobalAccess& write) {
      if (write.core != core.number || write.pipe == kS || !write.changed ||
          core.cube.matmul_stores.contains(write.number) || core.pipes.ordered(kS, write.pipe, write.number) ||
          core.pipes.ordered(kMte2, write.pipe, write.number))
        return true;
      const std::string pipe = pipe_name(write.pipe);
      core.warning(FaultClass::kSynchronisation, "Matmul reads byte ", at, " of ", allocation->name, " as ", operand,
                   ", which pipe ", pipe, " may still write (line ", write.line,
                   "); put SetFlag and WaitFlag<HardEvent::", pipe, "_S> or PipeBarrier<PIPE_ALL> before it");
      reported = true;
      return false;
    });
  }
}

void start_from_bias(const kgnpu::MatmulCall& call, Core& core, MatmulResult& c) {
  if (call.bias.gm == 0 && call.bias.local == nullptr) return;
  const MatrixOperand bias(core, "the bias", call.bias, 1, call.n, /*writes=*/false);
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

bool has_size(const MatmulResult& result, const kgnpu::MatmulCall& call) {
  return result.row_known.size() == static_cast<std::size_t>(call.m) &&
         result.column_known.size() == static_cast<std::size_t>(call.n);
}

}  // namespace

MatmulResult start_of(const kgnpu::MatmulCall& call, Core& core) {
  if (call.partial != 0) return kept_result(call, core);
  MatmulResult c{call.m, std::vector<std::uint8_t>(static_cast<std::size_t>(ceil_div(call.n, 16) * call.m * 64)),
                 std::vector<bool>(static_cast<std::size_t>(call.m), true),
                 std::vector<bool>(static_cast<std::size_t>(call.n), true)};
  start_from_bias(call, core, c);
  return c;
}

const MatmulResult& kept_result(const kgnpu::MatmulCall& call, Core& core) {
  const auto found = core.cube.matmul_results.find(call.object);
  if (found != core.cube.matmul_results.end() && has_size(found->second, call)) return found->second;
  const char* call_name = call.partial != 0 ? "Iterate with enPartialSum" : "GetTensorC";
  core.fail(FaultClass::kArgument, "Matmul: ", call_name,
            (found == core.cube.matmul_results.end()
                 ? " without a product before it; call Iterate first"
                 : " finds a product of another size; a partial sum needs a base block that is the core's whole part"));
}

void multiply_into(MatmulResult& c, const kgnpu::MatmulCall& call, Core& a_core, Core& b_core) {
  const MatrixOperand a(a_core, "A", call.a, call.m, call.k, /*writes=*/false);
  const MatrixOperand b(b_core, "B", call.b, call.k, call.n, /*writes=*/false);
  const std::int64_t columns = ceil_div(call.n, 16);
  const bool integers = of_integers(call);
  const std::int64_t k = integers ? ceil_div(call.k, 2) * 2 : call.k;
  const auto gather = [&](auto& left, auto& right, auto value) {
    left.assign(static_cast<std::size_t>(call.m * k), 0);
    right.assign(static_cast<std::size_t>(columns * k * 16), 0);
    for (std::int64_t i = 0; i < call.m; ++i)
      for (std::int64_t x = 0; x < call.k; ++x) {
        const std::int64_t from = a.offset(i, x);
        left[static_cast<std::size_t>(i * k + x)] = value(a, i, x, from);
        if (!a.defined(from)) c.row_known[static_cast<std::size_t>(i)] = false;
      }
    for (std::int64_t x = 0; x < call.k; ++x)
      for (std::int64_t j = 0; j < call.n; ++j) {
        const std::int64_t from = b.offset(x, j);
        const std::int64_t to =
            integers ? j / 16 * k * 16 + x / 2 * 32 + j % 16 * 2 + x % 2 : (j / 16 * k + x) * 16 + j % 16;
        right[static_cast<std::size_t>(to)] = value(b, x, j, from);
        if (!b.defined(from)) c.column_known[static_cast<std::size_t>(j)] = false;
      }
  };
  if (integers) {
    static std::vector<std::int16_t> left, right;
    gather(left, right, [](const MatrixOperand& x, std::int64_t row, std::int64_t column, std::int64_t) {
      return x.integer(row, column);
    });
    multiply_integers(call.m, call.n, k, left.data(), right.data(), reinterpret_cast<std::int32_t*>(c.data.data()),
                      c.rows);
  } else {
    static std::vector<float> left, right;
    gather(left, right, [](const MatrixOperand& x, std::int64_t, std::int64_t, std::int64_t from) {
      return number(x.type(), x.at(from));
    });
    multiply_floats(call.m, call.n, k, left.data(), right.data(), reinterpret_cast<float*>(c.data.data()), c.rows);
  }
}

void write_result(const kgnpu::MatmulCall& call, Core& core, const MatmulResult& result) {
  const MatrixOperand c(core, "C", call.c, call.m, call.n, /*writes=*/true);
  const std::int64_t size = c.size();
  const Type from = of_integers(call) ? Type::kInt32 : Type::kFloat;
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
    // Runs of contiguous elements.
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

bool computes_alone(const Core& core) { return core.kind == CoreKind::kCube && !core.cube.serves_matmul; }

bool begin_matmul(Core& core, const kgnpu::MatmulCall& call) {
  core.line = call.line;
  const bool alone = computes_alone(core);
  if (!alone && (core.kind == CoreKind::kCube || core.cube.runs_matmul)) return false;
  std::string wrong;
  if (!alone && core.device->cross_core->layout().cubes == 0)
    wrong = "the Matmul object needs cube cores; declare KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)";
  else if (!alone && call.registered == 0)
    wrong =
        "this Matmul object of a vector core is not registered, so no cube core serves it; name it in "
        "REGIST_MATMUL_OBJ, or use it on the cube core";
  else if (call.initialised == 0)
    wrong =
        "this Matmul object has no tiling: it is neither in REGIST_MATMUL_OBJ nor initialised; name it and its tiling "
        "in REGIST_MATMUL_OBJ, or call its Init";
  if (!wrong.empty()) core.fail(FaultClass::kArgument, wrong);
  if (call.m <= 0 || call.n <= 0 || call.k <= 0) return false;
  check_sizes(core, call);
  if (!alone && call.stage != kgnpu::MatmulStage::kResult) {
    check_stored(core, "A", call.a, call.m, call.k);
    check_stored(core, "B", call.b, call.k, call.n);
    check_stored(core, "the bias", call.bias, 1, call.n);
  }
  // All else that the vector core has done so far is visible when its message arrives.
  core.pipes.barrier(kAllPipes);
  return true;
}

}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_matmul_on_cube() { core().cube.runs_matmul = true; }
void kgnpu_matmul_serves(int line) {
  Core& self = core();
  self.cube.serves_matmul = true;
  if (self.device->cross_core->layout().vectors != 0) return;
  self.line = line;
  self.fail(FaultClass::kArgument,
            "REGIST_MATMUL_OBJ: the cube core waits for products of vector cores, but this task type has none; put "
            "#define ASCENDC_CUBE_ONLY before the include of lib/matmul_intf.h, or declare "
            "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)");
}

void kgnpu_matmul(const kgnpu::MatmulCall* call) {
  Core& self = core();
  if (!begin_matmul(self, *call)) return;
  self.swaps = false;  // its operands are read long after their instructions
  if (call->stage == kgnpu::MatmulStage::kResult) {
    write_result(*call, self, kept_result(*call, self));
  } else {
    MatmulResult result = start_of(*call, self);
    multiply_into(result, *call, self, self);
    if (call->stage == kgnpu::MatmulStage::kWhole)
      write_result(*call, self, result);
    else
      self.cube.matmul_results[call->object] = std::move(result);
  }
  self.swaps = true;
  // A cube core first makes itself ready; the vector cores of its group share it.
  const bool alone = computes_alone(self);
  double& free_at = self.device->cube_free_at[self.block];
  const double message = alone ? 0 : chip::kCrossCoreFlag, ready = alone ? chip::kMatmulAloneStart : chip::kMatmulStart;
  free_at = spend_matmul(self, *call, std::max({ready, free_at, self.pipes.scalar_time() + message}));
  self.cube.matmul_done = std::max(self.cube.matmul_done, free_at + message);
  if (call->wait && call->stage != kgnpu::MatmulStage::kProduct) kgnpu_matmul_wait(call->line);
}

void kgnpu_matmul_wait(int line) {
  Core& self = core_at(line);
  self.pipes.barrier(kAllPipes);
  self.pipes.wait(kS, self.cube.matmul_served);
  self.pipes.start_at(self.cube.matmul_done);
}

}  // extern "C"
