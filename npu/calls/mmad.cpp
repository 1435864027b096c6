// Mmad: C = A * B + start, over fractals. A in L0A: 16 x C0 fractals by rows, their order by rows. B in L0B: C0 x 16
// fractals by columns, their order by rows. C in L0C: 16 x 16 fractals by rows, their order by columns.

#include <algorithm>
#include <cstring>

#include "npu/calls/convert.h"
#include "npu/calls/matrix_product.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/number.h"
#include "npu/machine/cube.h"

namespace kg::npu {
namespace {

using kgnpu::MatrixStart;
using kgnpu::Type;

struct Shape {
  std::int64_t m, n, k;
  std::int64_t element, c0;         // bytes of an element of A and B, elements in 32 bytes
  std::int64_t k_fractals;          // in a row of fractals of A
  std::int64_t n_fractals, c_rows;  // for C, rows in whole fractals
  bool vector;                      // M is 1: A is k contiguous elements
  std::int64_t a_bytes, b_bytes, c_bytes;

  std::int64_t a_place(std::int64_t row, std::int64_t column) const {
    if (vector) return column * element;
    return (row / 16 * k_fractals + column / c0) * kFractalBytes + row % 16 * LocalMemory::kUnit +
           column % c0 * element;
  }
};

Shape shape_of(const kgnpu::MmadCall& call) {
  Shape s{};
  s.m = call.m;
  s.n = call.n;
  s.k = call.k;
  s.element = call.a_type == Type::kInt8 ? 1 : call.a_type == Type::kFloat ? 4 : 2;
  s.c0 = LocalMemory::kUnit / s.element;
  const std::int64_t k_whole = call.k_in_sixteens && s.element == 4 ? ceil_div(s.k, 16) * 16 : s.k;
  s.k_fractals = ceil_div(k_whole, s.c0);
  s.n_fractals = ceil_div(s.n, 16);
  s.c_rows = ceil_div(s.m, 16) * 16;
  s.vector = s.m == 1;
  s.a_bytes = s.vector ? ceil_div(s.k * s.element, LocalMemory::kUnit) * LocalMemory::kUnit
                       : ceil_div(s.m, 16) * s.k_fractals * kFractalBytes;
  s.b_bytes = ceil_div(s.k, s.c0) * s.n_fractals * kFractalBytes;
  s.c_bytes = s.n_fractals * s.c_rows * 16 * 4;
  return s;
}

double steps(const Shape& s, Type type) {
  const std::int64_t k_step = type == Type::kInt8    ? chip::kMmadByteDepth
                              : type == Type::kFloat ? chip::kMmadFloatDepth
                                                     : chip::kMmadDepth;
  return static_cast<double>(ceil_div(s.m, 16) * s.n_fractals * ceil_div(s.k, k_step));
}

float as_float(Type type, const std::uint8_t* at) {
  if (type == Type::kFloat) {
    float value;
    std::memcpy(&value, at, 4);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, at, 2);
  return type == Type::kHalf ? kgnpu::half_value(bits) : kgnpu::bfloat16_value(bits);
}

// `n` contiguous elements.
void as_floats(Type type, const std::uint8_t* at, float* to, std::int64_t n) {
  if (type == Type::kHalf)
    widen_half(reinterpret_cast<const std::uint16_t*>(at), to, static_cast<std::size_t>(n));
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = as_float(type, at + i * (type == Type::kFloat ? 4 : 2));
}

// Kept between calls: a fiber never leaves in the middle of an instruction.
struct Scratch {
  std::vector<float> a, b;
  std::vector<std::int16_t> a_integers, b_integers;
};
Scratch& scratch() {
  static Scratch kept;
  return kept;
}

void multiply(const Shape& s, Type type, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c) {
  Scratch& buffers = scratch();
  const auto b_place = [&](std::int64_t row, std::int64_t column) {
    return (row / s.c0 * s.n_fractals + column / 16) * kFractalBytes + column % 16 * LocalMemory::kUnit +
           row % s.c0 * s.element;
  };
  if (type == Type::kInt8) {
    const std::int64_t k = ceil_div(s.k, 2) * 2;
    buffers.a_integers.assign(static_cast<std::size_t>(s.m * k), 0);
    buffers.b_integers.assign(static_cast<std::size_t>(s.n_fractals * k * 16), 0);
    for (std::int64_t row = 0; row < s.m; ++row)
      for (std::int64_t i = 0; i < s.k; ++i)
        buffers.a_integers[static_cast<std::size_t>(row * k + i)] = static_cast<std::int8_t>(a[s.a_place(row, i)]);
    for (std::int64_t i = 0; i < s.k; ++i)
      for (std::int64_t j = 0; j < s.n_fractals * 16; ++j)
        buffers.b_integers[static_cast<std::size_t>(j / 16 * k * 16 + i / 2 * 32 + j % 16 * 2 + i % 2)] =
            static_cast<std::int8_t>(b[b_place(i, j)]);
    multiply_integers(s.m, s.n, k, buffers.a_integers.data(), buffers.b_integers.data(),
                      reinterpret_cast<std::int32_t*>(c), s.c_rows);
    return;
  }
  buffers.a.resize(static_cast<std::size_t>(s.m * s.k));
  buffers.b.resize(static_cast<std::size_t>(s.n_fractals * s.k * 16));
  for (std::int64_t row = 0; row < s.m; ++row)
    for (std::int64_t i = 0; i < s.k; i += s.c0)
      as_floats(type, a + s.a_place(row, i), buffers.a.data() + row * s.k + i, std::min(s.c0, s.k - i));
  float column[16];
  for (std::int64_t i = 0; i < s.k; i += s.c0)
    for (std::int64_t j = 0; j < s.n_fractals * 16; ++j) {
      const std::int64_t rows = std::min(s.c0, s.k - i);
      as_floats(type, b + b_place(i, j), column, rows);
      float* to = buffers.b.data() + (j / 16 * s.k + i) * 16 + j % 16;
      for (std::int64_t r = 0; r < rows; ++r) to[r * 16] = column[r];
    }
  multiply_floats(s.m, s.n, s.k, buffers.a.data(), buffers.b.data(), reinterpret_cast<float*>(c), s.c_rows);
}

// Undefined elements of A spoil a row of C, those of B a column; the lanes beyond m and n hold garbage.
void mark_defined(const Shape& s, const LocalMemory& l0a, const std::int64_t a, const LocalMemory& l0b,
                  const std::int64_t b, LocalMemory& l0c, std::int64_t c) {
  if (!l0a.all_defined(a, s.a_bytes))
    for (std::int64_t row = 0; row < s.m; ++row) {
      bool defined = true;
      for (std::int64_t i = 0; i < s.k && defined; i += s.c0)
        defined = l0a.all_defined(a + s.a_place(row, i), std::min(s.c0, s.k - i) * s.element);
      for (std::int64_t column = 0; !defined && column < s.n_fractals; ++column)
        l0c.set_defined(c + (column * s.c_rows + row) * 64, 64, false);
    }
  if (!l0b.all_defined(b, s.b_bytes))
    for (std::int64_t column = 0; column < s.n; ++column) {
      bool defined = true;
      for (std::int64_t i = 0; i < s.k && defined; i += s.c0)
        defined = l0b.all_defined(b + (i / s.c0 * s.n_fractals + column / 16) * kFractalBytes + column % 16 * 32,
                                  std::min(s.c0, s.k - i) * s.element);
      for (std::int64_t row = 0; !defined && row < s.m; ++row)
        l0c.set_defined(c + (column / 16 * s.c_rows + row) * 64 + column % 16 * 4, 4, false);
    }
  for (std::int64_t column = 0; column < s.n_fractals; ++column) {
    const std::int64_t start = c + column * s.c_rows * 64;
    if (s.c_rows > s.m) l0c.set_defined(start + s.m * 64, (s.c_rows - s.m) * 64, false);
    if (column * 16 + 16 > s.n)
      for (std::int64_t row = 0; row < s.m; ++row)
        l0c.set_defined(start + row * 64 + s.n % 16 * 4, 64 - s.n % 16 * 4, false);
  }
}

void start_from_table(const Shape& s, LocalMemory& table, std::int64_t bias, LocalMemory& l0c, std::int64_t c) {
  for (std::int64_t column = 0; column < s.n_fractals; ++column) {
    const std::int64_t bytes = std::min<std::int64_t>(64, (s.n - column * 16) * 4);
    for (std::int64_t row = 0; row < s.m; ++row) {
      const std::int64_t to = c + (column * s.c_rows + row) * 64, from = bias + column * 64;
      std::memcpy(l0c.data() + to, table.data() + from, static_cast<std::size_t>(bytes));
      std::memcpy(l0c.defined() + to, table.defined() + from, static_cast<std::size_t>(bytes));
    }
  }
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" void kgnpu_mmad(const kgnpu::MmadCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  const char* const name = call->name;
  if (call->m > 4095 || call->n > 4095 || call->k > 4095)
    self.fail(FaultClass::kArgument, name, ": m, n and k are at most 4095");
  if (call->m == 0 || call->n == 0 || call->k == 0) return;
  const auto s = kg::npu::shape_of(*call);
  memory_among(self, name, "the left matrix", *call->a, {Memory::kL0a});
  memory_among(self, name, "the right matrix", *call->b, {Memory::kL0b});
  memory_among(self, name, "the result", *call->c, {Memory::kL0c});
  check_local(self, name, "the left matrix", *call->a, s.a_bytes, {.memory = Memory::kL0a});
  check_local(self, name, "the right matrix", *call->b, s.b_bytes, {.memory = Memory::kL0b});
  check_local(self, name, "the result", *call->c, s.c_bytes, {.memory = Memory::kL0c, .alignment = 1024});
  const bool from_table = call->start == kgnpu::MatrixStart::kBiasTable;
  if (from_table && call->bias == nullptr)
    self.fail(FaultClass::kArgument, name,
              ": cmatrixSource is true, so the call needs the bias as its fourth argument");
  if (from_table) {
    memory_among(self, name, "the bias", *call->bias, {Memory::kBias});
    check_local(self, name, "the bias", *call->bias, s.n * 4, {.memory = Memory::kBias});
    if (call->bias->address % 128 != 0)  // the memory itself takes multiples of 64
      self.warning(FaultClass::kUb, name, ": the bias starts at BT address ", call->bias->address,
                   "; the page of Mmad wants a multiple of 128 bytes");
  }
  if (call->unit_flag != 0) self.pipes.wait(kM, self.cube.unit_flag_fixpipe);
  const Instruction instruction = self.issue(kM, chip::kMmadStart + steps(s, call->a_type), chip::kMmadLatency, name,
                                             static_cast<std::uint64_t>(s.m * s.n));
  if (call->unit_flag != 0) self.cube.unit_flag_mmad = self.pipes.set(kM);
  touch_local(self, name, instruction, call->a->address, s.a_bytes, /*writes=*/false, Memory::kL0a);
  touch_local(self, name, instruction, call->b->address, s.b_bytes, /*writes=*/false, Memory::kL0b);
  if (from_table) touch_local(self, name, instruction, call->bias->address, s.n * 4, /*writes=*/false, Memory::kBias);
  touch_local(self, name, instruction, call->c->address, s.c_bytes, /*writes=*/true, Memory::kL0c);

  LocalMemory& l0c = self.memory(Memory::kL0c);
  const std::int64_t c = call->c->address;
  if (call->start != kgnpu::MatrixStart::kAccumulator) {
    std::memset(l0c.data() + c, 0, static_cast<std::size_t>(s.c_bytes));
    l0c.set_defined(c, s.c_bytes, true);
  }
  if (from_table) start_from_table(s, self.memory(Memory::kBias), call->bias->address, l0c, c);
  LocalMemory& l0a = self.memory(Memory::kL0a);
  LocalMemory& l0b = self.memory(Memory::kL0b);
  multiply(s, call->a_type, l0a.data() + call->a->address, l0b.data() + call->b->address, l0c.data() + c);
  mark_defined(s, l0a, call->a->address, l0b, call->b->address, l0c, c);
}
