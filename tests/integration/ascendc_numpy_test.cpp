// Numbers of every call against numpy and mpmath: ascendc_numpy_reference.py computed them from the same inputs, which
// both sides make by one recipe, and left checksums (bit by bit) or values in ascendc_numpy_fixture.txt.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "ascendc_kernel.h"
#include "ascendc_numpy_cases.h"
#include "sandbox/ascendc/include/kgnpu/number.h"

namespace kg::sandbox::ascendc::testing {
namespace {

// --- the recipe; ascendc_numpy_reference.py has it too

std::uint64_t mix(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t z = ((stream << 32) + i + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return z ^ z >> 31;
}

// Zeros, subnormals, ones, largest, infinities, NaN, and 2^23 + 1.
constexpr std::uint32_t kSpecials[16] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,
                                         0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x7F7FFFFF, 0xFF7FFFFF,
                                         0x7F800000, 0xFF800000, 0x7FC00000, 0x4B000001};

std::uint64_t sign_extended(std::uint64_t value, int bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
}

// The bits of element i of operand x (0), y (1) or c (2).
std::uint64_t input_bits(const std::string& type, Inputs inputs, std::uint64_t operand, std::uint64_t i) {
  const std::uint64_t random = mix(operand, i);
  if (inputs == Inputs::kMild) {
    if (type == "half")
      return kgnpu::half_bits(static_cast<float>(static_cast<std::int64_t>(random % 2001) - 1000) / 64);
    return kgnpu::bits_of_float(static_cast<float>(static_cast<std::int64_t>(random % 4001) - 2000) / 128);
  }
  if (type == "half" || type == "bfloat16_t" || type == "int16_t" || type == "uint16_t")
    return operand == 0 && i < 65536 ? i : random & 0xFFFF;
  if (type == "int8_t" || type == "uint8_t") return operand == 0 ? i & 0xFF : random & 0xFF;
  if (type == "float") {
    if (i < 256) return kSpecials[operand == 0 ? i / 16 : operand == 1 ? i % 16 : i * 7 % 16];
    if (i % 2 == 1) return random & 0xFFFFFFFF;
    return (random & 0x807FFFFF) | (96 + (random >> 40) % 64) << 23;
  }
  constexpr std::uint64_t kEdges[4] = {0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0, 0xFFFFFFFFFFFFFFFF};
  const bool wide = type == "int64_t";
  if (i < 4) return wide ? kEdges[(i + operand) % 4] : kEdges[(i + operand) % 4] >> 32;
  const std::uint64_t value = i % 3 == 0   ? random
                              : i % 3 == 1 ? sign_extended(random & 0xFFFFFFFF, 32)
                                           : sign_extended(random & 0xFFFF, 16);
  return wide ? value : value & 0xFFFFFFFF;
}

std::size_t bytes_of(const std::string& type) {
  return type == "float" || type == "int32_t" || type == "uint32_t" ? 4
         : type == "int64_t"                                        ? 8
         : type == "int8_t" || type == "uint8_t"                    ? 1
                                                                    : 2;
}

std::size_t elements_of(const NumpyCase& row, const std::string& in) {
  if (row.tolerance > 0) return 256;
  const std::size_t bytes = bytes_of(in);
  switch (row.inputs) {
    case Inputs::kMild:
      return 16384;
    case Inputs::kFew:
      return bytes == 2 ? 65536 : 4096;
    case Inputs::kOne:
      return bytes <= 2 ? 65536 : std::size_t{1} << 17;
    default:
      return bytes <= 2 ? std::size_t{1} << 20 : std::size_t{1} << 17;
  }
}

std::uint64_t without_nan_payload(const std::string& type, std::uint64_t bits) {
  if (type == "float" && (bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC00000;
  if (type == "half" && (bits & 0x7FFF) > 0x7C00) return 0x7E00;
  if (type == "bfloat16_t" && (bits & 0x7FFF) > 0x7F80) return 0x7FC0;
  return bits;
}

// --- running

// Tile by tile: x, y, c and the old z in, z out.
std::string kernel_of(const TypedCase& one, std::size_t count, std::size_t tile, std::size_t out_of_tile) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing I = " + one.in + "; using O = " + one.out +
         ";\nconstexpr uint32_t n = " + std::to_string(tile) + ", out = " + std::to_string(out_of_tile) +
         ", tiles = " + std::to_string(count / tile) + R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR cg, GM_ADDR og, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bc, bz, bw;
  pipe.InitBuffer(bx, n * sizeof(I)); pipe.InitBuffer(by, n * sizeof(I)); pipe.InitBuffer(bc, n * sizeof(I));
  pipe.InitBuffer(bz, n * sizeof(O)); pipe.InitBuffer(bw, n * sizeof(O));
  GlobalTensor<I> xGm, yGm, cGm; GlobalTensor<O> oGm, zGm;
  xGm.SetGlobalBuffer((__gm__ I*)xg); yGm.SetGlobalBuffer((__gm__ I*)yg); cGm.SetGlobalBuffer((__gm__ I*)cg);
  oGm.SetGlobalBuffer((__gm__ O*)og); zGm.SetGlobalBuffer((__gm__ O*)zg);
  LocalTensor<I> x = bx.Get<I>(), y = by.Get<I>(), c = bc.Get<I>();
  LocalTensor<O> z = bz.Get<O>(), work = bw.Get<O>();
  LocalTensor<uint8_t> scratch = bw.Get<uint8_t>();
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    DataCopy(x, xGm[tile * n], n); DataCopy(y, yGm[tile * n], n); DataCopy(c, cGm[tile * n], n); DataCopy(z, oGm[tile * n], n);
    PipeBarrier<PIPE_ALL>();
    {
)" + one.row->compute +
         R"(
    }
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(zGm[tile * out], z, DataCopyExtParams(1, out * sizeof(O), 0, 0, 0));
    PipeBarrier<PIPE_ALL>();
  }
}
)";
}

proto::Tensor input(const char* name, const std::string& type, const TypedCase& one, std::uint64_t operand,
                    std::size_t count) {
  proto::Tensor tensor;
  tensor.set_name(name);
  tensor.set_dtype(dtype_of(type));
  tensor.add_shape(static_cast<std::int64_t>(count));
  const std::size_t bytes = bytes_of(type);
  std::string& data = *tensor.mutable_data();
  data.resize(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = input_bits(type, one.row->inputs, operand, i);
    std::memcpy(data.data() + i * bytes, &bits, bytes);
  }
  return tensor;
}

// The bits of the results.
std::vector<std::uint64_t> run(const TypedCase& one) {
  const std::size_t count = elements_of(*one.row, one.in), tile = std::min<std::size_t>(count, 4096);
  const std::size_t tile_bytes = tile * bytes_of(one.in);
  const Outputs outputs = one.row->outputs;
  const std::size_t out = outputs == Outputs::kEach      ? tile
                          : outputs == Outputs::kBits    ? tile / 8
                          : outputs == Outputs::kRepeats ? tile_bytes / 256
                          : outputs == Outputs::kBlocks  ? tile_bytes / 32
                          : outputs == Outputs::kPairs   ? tile / 2
                                                         : 1;
  proto::RunCase run_case;
  *run_case.add_inputs() = input("x", one.in, one, 0, count);
  *run_case.add_inputs() = input("y", one.in, one, 1, count);
  *run_case.add_inputs() = input("c", one.in, one, 2, count);
  *run_case.add_inputs() = input("o", one.out, one, 2, count);
  add_output(run_case, "z", dtype_of(one.out), static_cast<std::int64_t>(count / tile * out));
  const auto result = run_kernel(kernel_of(one, count, tile, out), "k", run_case);
  EXPECT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  std::vector<std::uint64_t> bits;
  if (result.outputs_size() == 0) return bits;
  const std::size_t bytes = bytes_of(one.out);
  const std::string& data = result.outputs(0).data();
  for (std::size_t at = 0; at + bytes <= data.size(); at += bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + at, bytes);
    bits.push_back(without_nan_payload(one.out, word));
  }
  return bits;
}

// --- the fixture: "name exact count checksum x 16" or "name close count value ..." (bits of float)

struct Expected {
  bool exact = true;
  std::size_t count = 0;
  std::vector<std::uint64_t> numbers;
};
const std::map<std::string, Expected>& fixture() {
  static const auto read = [] {
    std::map<std::string, Expected> rows;
    std::ifstream in(KG_SOURCE_DIR "/tests/integration/ascendc_numpy_fixture.txt");
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string name, kind, number;
      Expected row;
      words >> name >> kind >> row.count;
      row.exact = kind == "exact";
      while (words >> number) row.numbers.push_back(std::stoull(number, nullptr, 16));
      rows[name] = row;
    }
    return rows;
  }();
  return read;
}

double value_of(const std::string& type, std::uint64_t bits) {
  return type == "half" ? kgnpu::half_value(static_cast<std::uint16_t>(bits))
                        : kgnpu::float_of_bits(static_cast<std::uint32_t>(bits));
}

class Numpy : public ::testing::TestWithParam<TypedCase> {};

TEST_P(Numpy, HasTheSameNumbers) {
  const TypedCase& one = GetParam();
  const auto row = fixture().find(one.name);
  ASSERT_NE(row, fixture().end()) << "run ascendc_numpy_reference.py --write";
  const Expected& expected = row->second;
  const std::vector<std::uint64_t> got = run(one);
  ASSERT_EQ(got.size(), expected.count);
  if (expected.exact) {
    std::vector<std::uint64_t> sums(16);
    for (std::size_t i = 0; i < got.size(); ++i) sums[i * 16 / got.size()] += (got[i] + 1) * (mix(99, i) | 1);
    for (std::size_t part = 0; part < 16; ++part)
      EXPECT_EQ(sums[part], expected.numbers[part])
          << "elements " << part * got.size() / 16 << " on; ascendc_numpy_reference.py --show " << one.name
          << " prints what numpy has";
    return;
  }
  ASSERT_EQ(expected.numbers.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double is = value_of(one.out, got[i]), wanted = value_of("float", expected.numbers[i]);
    if (wanted != wanted || std::isinf(wanted))
      EXPECT_TRUE(is == wanted || (is != is && wanted != wanted)) << i << ": " << is << " not " << wanted;
    else
      EXPECT_NEAR(is, wanted, one.row->tolerance * std::max(1.0, std::fabs(wanted))) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Calls, Numpy, ::testing::ValuesIn(typed_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(NumpyFixture, HoldsTheCasesAndNoOthers) {
  EXPECT_EQ(fixture().size(), typed_cases().size());
  for (const TypedCase& one : typed_cases()) EXPECT_TRUE(fixture().contains(one.name)) << one.name;
}

}  // namespace
}  // namespace kg::sandbox::ascendc::testing
