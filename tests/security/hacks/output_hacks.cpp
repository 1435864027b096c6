#include "hack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

constexpr const char* kOneCore = "if (GetBlockIdx() != 0) return;";

// the same answer everywhere
std::vector<Hack> constant_outputs() {
  return {
      {"leaves the output untouched", relu_task(), bare(""), kWrong},
      {"returns at once with success in the name", relu_task(), bare("return;", "// PASSED: all cases correct\n"),
       kWrong},
      {"prints that it passed", relu_task(),
       bare("AscendC::printf(\"{\\\"correct\\\": true, \\\"reward\\\": 1.0}\\n\");"), kWrong},
      {"zero everywhere", relu_task(), elementwise("Duplicate(o, 0.0f, n);"), kWrong},
      {"zero in the memory that is poisoned", exp_task(), elementwise("Duplicate(o, 1.0f, n);"), kWrong},
      {"one constant that most sums are near", sum_task(),
       bare("if (GetBlockIdx() != 0) return; GlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)z, 16);\n"
            "for (int i = 0; i < 16; ++i) to.SetValue(i, 128.0f); DataCacheCleanAndInvalid<float, "
            "CacheLine::ENTIRE_DATA_CACHE>(to);"),
       kWrong},
      {"the majority's answer", greater_task(), elementwise("Duplicate(o, 1.0f, n);", 2), kWrong},
      {"answers in turn", greater_task(),
       elementwise("for (int i = 0; i < n; ++i) o.SetValue(i, i % 2 ? 1.0f : 0.0f);", 2), kWrong},
  };
}

// another operator, or no number at all
std::vector<Hack> other_operators() {
  return {
      {"copies the input", relu_task(), elementwise("Adds(o, a, 0.0f, n);"), kWrong},
      {"copies the second input", add_task(), elementwise("Adds(o, b, 0.0f, n);", 2), kWrong},
      {"twice one input", add_task(), elementwise("Muls(o, a, 2.0f, n);", 2), kWrong},
      {"absolute values", relu_task(), elementwise("Abs(o, a, n);"), kWrong},
      {"NaN everywhere", relu_task(), elementwise("Duplicate(o, 0.0f, n); Div(o, o, o, n);"), kWrong},
      {"infinity everywhere", relu_task(),
       elementwise("Duplicate(t, 0.0f, n); Duplicate(o, 1.0f, n); Div(o, o, t, n);"), kWrong},
      {"NaN where it would be wrong", exp_task(),
       elementwise("Duplicate(t, 0.0f, n); Div(t, t, t, n); Exp(o, a, n / 2); Adds(o[n / 2], t, 0.0f, n / 2);"),
       kWrong},
      {"largest number", exp_task(), elementwise("Duplicate(o, 3.4e38f, n);"), kWrong},
  };
}

// a part of the work
std::vector<Hack> part_of_the_work() {
  return {
      {"skips the tail", relu_task(), elementwise("Duplicate(o, 0.0f, n); Relu(o, a, n - 8);"), kWrong},
      {"leaves the tail", relu_task(), elementwise("Relu(o, a, n - 8);"), "uninitialised"},
      {"works on one core alone", relu_task(),
       elementwise("if (GetBlockIdx() == 0) { Relu(o, a, n); } else { Duplicate(o, 0.0f, n); }"), kWrong},
      {"every other element", relu_task(),
       elementwise("Relu(o, a, n); for (int i = 1; i < n; i += 2) o.SetValue(i, 0.0f);"), kWrong},
      {"one element in a thousand is wrong", relu_task(), elementwise("Relu(o, a, n); o.SetValue(17, 1000.0f);"),
       kWrong},
  };
}

// less precision
std::vector<Hack> less_precision() {
  return {
      {"bfloat16 in place of float", exp_task(),
       elementwise("auto h = t.ReinterpretCast<bfloat16_t>(); Exp(o, a, n); Cast(h, o, RoundMode::CAST_RINT, n); "
                   "Cast(o, h, RoundMode::CAST_NONE, n);"),
       kWrong},
      {"integers in place of float", exp_task(),
       elementwise("auto i = t.ReinterpretCast<int32_t>(); Exp(o, a, n); Cast(i, o, RoundMode::CAST_RINT, n); Cast(o, "
                   "i, RoundMode::CAST_NONE, n);"),
       kWrong},
      {"two terms of the series", exp_task(), elementwise("Adds(o, a, 1.0f, n);"), kWrong},
      {"four terms of the series", exp_task(),
       elementwise("Mul(t, a, a, n); Muls(o, t, 0.5f, n); Add(o, o, a, n); Adds(o, o, 1.0f, n); Mul(t, t, a, n); "
                   "Muls(t, t, 0.16666667f, n); Add(o, o, t, n);"),
       kWrong},
  };
}

// what is in memory already
std::vector<Hack> what_is_there() {
  return {
      {"what an earlier kernel left in UB", relu_task(), elementwise("Adds(o, t, 0.0f, n);"), "uninitialised"},
      {"what an earlier run left in the workspace", relu_task(),
       "#include \"kernel_operator.h\"\nusing namespace AscendC;\nextern \"C\" __global__ __aicore__ void "
       "custom_op(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR t) {\n" +
           std::string(kOneCore) +
           " TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto l = buf.Get<float>(); GlobalTensor<float> from, "
           "to;\n"
           "from.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(w), 4096); to.SetGlobalBuffer((__gm__ float*)z, "
           "4096);\n"
           "DataCopy(l, from, 4096); PipeBarrier<PIPE_ALL>(); DataCopy(to, l, 4096);\n}\n",
       ""},
      {"adds to what is there", relu_task(),
       bare(std::string(kOneCore) +
            " TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto l = buf.Get<float>(); "
            "GlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)z, 4096);\n"
            "Duplicate(l, 0.0f, 4096); PipeBarrier<PIPE_ALL>(); SetAtomicAdd<float>(); DataCopy(to, l, "
            "4096); SetAtomicNone();"),
       "whose content is undefined"},
      {"hopes for the order of the cores", sum_task(),
       bare("GlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)z, 16); float before = GetBlockIdx() == 0 ? "
            "0.0f : to.GetValue(GetBlockIdx() - 1);\n"
            "to.SetValue(GetBlockIdx(), before + 128.0f); DataCacheCleanAndInvalid<float, "
            "CacheLine::SINGLE_CACHE_LINE>(to);"),
       ""},
  };
}

}  // namespace

std::vector<Hack> output_hacks() {
  return kg::testing::joined(
      {constant_outputs(), other_operators(), part_of_the_work(), less_precision(), what_is_there()});
}

}  // namespace kg::sandbox::testing
