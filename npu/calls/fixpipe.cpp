// Fixpipe: L0C to GM or L1, with quantisation, Relu and a change of layout on the way.

#include <algorithm>
#include <cstring>

#include "npu/calls/quantise_lane.h"
#include "npu/calls/rate_table.h"
#include "npu/machine/cost_table.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

using kgnpu::Type;

std::int64_t size_of(Type type) { return static_cast<std::int64_t>(type_bytes(type)); }

// Where rows of the result go: GM under the atomic mode, or L1.
struct Target {
  GlobalMemory::Allocation* allocation = nullptr;
  std::int64_t start = 0;  // from the allocation's or L1's start
};

void write(Core& core, const Target& target, const Instruction& instruction, std::int64_t place,
           const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes) {
  if (target.allocation != nullptr) {
    store_global(core, "Fixpipe", instruction, *target.allocation, static_cast<std::uint64_t>(target.start + place),
                 data, defined, bytes);
    return;
  }
  LocalMemory& l1 = core.memory(Memory::kL1);
  touch_local(core, "Fixpipe", instruction, target.start + place, bytes, /*writes=*/true, Memory::kL1);
  std::memcpy(l1.data() + target.start + place, data, static_cast<std::size_t>(bytes));
  std::memcpy(l1.defined() + target.start + place, defined, static_cast<std::size_t>(bytes));
}

void check_arguments(Core& core, const kgnpu::FixpipeCall& call) {
  std::string wrong;
  if (!quantisation_fits(call.quantisation, call.src_type, call.dst_type))
    wrong = std::string("quantPre ") + std::to_string(call.quantisation) + " does not make " +
            type_name(call.dst_type) + " from " + type_name(call.src_type) +
            "; float to half is F322F16, to bfloat16_t F322BF16, to int8_t QF322B8_PRE; int32_t to half is DEQF16, to "
            "int8_t REQ8; equal types take NoQuant";
  else if (call.row_major && call.local != nullptr)
    wrong = "L0C to L1 writes fractals only; use CFG_NZ";
  else if (!call.row_major && call.matrices > 1)
    wrong = "ndNum above 1 goes with row-major output only";
  else if (!call.row_major && call.n % 16 != 0)
    wrong = "nSize " + std::to_string(call.n) + " is no multiple of 16, as the output in fractals requires";
  else if (call.split_channels && (call.row_major || call.dst_type != Type::kFloat))
    wrong = "isChannelSplit goes with float output in fractals only";
  else if (call.src_stride % 16 != 0)
    wrong = "srcStride " + std::to_string(call.src_stride) + " is no multiple of 16";
  else if (call.dst_stride == 0)
    wrong = "dstStride is 0";
  else if (per_column(call.quantisation) && call.scales == nullptr)
    wrong = "this quantPre takes one scale a column; pass the tensor of scales";
  if (wrong.empty()) return;
  core.error(FaultClass::kArgument, "Fixpipe: " + wrong);
  end_kernel();
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" void kgnpu_fixpipe(const kgnpu::FixpipeCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  constexpr const char* kName = "Fixpipe";
  if (call->m <= 0 || call->n <= 0 || call->matrices <= 0) return;
  check_arguments(self, *call);
  const std::int64_t size = size_of(call->dst_type);
  const std::int64_t columns = ceil_div(call->n, 16), src_column = call->src_stride * 64;
  if (call->matrices * call->m * columns * 64 > kind_of(Memory::kL0c).bytes) {
    self.error(FaultClass::kUb, "Fixpipe: " + std::to_string(call->matrices) + " matrices of " +
                                    std::to_string(call->m) + " x " + std::to_string(call->n) +
                                    " are more than L0C holds");
    end_kernel();
  }
  const std::int64_t src_bytes =
      (call->matrices - 1) * call->src_matrix_stride * 1024 + (columns - 1) * src_column + call->m * 64;
  memory_among(self, kName, "the source tensor", *call->src, {Memory::kL0c});
  check_local(self, kName, "the source tensor", *call->src, src_bytes, /*any_address=*/false, Memory::kL0c);
  // Fractals of the output: 16 columns, but 32 of bytes and 8 of split floats.
  const std::int64_t width = call->split_channels ? 8 : size == 1 ? 32 : 16;
  const std::int64_t dst_columns = ceil_div(call->n, width);
  const std::int64_t dst_bytes =
      call->row_major
          ? ((call->matrices - 1) * call->dst_matrix_stride + (call->m - 1) * call->dst_stride + call->n) * size
          : (dst_columns - 1) * call->dst_stride * LocalMemory::kUnit + call->m * width * size;
  Target target;
  if (call->local != nullptr) {
    memory_among(self, kName, "the destination tensor", *call->local, {Memory::kL1});
    check_local(self, kName, "the destination tensor", *call->local, dst_bytes, /*any_address=*/false, Memory::kL1);
    target.start = call->local->address;
  } else {
    target.allocation =
        &check_global_range(self, kName, call->gm, static_cast<std::uint64_t>(dst_bytes), /*writes=*/true);
    target.start = static_cast<std::int64_t>(call->gm - target.allocation->start());
  }
  Memory scales_in = Memory::kL1;
  if (per_column(call->quantisation)) {
    scales_in = memory_among(self, kName, "the tensor of scales", *call->scales, {Memory::kL1, Memory::kFixpipe});
    check_local(self, kName, "the tensor of scales", *call->scales, call->n * 8, /*any_address=*/false, scales_in);
  }

  if (call->unit_flag != 0) self.pipes.wait(kFix, self.cube.unit_flag_mmad);
  const std::int64_t bytes = call->matrices * call->m * call->n * size;
  Instruction instruction;
  if (target.allocation == nullptr) {
    instruction = self.issue(kFix, cost::kFixpipeStart + static_cast<double>(bytes) / cost::kL0cBytesPerCycle,
                             cost::kCubeMoveLatency, kName, static_cast<std::uint64_t>(bytes));
  } else {
    const std::int64_t stride = call->row_major ? call->dst_stride * size : call->dst_stride * LocalMemory::kUnit;
    const std::int64_t step = call->row_major ? call->dst_matrix_stride * size : 0;
    for (std::int64_t i = 0; i < call->matrices; ++i)
      instruction = issue_move(self, kFix, kName,
                               {.allocation = target.allocation,
                                .offset = static_cast<std::uint64_t>(target.start + i * step),
                                .blocks = call->row_major ? call->m : dst_columns,
                                .bytes = call->row_major ? call->n * size : call->m * width * size,
                                .stride = stride,
                                .writes = true});
  }
  if (call->unit_flag != 0) self.cube.unit_flag_fixpipe = self.pipes.set(kFix);
  if (per_column(call->quantisation))
    touch_local(self, kName, instruction, call->scales->address, call->n * 8, /*writes=*/false, scales_in);

  LocalMemory& l0c = self.memory(Memory::kL0c);
  std::vector<std::uint8_t> data(static_cast<std::size_t>(columns * 16 * size)), defined(data.size());
  for (std::int64_t i = 0; i < call->matrices; ++i) {
    const std::int64_t base = call->src->address + i * call->src_matrix_stride * 1024;
    for (std::int64_t column = 0; column < columns; ++column)
      touch_local(self, kName, instruction, base + column * src_column, call->m * 64, /*writes=*/false, Memory::kL0c);
    for (std::int64_t row = 0; row < call->m; ++row) {
      for (std::int64_t j = 0; j < call->n; ++j) {
        const std::int64_t from = base + j / 16 * src_column + row * 64 + j % 16 * 4;
        std::uint64_t word = call->scale;
        bool known = l0c.all_defined(from, 4);
        if (per_column(call->quantisation)) {
          const std::int64_t at = call->scales->address + j * 8;
          std::memcpy(&word, self.memory(scales_in).data() + at, 8);
          known = known && self.memory(scales_in).all_defined(at, 8);
        }
        const std::uint32_t bits =
            quantised(call->quantisation, call->src_type, call->dst_type, call->relu != 0, l0c.data() + from, word);
        std::memcpy(data.data() + j * size, &bits, static_cast<std::size_t>(size));
        std::memset(defined.data() + j * size, known, static_cast<std::size_t>(size));
      }
      if (call->row_major) {
        write(self, target, instruction, (i * call->dst_matrix_stride + row * call->dst_stride) * size, data.data(),
              defined.data(), call->n * size);
        continue;
      }
      for (std::int64_t column = 0; column < dst_columns; ++column) {
        const std::int64_t first = column * width, count = std::min(width, call->n - first);
        write(self, target, instruction, column * call->dst_stride * LocalMemory::kUnit + row * width * size,
              data.data() + first * size, defined.data() + first * size, count * size);
      }
    }
  }
}
