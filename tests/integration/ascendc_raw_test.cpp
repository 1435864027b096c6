// Raw intrinsics: each gives the bits of the call that it stands behind (those are compared with numpy), and raw copies
// and atomics move what the documentation of their parameters says. The headers say which intrinsics there are.

#include <algorithm>
#include <map>

#include "ascendc_value_kernel.h"
#include "sandbox/checks/form_families.h"

namespace kg::npu::testing {
namespace {

// Every intrinsic from one data type to another, and behind each its call, over 512 elements.
std::string raw_kernel(const std::string& in, const std::string& out, const std::vector<std::string>& statements) {
  std::string source = "#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing I = " + in +
                       "; using O = " + out +
                       R"(;
constexpr int n = 512, widest = sizeof(I) > sizeof(O) ? sizeof(I) : sizeof(O), repeats = n * widest / 256;
constexpr int dr = 8 * sizeof(O) / widest, sr = 8 * sizeof(I) / widest;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bw; pipe.InitBuffer(bx, n * sizeof(I)); pipe.InitBuffer(by, n * sizeof(I)); pipe.InitBuffer(bw, n * sizeof(O));
  GlobalTensor<I> xGm, yGm; GlobalTensor<O> zGm; xGm.SetGlobalBuffer((__gm__ I*)xg); yGm.SetGlobalBuffer((__gm__ I*)yg); zGm.SetGlobalBuffer((__gm__ O*)zg);
  LocalTensor<I> x = bx.Get<I>(), y = by.Get<I>(); LocalTensor<O> w = bw.Get<O>();
  DataCopy(x, xGm, n); DataCopy(y, yGm, n); PipeBarrier<PIPE_ALL>();
  __ubuf__ I* a = x.GetPhyAddr(); __ubuf__ I* b = y.GetPhyAddr(); __ubuf__ O* c = w.GetPhyAddr();
)";
  for (std::size_t i = 0; i < statements.size(); ++i)
    source +=
        "  Duplicate(w.ReinterpretCast<int16_t>(), (int16_t)0x3A00, n * sizeof(O) / 2); set_mask_norm(); "
        "set_vector_mask(~0ULL, ~0ULL); SetDeqScale((half)0.5f); " +
        statements[i] + " PipeBarrier<PIPE_ALL>(); DataCopy(zGm[" + std::to_string(i) +
        " * n], w, n); PipeBarrier<PIPE_ALL>();\n";
  return source + "}\n";
}

TEST(RawCalls, GiveTheBitsOfTheCall) {
  const sandbox::CallForms forms = sandbox::read_call_forms(KG_SOURCE_DIR "/npu/headers");
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_types;
  for (const auto& [name, form] : forms)
    if (const auto raw = sandbox::raw_intrinsic(name, form)) {
      std::vector<std::string>& statements = by_types[{raw->in, raw->out}];
      statements.push_back(name + "(" + raw->arguments + ");");
      statements.push_back(raw->call);
    }
  std::size_t intrinsics = 0;
  for (const auto& [types, statements] : by_types) {
    const auto& [in, out] = types;
    const bool real = in.find("int") == std::string::npos;
    const auto input = [&](std::size_t step) {
      return map(512, [&](std::size_t i) { return (static_cast<double>(i * step % 251) - 125) / (real ? 8 : 1); });
    };
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", dtype_of(in), input(37));
    *run_case.add_inputs() = tensor("y", dtype_of(in), input(53));
    add_output(run_case, "z", dtype_of(out), static_cast<std::int64_t>(statements.size() * 512));
    const auto result = run_kernel(raw_kernel(in, out, statements), "k", run_case);
    ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
    EXPECT_EQ(errors_of(result), "") << in << " to " << out << ": " << result.faults(0).message();
    const std::string& data = result.outputs(0).data();
    const std::size_t bytes = data.size() / statements.size();
    for (std::size_t i = 0; i < statements.size(); i += 2) {
      const std::string raw = data.substr(i * bytes, bytes);
      EXPECT_EQ(raw, data.substr((i + 1) * bytes, bytes)) << statements[i] << " from " << in << " to " << out;
      EXPECT_NE(raw.substr(0, bytes / 2), raw.substr(bytes / 2)) << statements[i] << " from " << in << " to " << out;
      ++intrinsics;
    }
  }
  EXPECT_GE(intrinsics, 120u);
}

class RawMoves : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(RawMoves, MoveWhatTheirParametersSay) {
  expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60));
}
#define KG_COPIED                                                                                            \
  "PipeBarrier<PIPE_ALL>(); __gm__ O* from = (__gm__ O*)xg; __gm__ O* to = (__gm__ O*)zg; __ubuf__ O* ub = " \
  "z.GetPhyAddr();\n"

// Blocks of `length` elements `step` apart.
Values blocks(const Values& x, std::size_t count, std::size_t length, std::size_t step, std::size_t to_step) {
  Values z((count - 1) * to_step + length);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t i = 0; i < length; ++i) z[b * to_step + i] = x[b * step + i];
  return z;
}

INSTANTIATE_TEST_SUITE_P(
    Copies, RawMoves,
    ::testing::Values(
        ValueKernel{"InBlocks", "float", "float",
                    KG_COPIED "copy_gm_to_ubuf(ub, from, 0, 3, 2, 4, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 48, 24); }},
        ValueKernel{"OutBlocks", "float", "float",
                    KG_COPIED "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm(to, ub, 0, 3, 2, 4, 1); "
                              "PipeBarrier<PIPE_ALL>(); Duplicate(z, 0.0f, n); PipeBarrier<PIPE_ALL>(); "
                              "copy_gm_to_ubuf(ub, to, 0, 3, 2, 1, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 48, 24); }},
        ValueKernel{"InBytes8", "uint8_t", "uint8_t",
                    KG_COPIED "copy_gm_to_ubuf_align_b8(ub, from, 0, 3, 32, 0, 0, 5, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 32, 37, 64); }},
        ValueKernel{"InBytes16", "half", "half",
                    KG_COPIED "copy_gm_to_ubuf_align_b16(ub, from, 0, 3, 32, 0, 0, 6, 1); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return blocks(x, 3, 16, 19, 32); }},
        ValueKernel{"InBytes32Padded", "float", "float",
                    KG_COPIED "set_mov_pad_val(0x40E00000); copy_gm_to_ubuf_align_b32(ub, from, 0, 3, 20, 1, 2, 4, 0); "
                              "PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) {
                      return map(
                          24, [&](std::size_t i) { return i % 8 == 0 || i % 8 > 5 ? 7.0 : x[i / 8 * 6 + i % 8 - 1]; });
                    }},
        ValueKernel{"OutBytes32", "float", "float",
                    KG_COPIED
                    "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b32(to, ub, 0, 3, 12, 0, 0, "
                    "1, 4); PipeBarrier<PIPE_ALL>(); Duplicate(z, 0.0f, n); PipeBarrier<PIPE_ALL>(); "
                    "copy_gm_to_ubuf_align_b32(ub, to, 0, 3, 12, 0, 0, 4, 0); PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) {
                      return map(24, [&](std::size_t i) { return i % 8 < 3 ? x[i / 8 * 16 + i % 8] : NAN; });
                    }},
        ValueKernel{"OutBytes16And8", "half", "half",
                    KG_COPIED
                    "DataCopy(z, x, n); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b16(to, ub, 0, 1, 6, 0, 0, 0, "
                    "0); PipeBarrier<PIPE_ALL>(); copy_ubuf_to_gm_align_b8(to + 3, ub + 64, 0, 1, 4, 0, 0, 0, 0);\n"
                    "PipeBarrier<PIPE_ALL>(); copy_gm_to_ubuf_align_b16(ub, to, 0, 1, 10, 0, 0, 0, 0); "
                    "PipeBarrier<PIPE_ALL>();",
                    [](const Values& x, const Values&) { return Values{x[0], x[1], x[2], x[64], x[65]}; }},
        ValueKernel{
            "TransposeOfWords", "float", "float",
            "uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) { d[i] = (uint64_t)z[i * 8].GetPhyAddr(); s[i] = "
            "(uint64_t)x[i * 8].GetPhyAddr(); }\n"
            "set_va_reg(VA0, d); set_va_reg(VA1, d + 8); set_va_reg(VA2, s); set_va_reg(VA3, s + 8); "
            "scatter_vnchwconv_b32(VA0, VA2, 1, 0, 0);",
            [](const Values& x, const Values&) {  // 16 rows of 8 become 8 rows of 16, two blocks a row
              return map(128, [&](std::size_t i) { return x[i % 16 * 8 + i / 16]; });
            }}),
    [](const auto& info) { return info.param.name; });

TEST(RawAtomics, AddInTheTypeOfTheirName) {
  struct Atomic {
    const char *type, *set;
  };
  for (const auto& [type, set] :
       {Atomic{"float", "set_atomic_f32"}, Atomic{"half", "set_atomic_f16"}, Atomic{"bfloat16_t", "set_atomic_bf16"},
        Atomic{"int32_t", "set_atomic_s32"}, Atomic{"int16_t", "set_atomic_s16"}, Atomic{"int8_t", "set_atomic_s8"}}) {
    const std::string source = std::string("#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing T = ") +
                               type +
                               R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 256); GlobalTensor<T> x, z;
  x.SetGlobalBuffer((__gm__ T*)xg); z.SetGlobalBuffer((__gm__ T*)zg); LocalTensor<T> a = buffer.Get<T>();
  DataCopy(a, x, 64); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 64); PipeBarrier<PIPE_ALL>();
  )" + set + R"((); DataCopy(z, a, 64); PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 64); set_atomic_none();
})";
    const Values x = map(64, [](std::size_t i) { return static_cast<double>(i % 13) - 6; });
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", dtype_of(type), x);
    add_output(run_case, "z", dtype_of(type), 64);
    const auto result = run_kernel(source, "k", run_case);
    EXPECT_EQ(errors_of(result), "") << type << result.ShortDebugString();
    EXPECT_EQ(values_of(result.outputs(0)), map(64, [&](std::size_t i) { return 3 * x[i]; })) << type;
  }
}

}  // namespace
}  // namespace kg::npu::testing
