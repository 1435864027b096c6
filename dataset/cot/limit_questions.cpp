#include "dataset/cot/limit_questions.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/probe.h"
#include "dataset/cot/words.h"
#include "npu/chip.h"
#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

// Do the buffers fit?
Answer capacity(std::uint64_t index, sandbox::Sandbox& sandbox) {
  const std::int64_t count = 1 + static_cast<std::int64_t>(index % 2),
                     queues = 1 + static_cast<std::int64_t>(index / 2 % 4);
  static const std::array<std::int64_t, 8> sizes = {8192, 16384, 24576, 32000, 49152, 65536, 98304, 20480};
  const std::int64_t size = sizes[index / 8 % sizes.size()];
  Probe probe{
      .in = proto::FLOAT32, .out = proto::FLOAT32, .input = ones(8), .output_elements = 8, .body = {}, .bare = true};
  for (std::int64_t q = 0; q < queues; ++q)
    probe.body += "  TQue<QuePosition::VECIN, 1> q" + number(q) + "; pipe.InitBuffer(q" + number(q) + ", " +
                  number(count) + ", " + number(size) + ");\n";
  probe.body +=
      "  auto t = q0.AllocTensor<float>();\n  Duplicate(t, 1.0f, 8);\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, t, "
      "8);\n  PipeBarrier<PIPE_ALL>();\n  q0.FreeTensor(t);\n";
  const Probed probed = run_probe(sandbox, probe);
  if (!probed.compiled) return std::nullopt;
  const std::int64_t all = queues * count * size;
  const std::string sum =
      number(queues) + " x " + number(count) + " x " + number(size) + " = " + number(all) + " bytes";
  return Question{"limits",
                  "Do " + number(queues) + (queues == 1 ? " queue" : " queues") + " with " + number(count) +
                      (count == 1 ? " buffer" : " buffers") + " of " + number(size) +
                      " bytes each fit the unified buffer?",
                  probed.message.empty() ? "Yes: " + sum + "."
                                         : "No: " + sum + ". The kernel ends with \"" + probed.message +
                                               "\". Take smaller tiles" + (count > 1 ? " or one buffer a queue." : "."),
                  "ran InitBuffer"};
}

// How long does a copy take on one core?
Answer copy_cost(std::uint64_t index, sandbox::Sandbox& sandbox) {
  static const std::array<std::int64_t, 10> sizes = {32, 64, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384};
  const std::int64_t size = sizes[index % sizes.size()];
  const bool in = index / sizes.size() % 2 == 0;
  std::uint64_t cycles[2] = {};
  for (const int copies : {1, 5}) {
    Probe probe{.in = proto::FLOAT32, .out = proto::FLOAT32, .input = ones(4096), .output_elements = 4096};
    probe.body = "  Duplicate(a, 1.0f, 4096);\n  PipeBarrier<PIPE_ALL>();\n";
    for (int i = 0; i < copies; ++i)
      probe.body +=
          (in ? "  DataCopy(a, gx, " : "  DataCopy(gz, a, ") + number(size / 4) + ");\n  PipeBarrier<PIPE_ALL>();\n";
    if (in) probe.body += "  DataCopy(gz, a, 4096);\n";
    const Probed probed = run_probe(sandbox, probe);
    if (!probed.ran || (in && !probed.message.empty())) return std::nullopt;
    cycles[copies == 5] = probed.cycles;
  }
  const double each = static_cast<double>(cycles[1] - cycles[0]) / 4;
  if (each <= 0) return std::nullopt;
  const std::string long_copies =
      "Long copies come near the " + number(static_cast<std::int64_t>(npu::chip::kMoveLeastBytesPerCycle)) + " to " +
      number(static_cast<std::int64_t>(npu::chip::kMoveBytesPerCycle)) + " bytes a cycle that one core can move.";
  char text[200];
  std::snprintf(text, sizeof(text), "About %.0f cycles, %.1f bytes a cycle. %s", each, static_cast<double>(size) / each,
                size < 2048 ? "The latency of the copy dominates: move more at once." : long_copies.c_str());
  return Question{"cost",
                  std::string("How long does one core take to ") + (in ? "copy " : "store ") + number(size) +
                      " bytes " + (in ? "from global memory to UB" : "from UB to global memory") +
                      ", waiting for the end?",
                  text, "five copies against one"};
}

// Arithmetic at the edges of the types.
Answer arithmetic(std::uint64_t index, sandbox::Sandbox& sandbox) {
  struct Row {
    const char* call;
    proto::DType dtype;
    double x;
    double s;
  };
  static const std::array<Row, 14> rows = {{{"Adds", proto::INT16, 32767, 1},
                                            {"Adds", proto::INT32, 2147483647, 1},
                                            {"Muls", proto::INT16, 300, 300},
                                            {"Adds", proto::FLOAT16, 2048, 1},
                                            {"Adds", proto::FLOAT32, 16777216, 1},
                                            {"Muls", proto::FLOAT16, 300, 300},
                                            {"Exp", proto::FLOAT16, 12, 0},
                                            {"Exp", proto::FLOAT32, 90, 0},
                                            {"Ln", proto::FLOAT32, 0, 0},
                                            {"Sqrt", proto::FLOAT32, -1, 0},
                                            {"Maxs", proto::FLOAT32, -3, 0},
                                            {"Relu", proto::FLOAT16, -0.5, 0},
                                            {"Muls", proto::FLOAT16, 0.0001, 0.0001},
                                            {"Abs", proto::FLOAT32, -7.25, 0}}};
  const Row& row = rows[index % rows.size()];
  const std::string name = row.call;
  const bool scalar = name == "Adds" || name == "Muls" || name == "Maxs";
  Probe probe{.in = row.dtype, .out = row.dtype, .input = std::vector<double>(16, row.x), .output_elements = 16};
  const std::string s = type(row.dtype) + "(" + number_words(row.s) + ")";
  const std::string call = name + "(c, a, " + (scalar ? s + ", " : "") + "16);";
  probe.body = "  DataCopy(a, gx, 16);\n  PipeBarrier<PIPE_ALL>();\n  " + call +
               "\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, c, 16);\n";
  const Probed probed = run_probe(sandbox, probe);
  if (!probed.ran || !probed.message.empty()) return std::nullopt;
  char x[40], z[40];
  std::snprintf(x, sizeof(x), "%.9g", operators::round_to(row.dtype, row.x));
  std::snprintf(z, sizeof(z), "%.9g", probed.output[0]);
  std::string answer = std::string(z) + ".";
  if (std::isinf(probed.output[0]))
    answer += " The result is beyond the largest " + type(row.dtype) + "; compute in float where that may happen.";
  else if (std::isnan(probed.output[0]))
    answer += " There is no such number; keep the argument in its domain.";
  else if (row.dtype == proto::FLOAT16 && name == "Adds")
    answer += " half has eleven bits: beyond 2048 it holds even numbers only.";
  else if (row.dtype == proto::FLOAT32 && name == "Adds")
    answer += " float has 24 bits: beyond 16777216 it holds even numbers only.";
  else if (row.dtype == proto::INT16 || row.dtype == proto::INT32)
    answer += " Watch the range of the type, or cast to a wider one first.";
  return Question{"arithmetic",
                  "a holds " + std::string(x) + " as " + type(row.dtype) + ". What is in c after " +
                      call.substr(0, call.size() - 1) + "?",
                  answer, "ran one call"};
}

// Mistakes and what the emulated NPU reports.
Answer mistakes(std::uint64_t index, sandbox::Sandbox& sandbox) {
  struct Row {
    const char* question;
    const char* body;
    const char* advice;
  };
  static const std::array<Row, 8> rows = {{
      {"What happens if a tensor is taken from a queue into which nothing was put?",
       "  TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 256);\n  auto t = q.DeQue<float>();\n  Abs(t, t, 8);\n",
       "EnQue comes before DeQue, on the same queue."},
      {"What happens if AllocTensor is called twice on a queue with one buffer, without FreeTensor?",
       "  TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 256);\n  auto t = q.AllocTensor<float>();\n  auto u = "
       "q.AllocTensor<float>();\n  Abs(t, u, 8);\n",
       "Free the first, or give the queue two buffers."},
      {"What happens if a vector call reads beyond its tensor?",
       "  TBuf<> s; pipe.InitBuffer(s, 256);\n  auto t = s.Get<float>();\n  Duplicate(t, 1.0f, 128);\n",
       "A buffer of 256 bytes holds 64 floats."},
      {"What happens if a kernel stores beyond the end of its output?",
       "  TBuf<> s; pipe.InitBuffer(s, 8192);\n  auto t = s.Get<float>();\n  Duplicate(t, 1.0f, 2048);\n  "
       "PipeBarrier<PIPE_ALL>();\n  DataCopy(gz[4096], t, 2048);\n",
       "The core's last tile must be shortened to what is left."},
      {"What happens if the operand of a vector call does not begin at a multiple of 32 bytes?",
       "  TBuf<> s; pipe.InitBuffer(s, 1024);\n  auto t = s.Get<float>();\n  Duplicate(t, 1.0f, 64);\n  Adds(t[64], "
       "t[3], 1.0f, 8);\n",
       "Copy the piece to an aligned place, or use Gather."},
      {"What happens if the vector unit reads a tile whose copy has not been waited for?",
       "  TBuf<> s; pipe.InitBuffer(s, 1024);\n  auto t = s.Get<float>();\n  DataCopy(t, gx, 8);\n  Adds(t, t, 1.0f, "
       "8);\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, t, 8);\n",
       "EnQue and DeQue, or SetFlag and WaitFlag of MTE2_V, order the two."},
      {"What happens if a store starts before the vector unit has written the tile?",
       "  TBuf<> s; pipe.InitBuffer(s, 1024);\n  auto t = s.Get<float>();\n  Duplicate(t, 1.0f, 8);\n  DataCopy(gz, t, "
       "8);\n",
       "V_MTE3 must be waited for, by a queue or a flag."},
      {"What happens if WaitFlag waits for an event that was never set?", "  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);\n",
       "Set and wait in pairs, on every path."},
  }};
  const Row& row = rows[index % rows.size()];
  const Probed probed = run_probe(sandbox, {.in = proto::FLOAT32,
                                            .out = proto::FLOAT32,
                                            .input = ones(8),
                                            .output_elements = 8,
                                            .body = row.body,
                                            .bare = true});
  if (probed.message.empty()) return std::nullopt;
  return Question{"faults", row.question, "The emulated NPU reports \"" + probed.message + "\". " + row.advice,
                  "ran the mistake"};
}

}  // namespace

const std::vector<QuestionFamily>& limit_questions() {
  static const std::vector<QuestionFamily> all = {
      {capacity, 2 * 4 * 8}, {copy_cost, 20}, {arithmetic, 14}, {mistakes, 8}};
  return all;
}

}  // namespace kg::dataset::cot
