// Fixpipe: L0C to GM or L1, with quantisation, Relu and a change of layout on the way.

#include <algorithm>
#include <cstring>

#include "npu/calls/lie_apart.h"
#include "npu/calls/quantise_lane.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

using kgnpu::Type;

// The destination of the result's rows: GM in the atomic mode, or L1.
struct Target {
  const char* name;  // of the call
  GlobalMemory::Allocation* allocation = nullptr;
  std::int64_t start = 0;  // from the allocation's or L1's start
};

void write(Core& core, const Target& target, const Instruction& instruction, std::int64_t place,
           const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes) {
  if (target.allocation != nullptr) {
    store_global(core, target.name, instruction, *target.allocation, static_cast<std::uint64_t>(target.start + place),
                 data, defined, bytes);
    return;
  }
  LocalMemory& l1 = core.memory(Memory::kL1);
  touch_local(core, target.name, instruction, target.start + place, bytes, /*writes=*/true, Memory::kL1);
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
    wrong = "L0C to L1 writes fractals only; use CFG_NZ, in raw code NZ2ND_EN false";
  else if (!call.row_major && call.matrices > 1)
    wrong = "ndNum above 1 goes with row-major output only";
  else if (const int side = call.split_channels ? 8 : 16; !call.row_major && call.n % side != 0)
    wrong = message_of("nSize ", call.n, " is not a multiple of ", side, ", as the output in fractals requires");
  else if (call.n > 4095)
    wrong = "nSize " + std::to_string(call.n) + " is above 4095";
  else if (call.matrices > 1 && (call.src_matrix_stride == 0 || call.dst_matrix_stride == 0))
    wrong = "srcNdStride and dstNdStride are at least 1 for more than one matrix";
  else if (call.split_channels && (call.row_major || call.dst_type != Type::kFloat))
    wrong = "isChannelSplit goes with float output in fractals only";
  else if (call.src_stride % 16 != 0)
    wrong = "srcStride " + std::to_string(call.src_stride) + " is not a multiple of 16";
  else if (call.dst_stride == 0)
    wrong = "dstStride is 0";
  else if (per_column(call.quantisation) && call.scales == nullptr)
    wrong = "this quantPre takes one scale a column; pass the tensor of scales";
  if (!wrong.empty()) core.fail(FaultClass::kArgument, call.name, ": ", wrong);
}

// How the matrices are stored in L0C and in the output; in bytes unless stated otherwise.
struct Layout {
  std::int64_t size;                 // size of an element of the output
  std::int64_t columns, src_column;  // number of fractal columns in L0C, and distance between two of them
  std::int64_t src_bytes;
  std::int64_t width, dst_columns;   // fractals of the output: elements of a row, and how many side by side
  std::int64_t dst_row, dst_matrix;  // from row to row (row-major) or fractal column to fractal column; of a matrix
  std::int64_t dst_bytes;
};

Layout layout_of(const kgnpu::FixpipeCall& call) {
  Layout x{};
  x.size = size_of(call.dst_type);
  x.columns = ceil_div(call.n, 16);
  x.src_column = call.src_stride * 64;
  x.src_bytes = (call.matrices - 1) * call.src_matrix_stride * 1024 + (x.columns - 1) * x.src_column + call.m * 64;
  // 16 columns, but 32 of bytes and 8 of split floats.
  x.width = call.split_channels ? 8 : x.size == 1 ? 32 : 16;
  x.dst_columns = ceil_div(call.n, x.width);
  x.dst_row = call.dst_stride * (call.row_major ? x.size : LocalMemory::kUnit);
  x.dst_matrix = call.row_major ? call.dst_matrix_stride * x.size : 0;
  x.dst_bytes = call.row_major ? (call.matrices - 1) * x.dst_matrix + (call.m - 1) * x.dst_row + call.n * x.size
                               : (x.dst_columns - 1) * x.dst_row + call.m * x.width * x.size;
  return x;
}

// Two rows of the output, or two of its columns of fractals, have a place in common.
bool overwrites(const kgnpu::FixpipeCall& call, const Layout& x) {
  if (!call.row_major) return x.dst_columns > 1 && x.dst_row < call.m * x.width * x.size;
  const std::int64_t row = call.n * x.size;
  if (surely_lie_apart(row, {{call.matrices, x.dst_matrix}, {call.m, x.dst_row}})) return false;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < call.matrices; ++i)
    for (std::int64_t r = 0; r < call.m; ++r) starts.push_back(i * x.dst_matrix + r * x.dst_row);
  std::sort(starts.begin(), starts.end());
  return std::adjacent_find(starts.begin(), starts.end(),
                            [&](std::int64_t a, std::int64_t b) { return b - a < row; }) != starts.end();
}

void check_strides(Core& core, const kgnpu::FixpipeCall& call, const Layout& x) {
  if (overwrites(call, x))
    core.error(FaultClass::kArgument, call.name, ": with dstStride ", call.dst_stride,
               (call.matrices > 1 ? ", dstNdStride " + std::to_string(call.dst_matrix_stride) : ""), " and ", call.m,
               " x ", call.n, " elements parts of the output overwrite each other");
  if (x.columns > 1 && call.src_stride < call.m)
    core.warning(FaultClass::kArgument, call.name, ": srcStride ", call.src_stride, " is below mSize ", call.m,
                 ", so rows of one column of fractals are read as rows of the next");
}

Target target_of(Core& core, const kgnpu::FixpipeCall& call, const Layout& x) {
  Target target{.name = call.name};
  if (call.local != nullptr) {
    memory_among(core, call.name, "the destination tensor", *call.local, {Memory::kL1});
    check_local(core, call.name, "the destination tensor", *call.local, x.dst_bytes, {.memory = Memory::kL1});
    target.start = call.local->address;
  } else {
    target.allocation =
        &check_global_range(core, call.name, call.gm, static_cast<std::uint64_t>(x.dst_bytes), /*writes=*/true);
    target.start = static_cast<std::int64_t>(call.gm - target.allocation->start());
  }
  return target;
}

// The last of the instructions, which each matrix to GM has one of.
Instruction issue_fixpipe(Core& core, const kgnpu::FixpipeCall& call, const Layout& x, const Target& target) {
  if (target.allocation == nullptr) {
    const std::int64_t bytes = call.matrices * call.m * call.n * x.size;
    return core.issue(kFix, chip::kFixpipeStart + static_cast<double>(bytes) / chip::kL0cBytesPerCycle,
                      chip::kCubeMoveLatency, call.name, static_cast<std::uint64_t>(bytes));
  }
  Instruction instruction;
  for (std::int64_t i = 0; i < call.matrices; ++i)
    instruction = issue_move(core, kFix, call.name,
                             {.allocation = target.allocation,
                              .offset = static_cast<std::uint64_t>(target.start + i * x.dst_matrix),
                              .blocks = call.row_major ? call.m : x.dst_columns,
                              .bytes = call.row_major ? call.n * x.size : call.m * x.width * x.size,
                              .stride = x.dst_row,
                              .writes = true});
  return instruction;
}

// A row of the output, and which of its bytes are defined.
struct Row {
  explicit Row(std::size_t bytes) : data(bytes), defined(bytes) {}
  std::vector<std::uint8_t> data, defined;
};

// The row of L0C whose first element is at `base`, quantised.
void quantise_row(Core& core, const kgnpu::FixpipeCall& call, const Layout& x, Memory scales_in, std::int64_t base,
                  Row& to) {
  LocalMemory& l0c = core.memory(Memory::kL0c);
  for (std::int64_t j = 0; j < call.n; ++j) {
    const std::int64_t from = base + j / 16 * x.src_column + j % 16 * 4;
    std::uint64_t word = call.scale;
    bool known = l0c.all_defined(from, 4);
    if (per_column(call.quantisation)) {
      const std::int64_t at = call.scales->address + j * 8;
      std::memcpy(&word, core.memory(scales_in).data() + at, 8);
      known = known && core.memory(scales_in).all_defined(at, 8);
    }
    const std::uint32_t bits =
        quantised(call.quantisation, call.src_type, call.dst_type, call.relu != 0, l0c.data() + from, word);
    std::memcpy(to.data.data() + j * x.size, &bits, static_cast<std::size_t>(x.size));
    std::memset(to.defined.data() + j * x.size, known, static_cast<std::size_t>(x.size));
  }
}

// Row `row` of matrix `matrix`.
void write_row(Core& core, const kgnpu::FixpipeCall& call, const Layout& x, const Target& target,
               const Instruction& instruction, std::int64_t matrix, std::int64_t row, const Row& from) {
  if (call.row_major) {
    write(core, target, instruction, matrix * x.dst_matrix + row * x.dst_row, from.data.data(), from.defined.data(),
          call.n * x.size);
    return;
  }
  for (std::int64_t column = 0; column < x.dst_columns; ++column) {
    const std::int64_t first = column * x.width, count = std::min(x.width, call.n - first);
    write(core, target, instruction, column * x.dst_row + row * x.width * x.size, from.data.data() + first * x.size,
          from.defined.data() + first * x.size, count * x.size);
  }
}

// The call with the scales of the registers.
kgnpu::FixpipeCall with_registers(Core& core, kgnpu::FixpipeCall call) {
  const CubeState& state = core.cube;
  const bool column = per_column(call.quantisation);
  if (column ? !state.fixpipe_scales : takes_scale(call.quantisation) && !state.fixpipe_scale)
    core.fail(FaultClass::kArgument, call.name, ": quantPre ", call.quantisation,
              (column ? " takes one scale a column, but SetFixPipeConfig was never called"
                      : " takes a scale, but SetFixpipePreQuantFlag was never called"));
  if (state.fixpipe_scale) call.scale = *state.fixpipe_scale;
  if (state.fixpipe_scales) call.scales = &*state.fixpipe_scales;
  return call;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_set_nd_para(uint64_t config) {
  CubeState& state = core().cube;
  state.nd_para = config;
  state.has_nd_para = true;
}

void kgnpu_set_fixpipe_scale(uint64_t scale) { core().cube.fixpipe_scale = scale; }

void kgnpu_set_fixpipe_scales(const kgnpu::Local* scales, int line) {
  Core& self = core();
  if (!begin_cube_call(self, line)) return;
  if (scales->bytes == 0) return self.cube.fixpipe_scales.reset();  // an empty tensor: none
  memory_among(self, "SetFixPipeConfig", "the tensor of scales", *scales, {Memory::kFixpipe});
  self.cube.fixpipe_scales = *scales;
}

uint64_t kgnpu_nd_para(const char* name, int line) {
  Core& self = core();
  if (!begin_cube_call(self, line) || self.cube.has_nd_para) return self.cube.nd_para;
  self.fail(FaultClass::kArgument, name,
            ": output by rows (nz2ndEn, NZ2ND_EN) takes the number of matrices and their distances from "
            "SetFixpipeNz2ndFlag, in raw code set_nd_para; it was never called");
}

void kgnpu_fixpipe(const kgnpu::FixpipeCall* given) {
  Core& self = core();
  if (!begin_cube_call(self, given->line)) return;
  const kgnpu::FixpipeCall used = given->register_scales != 0 ? with_registers(self, *given) : *given;
  const kgnpu::FixpipeCall* const call = &used;
  const char* const name = call->name;
  if (call->m <= 0 || call->n <= 0 || call->matrices <= 0)
    return self.warning(FaultClass::kArgument, name, ": mSize, nSize or ndNum is 0, so the call does nothing");
  check_arguments(self, *call);
  const Layout x = layout_of(*call);
  check_strides(self, *call, x);
  if (call->matrices * call->m * x.columns * 64 > kind_of(Memory::kL0c).bytes)
    self.fail(FaultClass::kUb, name, ": ", call->matrices, " matrices of ", call->m, " x ", call->n,
              " are more than L0C holds");
  memory_among(self, name, "the source tensor", *call->src, {Memory::kL0c});
  check_local(self, name, "the source tensor", *call->src, x.src_bytes, {.memory = Memory::kL0c});
  const Target target = target_of(self, *call, x);
  Memory scales_in = Memory::kL1;
  if (per_column(call->quantisation)) {
    scales_in = memory_among(self, name, "the tensor of scales", *call->scales, {Memory::kL1, Memory::kFixpipe});
    check_local(self, name, "the tensor of scales", *call->scales, call->n * 8, {.memory = scales_in});
  }

  if (call->unit_flag != 0) self.pipes.wait(kFix, self.cube.unit_flag_mmad);
  const Instruction instruction = issue_fixpipe(self, *call, x, target);
  if (call->unit_flag != 0) self.cube.unit_flag_fixpipe = self.pipes.set(kFix);
  if (per_column(call->quantisation))
    touch_local(self, name, instruction, call->scales->address, call->n * 8, /*writes=*/false, scales_in);

  Row row_of_output(static_cast<std::size_t>(x.columns * 16 * x.size));
  for (std::int64_t i = 0; i < call->matrices; ++i) {
    const std::int64_t base = call->src->address + i * call->src_matrix_stride * 1024;
    for (std::int64_t column = 0; column < x.columns; ++column)
      touch_local(self, name, instruction, base + column * x.src_column, call->m * 64, /*writes=*/false, Memory::kL0c);
    for (std::int64_t row = 0; row < call->m; ++row) {
      quantise_row(self, *call, x, scales_in, base + row * 64, row_of_output);
      write_row(self, *call, x, target, instruction, i, row, row_of_output);
    }
  }
}

}  // extern "C"
