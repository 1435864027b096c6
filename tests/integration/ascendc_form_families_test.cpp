// Every form of a family (masked by count and by bits, over the whole tensor, with a temporary buffer) of every call
// gives the numbers of its first-n form where it writes, and leaves the other lanes alone. The headers say which forms
// there are.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ascendc_kernel.h"
#include "sandbox/checks/form_families.h"

namespace kg::npu::testing {
namespace {

constexpr std::size_t kN = 256;

struct Call {
  std::string name, text;
  std::size_t base = 0;  // index of the first-n form's call
  std::optional<sandbox::FormVariant> variant;
};

std::string call_text(const std::string& name, const sandbox::CallForm& form) {
  std::string text = name + "(";
  int tensors = 0;
  for (const char letter : sandbox::form_signature(form)) {
    if (text.back() != '(') text += ", ";
    switch (letter) {
      case 'T':
        text += tensors == 0 ? "z" : tensors == 1 ? "x" : "y";
        ++tensors;
        break;
      case 'S':
        text += "scalar";
        break;
      case 'B':
        text += "scratch";
        break;
      case 'N':
        text += "n";
        break;
      case 'M':
        text += "(uint64_t)40";
        break;
      case 'A':
        text += "odd";
        break;
      case 'R':
        text += "n * sizeof(T) / 256";
        break;
      default:
        text += "{}";
        break;
    }
  }
  return text + ");";
}

// The calls of one data type: each first-n form, and behind it its variants.
std::vector<Call> calls_of(const std::string& type, const sandbox::CallForms& forms) {
  std::vector<Call> calls;
  std::map<const sandbox::CallForm*, std::vector<std::pair<const std::string*, const sandbox::CallForm*>>> families;
  for (const auto& [name, form] : forms)
    if (const auto member = sandbox::family_member(name, form, forms)) {
      const auto& types = member->first_n->types;
      if (std::find(types.begin(), types.end(), type) != types.end())
        families[member->first_n].emplace_back(&name, &form);
    }
  for (const auto& [first, members] : families) {
    const std::size_t base = calls.size();
    calls.push_back({*members.front().first, call_text(*members.front().first, *first), base, std::nullopt});
    for (const auto& [name, form] : members)
      calls.push_back({*name, call_text(*name, *form), base, sandbox::family_member(*name, *form, forms)->variant});
  }
  return calls;
}

std::string kernel_of(const std::string& type, const std::vector<Call>& calls) {
  std::string text = "#include \"kernel_operator.h\"\nusing namespace AscendC;\nusing T = " + type + R"(;
constexpr uint32_t n = 256;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TBuf<> bx, by, bz, bs; pipe.InitBuffer(bx, n * sizeof(T)); pipe.InitBuffer(by, n * sizeof(T)); pipe.InitBuffer(bz, n * sizeof(T)); pipe.InitBuffer(bs, 4096);
  GlobalTensor<T> xGm, yGm, zGm; xGm.SetGlobalBuffer((__gm__ T*)xg); yGm.SetGlobalBuffer((__gm__ T*)yg); zGm.SetGlobalBuffer((__gm__ T*)zg);
  LocalTensor<T> x = bx.Get<T>(), y = by.Get<T>(), z = bz.Get<T>(); LocalTensor<uint8_t> scratch = bs.Get<uint8_t>();
  uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAULL, sizeof(T) == 2 ? 0xAAAAAAAAAAAAAAAAULL : 0}; const T scalar = (T)2;
  DataCopy(x, xGm, n); DataCopy(y, yGm, n); PipeBarrier<PIPE_ALL>();
)";
  for (std::size_t i = 0; i < calls.size(); ++i)
    text += "  Duplicate(z, (T)3, n); " + calls[i].text + " PipeBarrier<PIPE_ALL>(); DataCopy(zGm[" +
            std::to_string(i) + " * n], z, n); PipeBarrier<PIPE_ALL>();\n";
  return text + "}\n";
}

class FormFamilies : public ::testing::TestWithParam<std::pair<const char*, proto::DType>> {};

TEST_P(FormFamilies, EveryFormAgreesWithTheFirst) {
  const auto& [type, dtype] = GetParam();
  static const sandbox::CallForms forms = sandbox::read_call_forms(KG_SOURCE_DIR "/npu/headers");
  const std::vector<Call> calls = calls_of(type, forms);
  const bool real = dtype == proto::FLOAT16 || dtype == proto::FLOAT32;
  ASSERT_GE(calls.size(), real ? 150u : 3u);
  std::vector<double> x(kN), y(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    x[i] = static_cast<double>(i * 37 % 61) / (real ? 64 : 1) + (real ? 0.015625 : 1);
    y[i] = static_cast<double>(i * 53 % 59) / (real ? 64 : 1) + (real ? 0.25 : 1);
  }
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype, x);
  *run_case.add_inputs() = tensor("y", dtype, y);
  add_output(run_case, "z", dtype, static_cast<std::int64_t>(calls.size() * kN));
  const auto result = run_kernel(kernel_of(type, calls), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const std::string& data = result.outputs(0).data();
  const std::size_t size = data.size() / calls.size() / kN, repeat = 256 / size;
  const std::string old = tensor("old", dtype, {3}).data();
  const auto element = [&](std::size_t call, std::size_t i) { return data.substr((call * kN + i) * size, size); };
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const Call& call = calls[k];
    bool wrote = false;
    for (std::size_t i = 0; i < kN; ++i) {
      const bool active = call.variant == sandbox::FormVariant::kMaskCount  ? i % repeat < 40
                          : call.variant == sandbox::FormVariant::kMaskBits ? i % 2 == 1
                                                                            : true;
      ASSERT_EQ(element(k, i), active ? element(call.base, i) : old) << call.text << " in " << type << " at " << i;
      wrote = wrote || element(k, i) != old;
    }
    EXPECT_TRUE(wrote) << call.text << " in " << type;
  }
}
INSTANTIATE_TEST_SUITE_P(Types, FormFamilies,
                         ::testing::Values(std::pair{"half", proto::FLOAT16}, std::pair{"float", proto::FLOAT32},
                                           std::pair{"int16_t", proto::INT16}, std::pair{"uint16_t", proto::UINT16},
                                           std::pair{"int32_t", proto::INT32}, std::pair{"uint32_t", proto::UINT32}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace kg::npu::testing
