// Numbers of every call on tiles of elements against numpy and mpmath: ascendc_numpy_reference.py computed them from
// the same inputs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "ascendc_kernel.h"
#include "ascendc_numpy_cases.h"
#include "ascendc_numpy_fixture.h"

namespace kg::npu::testing {
namespace {

const Fixture& fixture() {
  static const Fixture read = read_fixture("ascendc_numpy_fixture.txt");
  return read;
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

// What a kernel has to know of a case.
struct Sizes {
  std::size_t count, tile, out_of_tile;  // elements of x; elements and results of a tile
};

Sizes sizes_of(const TypedCase& one) {
  const std::size_t count = elements_of(*one.row, one.in), tile = std::min<std::size_t>(count, 4096);
  const std::size_t tile_bytes = tile * bytes_of(one.in);
  const Outputs outputs = one.row->outputs;
  return {count, tile,
          outputs == Outputs::kEach      ? tile
          : outputs == Outputs::kBits    ? tile / 8
          : outputs == Outputs::kRepeats ? tile_bytes / 256
          : outputs == Outputs::kBlocks  ? tile_bytes / 32
          : outputs == Outputs::kPairs   ? tile / 2
                                         : 1};
}

// Tile by tile: x, y, c and the old z in, z out. In a namespace, so that several share a source.
std::string body_of(const TypedCase& one, std::size_t number) {
  const Sizes sizes = sizes_of(one);
  return "namespace case" + std::to_string(number) + " {\nusing I = " + one.in + "; using O = " + one.out +
         ";\nconstexpr uint32_t n = " + std::to_string(sizes.tile) + ", out = " + std::to_string(sizes.out_of_tile) +
         ", tiles = " + std::to_string(sizes.count / sizes.tile) + R"(;
__aicore__ inline __attribute__((noinline)) void run(GM_ADDR xg, GM_ADDR yg, GM_ADDR cg, GM_ADDR og, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bc, bz, bw;
  pipe.InitBuffer(bx, n * sizeof(I)); pipe.InitBuffer(by, n * sizeof(I)); pipe.InitBuffer(bc, n * sizeof(I));
  pipe.InitBuffer(bz, n * sizeof(O)); pipe.InitBuffer(bw, n * sizeof(O) + 2048);
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
}
)";
}

const std::vector<TypedCase>& cases() {
  static const std::vector<TypedCase> all = typed_cases();
  return all;
}

// The kernel of case `number` and of its neighbours, since most of a compilation is what they have in common.
std::string kernel_of(std::size_t number) {
  constexpr std::size_t kTogether = 12;
  const std::size_t first = number / kTogether * kTogether, end = std::min(first + kTogether, cases().size());
  std::string source = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n", choice;
  for (std::size_t i = first; i < end; ++i) {
    source += body_of(cases()[i], i);
    choice += "    case " + std::to_string(i) + ": return case" + std::to_string(i) + "::run(xg, yg, cg, og, zg);\n";
  }
  return source +
         "extern \"C\" __global__ __aicore__ void k(GM_ADDR which, GM_ADDR xg, GM_ADDR yg, GM_ADDR cg, GM_ADDR og, "
         "GM_ADDR zg) {\n  switch (*(__gm__ int32_t*)which) {\n" +
         choice + "  }\n}\n";
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
std::vector<std::uint64_t> run(std::size_t number) {
  const TypedCase& one = cases()[number];
  const Sizes sizes = sizes_of(one);
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("which", proto::INT32, {static_cast<double>(number)});
  *run_case.add_inputs() = input("x", one.in, one, 0, sizes.count);
  *run_case.add_inputs() = input("y", one.in, one, 1, sizes.count);
  *run_case.add_inputs() = input("c", one.in, one, 2, sizes.count);
  *run_case.add_inputs() = input("o", one.out, one, 2, sizes.count);
  add_output(run_case, "z", dtype_of(one.out), static_cast<std::int64_t>(sizes.count / sizes.tile * sizes.out_of_tile));
  const auto result = run_kernel(kernel_of(number), "k", run_case);
  EXPECT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  return result.outputs_size() == 0 ? std::vector<std::uint64_t>() : bits_of(result.outputs(0).data(), one.out);
}

class Numpy : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Numpy, HasTheSameNumbers) {
  const TypedCase& one = cases()[GetParam()];
  expect_numbers(fixture(), one.name, one.out, run(GetParam()), one.row->tolerance);
}
INSTANTIATE_TEST_SUITE_P(Calls, Numpy, ::testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

TEST(NumpyFixture, HoldsTheCasesAndNoOthers) {
  EXPECT_EQ(fixture().size(), cases().size());
  for (const TypedCase& one : cases()) EXPECT_TRUE(fixture().contains(one.name)) << one.name;
}

}  // namespace
}  // namespace kg::npu::testing
