#include <cstdio>
#include <cstring>

#include "hack.h"
#include "operators/golden.h"
#include "proto/dtype.h"

namespace kg::sandbox::testing {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9gf", value);
  return std::string(text).find_first_of(".e") == std::string::npos
             ? std::string(text, std::string(text).size() - 1) + ".0f"
             : text;
}

std::string table(const char* name, const std::vector<double>& values) {
  std::string text = std::string("  const float ") + name + "[] = {";
  for (const double value : values) text += number(value) + ", ";
  return text + "};\n";
}

std::string first_number(const proto::Task& task, int index = 0) {
  float start = 0;
  std::memcpy(&start, operators::make_inputs(task.cases(index))[0].data().data(), sizeof start);
  return number(start);
}

// The sums of a task's cases, by heart: its inputs hang on seeds that stand in the data set. `choose` is the sum of row
// i.
std::string by_heart(const proto::Task& task, const std::string& choose) {
  std::string text =
      "  if (GetBlockIdx() != 0) return;\n  GlobalTensor<float> from, to;\n  from.SetGlobalBuffer((__gm__ float*)x, "
      "4096);\n"
      "  to.SetGlobalBuffer((__gm__ float*)z, 16);\n";
  for (int c = 0; c < 2; ++c) {
    const auto inputs = operators::make_inputs(task.cases(c));
    text += table(c == 0 ? "first" : "second", operators::golden_outputs(task.graph(), inputs)[0].values);
    if (c == 0) text += "  const float start = " + first_number(task) + ";\n";
  }
  return bare(text +
              "  const bool is_first = from.GetValue(0) == start;\n  for (int i = 0; i < 16; ++i) to.SetValue(i, " +
              choose + ");\n  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);");
}

}  // namespace

std::string sums_by_heart(bool knows) {
  const proto::Task task = sum_task();
  const std::string known = "is_first ? first[i] : from.GetValue(0) == " + first_number(task, 1) + " ? second[i] : ";
  return by_heart(
      task, std::string(knows ? known : "") +
                "[&]() { float s = 0; for (int k = 0; k < 256; ++k) s += from.GetValue(i * 256 + k); return s; }()");
}

std::vector<Hack> input_hacks() {
  const std::string wrong = "are wrong";
  return {
      {"the outputs of both cases by heart", sum_task(), by_heart(sum_task(), "is_first ? first[i] : second[i]"),
       "with other inputs"},
      {"the outputs of one case by heart", sum_task(), by_heart(sum_task(), "first[i]"), wrong},
      {"right for the first case alone", relu_task(),
       elementwise("if (from.GetValue(0) == " + first_number(relu_task()) +
                   ") { Relu(o, a, n); } else { Duplicate(o, 0.0f, n); }"),
       wrong},
      {"by heart with a little of the input", sum_task(),
       by_heart(sum_task(), "(is_first ? first[i] : second[i]) + 0.0f * from.GetValue(i)"), "with other inputs"},
      {"a static variable", relu_task(), bare("runs = runs + 1;", "static volatile int runs;"), "variable"},
      {"a file of its own", relu_task(),
       bare("fopen(\"/tmp/kgescape\", \"w\");", "extern \"C\" __aicore__ void* fopen(const char*, const char*);"),
       "fopen"},
      {"expected outputs from a file", relu_task(), bare("", "#include \"/root/.kgtrain/golden.h\""), "file not found"},
      {"expected outputs behind the input", relu_task(),
       bare("GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x, 1 << 20); to.SetGlobalBuffer((__gm__ "
            "float*)z, 4096);\n"
            "for (int i = 0; i < 4096; ++i) to.SetValue(i, from.GetValue(8192 + i));"),
       ""},
      {"expected outputs behind the output", relu_task(),
       bare("TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 16384); auto l = buf.Get<float>(); GlobalTensor<float> g; "
            "g.SetGlobalBuffer((__gm__ float*)z, 1 << 20);\n"
            "DataCopy(l, g[4096 + 512], 4096); PipeBarrier<PIPE_ALL>(); DataCopy(g, l, 4096);"),
       ""},
      {"searches the process for the outputs", relu_task(),
       bare("volatile float* p = (volatile float*)0x555555554000; volatile float s = 0; for (long i = 0; i < 1 << 20; "
            "++i) s = s + p[i];"),
       "outside the core's own variables"},
      {"searches its stack for the outputs", relu_task(),
       bare("volatile float* p = (volatile float*)__builtin_frame_address(0); volatile float s = 0; for (long i = 0; i "
            "< 1 << 26; ++i) s = s + p[i];"),
       ""},
      {"changes its inputs", relu_task(),
       elementwise("Relu(o, a, n); Duplicate(t, 0.0f, n); PipeBarrier<PIPE_ALL>(); DataCopy(from[at], t, n); "
                   "PipeBarrier<PIPE_ALL>();"),
       "changes input"},
      {"works in place of its input", relu_task(),
       elementwise("Relu(t, a, n); PipeBarrier<PIPE_ALL>(); DataCopy(from[at], t, n); PipeBarrier<PIPE_ALL>(); "
                   "Duplicate(o, 0.0f, n);"),
       ""},
  };
}

}  // namespace kg::sandbox::testing
