#include "dataset/cot/documentation.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/probe.h"
#include "proto/dtype.h"
#include "reward/number_format.h"
#include "sandbox/dsl/lower.h"

namespace kg::dataset::cot {
namespace {

using Answer = std::optional<Question>;
using Names = std::vector<std::string>;

std::string number(std::int64_t value) { return std::to_string(value); }
std::string type(proto::DType dtype) { return proto::ascendc_type(dtype); }
std::int64_t bytes(proto::DType dtype) { return static_cast<std::int64_t>(proto::element_size(dtype)); }

const std::array<proto::DType, 8> kTypes = {proto::FLOAT32, proto::FLOAT16, proto::BFLOAT16, proto::INT32,
                                            proto::INT16,   proto::INT8,    proto::UINT8,    proto::INT64};
const Names kUnary = {"Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal", "Abs", "Relu", "Not"};
const Names kBinary = {"Add", "Sub", "Mul", "Div", "Max", "Min", "And", "Or"};
const Names kScalar = {"Adds", "Muls", "Maxs", "Mins", "LeakyRelu", "Duplicate"};

std::string call_of(const std::string& name, const std::string& n, proto::DType dtype) {
  const std::string t = type(dtype);
  for (const std::string& each : kUnary)
    if (name == each) return name + "(c, a, " + n + ");";
  for (const std::string& each : kBinary)
    if (name == each) return name + "(c, a, b, " + n + ");";
  if (name == "Duplicate") return "Duplicate(c, " + t + "(2), " + n + ");";
  if (name == "ReduceSum" || name == "ReduceMax" || name == "ReduceMin") return name + "(c, a, b, " + n + ");";
  return name + "(c, a, " + t + "(2), " + n + ");";
}

Names every_call() {
  Names names = kUnary;
  names.insert(names.end(), kBinary.begin(), kBinary.end());
  names.insert(names.end(), kScalar.begin(), kScalar.end());
  for (const char* each : {"ReduceSum", "ReduceMax", "ReduceMin"}) names.emplace_back(each);
  return names;
}

const std::string kFill = "  Duplicate(a, In(1), 4096);\n  Duplicate(b, In(1), 4096);\n";
const std::string kStoreC = "  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, c, 8);\n";

std::string with_type(std::string body, proto::DType in) {
  for (std::size_t at = body.find("In("); at != std::string::npos; at = body.find("In(", at))
    body.replace(at, 2, type(in));
  return body;
}

std::vector<double> ones(std::size_t count) { return std::vector<double>(count, 1.0); }

constexpr std::array<std::int64_t, 12> kCounts = {8, 64, 100, 128, 256, 333, 512, 1000, 1024, 2000, 2048, 4096};

// How long does a vector call take? Nine calls against one.
Answer cost(std::uint64_t index, sandbox::Sandbox& sandbox) {
  const Names names = every_call();
  const std::string name = names[index % names.size()];
  index /= names.size();
  const std::int64_t n = kCounts[index % kCounts.size()];
  const proto::DType dtype = index / kCounts.size() % 2 == 0 ? proto::FLOAT16 : proto::FLOAT32;
  if (name == "And" || name == "Or" || name == "Not") return std::nullopt;
  if (n * bytes(dtype) > 16384) return std::nullopt;
  std::uint64_t cycles[2] = {};
  for (const int calls : {1, 9}) {
    Probe probe{.in = dtype, .out = dtype, .input = ones(8), .output_elements = 8};
    probe.body = with_type(kFill, dtype);
    for (int i = 0; i < calls; ++i) probe.body += "  " + call_of(name, number(n), dtype) + "\n";
    probe.body += kStoreC;
    const Probed probed = run_probe(sandbox, probe);
    if (!probed.ran || !probed.message.empty()) return std::nullopt;
    cycles[calls == 9] = probed.cycles;
  }
  const double each = static_cast<double>(cycles[1] - cycles[0]) / 8;
  char text[160];
  std::snprintf(text, sizeof(text), "%.0f cycles a call, %.1f elements a cycle", each, static_cast<double>(n) / each);
  const std::int64_t repeats = (n * bytes(dtype) + 255) / 256;
  const char* why =
      name.starts_with("Reduce")
          ? "A reduction combines the partial results of its repeats, which costs more than the pass itself."
      : repeats <= 8 ? "With so few repeats the start of the instruction dominates: give each call more elements."
      : name == "Exp" || name == "Ln" || name == "Sqrt" || name == "Div"
          ? "This unit yields 32 elements a cycle, whatever the type."
          : "Beyond its start a call takes about a cycle a repeat, more where operands meet in a bank.";
  return Question{"cost",
                  "How many cycles does " + name + " take for " + number(n) + " elements of " + type(dtype) + "?",
                  std::string(text) + ": " + number(n) + " x " + number(bytes(dtype)) + " bytes are " +
                      number(repeats) + (repeats == 1 ? " repeat" : " repeats") + " of 256 bytes. " + why,
                  "nine calls against one, " + number(static_cast<std::int64_t>(cycles[1])) + " and " +
                      number(static_cast<std::int64_t>(cycles[0])) + " cycles"};
}

// Is the type taken?
Answer types(std::uint64_t index, sandbox::Sandbox& sandbox) {
  const Names names = every_call();
  const std::string name = names[index % names.size()];
  const proto::DType dtype = kTypes[index / names.size() % kTypes.size()];
  Probe probe{.in = dtype, .out = dtype, .input = ones(64), .output_elements = 64};
  probe.body = "  DataCopy(a, gx, 64);\n  DataCopy(b, gx, 64);\n  PipeBarrier<PIPE_ALL>();\n  " +
               call_of(name, "64", dtype) + "\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, c, 32);\n";
  const Probed probed = run_probe(sandbox, probe);
  const std::string question = "Does " + name + " take tensors of " + type(dtype) + "?";
  if (!probed.compiled) {
    std::string what = "Cast to ";
    what += dtype == proto::BFLOAT16 ? "float, compute, and cast back with CAST_RINT."
            : dtype == proto::INT64  ? "int32_t if the values allow it."
                                     : "a type that it takes, such as half or float, and back.";
    return Question{"types", question, "No. The compiler says:\n" + probed.message + "\n" + what, "compiled one call"};
  }
  if (!probed.message.empty()) return std::nullopt;
  return Question{"types", question,
                  "Yes: " + call_of(name, "64", dtype) + " compiles and runs for LocalTensor<" + type(dtype) +
                      ">; a repeat holds " + number(256 / bytes(dtype)) + " elements.",
                  "compiled and ran one call"};
}

// How many elements does a copy move?
Answer copied(std::uint64_t index, sandbox::Sandbox& sandbox) {
  const proto::DType dtype = std::array{proto::FLOAT16, proto::FLOAT32, proto::INT16}[index % 3];
  const auto n = static_cast<std::int64_t>(1 + (index / 3) % 90);
  Probe probe{.in = dtype, .out = dtype, .input = std::vector<double>(128, 3.0), .output_elements = 128};
  probe.body = "  Duplicate(a, " + type(dtype) + "(0), 128);\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(a, gx, " +
               number(n) + ");\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, a, 128);\n";
  const Probed probed = run_probe(sandbox, probe);
  if (!probed.ran) return std::nullopt;
  std::int64_t arrived = 0;
  for (const double value : probed.output) arrived += value == 3.0;
  const std::int64_t size = n * bytes(dtype);
  std::string answer = number(arrived) + ". " + number(n) + " x " + number(bytes(dtype)) + " = " + number(size) +
                       " bytes; DataCopy moves whole blocks of 32 bytes and rounds down";
  answer += size % 32 == 0
                ? ", and this is whole."
                : ", so " + number(n - arrived) + (n - arrived == 1 ? " element is" : " elements are") +
                      " left behind without a message. DataCopyPad with blockLen = " + number(size) + " moves all.";
  return Question{"alignment",
                  "How many elements arrive with DataCopy(local, global, " + number(n) + ") of " + type(dtype) + "?",
                  answer, "copied over zeroes and counted"};
}

// What does a cast give?
Answer cast(std::uint64_t index, sandbox::Sandbox& sandbox) {
  struct Pair {
    proto::DType from, to;
  };
  static const std::array<Pair, 4> pairs = {{{proto::FLOAT32, proto::INT32},
                                             {proto::FLOAT32, proto::FLOAT16},
                                             {proto::FLOAT16, proto::INT32},
                                             {proto::FLOAT32, proto::BFLOAT16}}};
  static const Names modes = {"CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC"};
  static const std::array<double, 16> values = {2.5,      -2.5,    3.5,     0.5,       -0.5, 1.75,       -1.25, 7.999,
                                                100000.6, 65519.0, 65520.0, 1.0004883, 0.1,  3.14159265, -1e-9, 2049.0};
  const Pair pair = pairs[index % pairs.size()];
  const std::string mode = modes[index / pairs.size() % modes.size()];
  const double value = reward::round_to(pair.from, values[index / (pairs.size() * modes.size()) % values.size()]);
  Probe probe{.in = pair.from, .out = pair.to, .input = std::vector<double>(16, value), .output_elements = 16};
  probe.body = "  DataCopy(a, gx, 16);\n  PipeBarrier<PIPE_ALL>();\n  Cast(d, a, RoundMode::" + mode +
               ", 16);\n  PipeBarrier<PIPE_ALL>();\n  DataCopy(gz, d, 16);\n";
  const Probed probed = run_probe(sandbox, probe);
  const std::string what = "Cast from " + type(pair.from) + " to " + type(pair.to) + " with " + mode;
  if (!probed.compiled || (!probed.ran && !probed.message.empty()))
    return Question{"cast", "Is there a " + what + "?", "No: " + probed.message, "ran one cast"};
  if (!probed.message.empty() || probed.output.empty()) return std::nullopt;
  char from[40], to[40];
  std::snprintf(from, sizeof(from), "%.9g", value);
  std::snprintf(to, sizeof(to), "%.9g", probed.output[0]);
  const std::string rule = mode == "CAST_RINT"    ? "to the nearest, ties to even"
                           : mode == "CAST_ROUND" ? "to the nearest, ties away from zero"
                           : mode == "CAST_FLOOR" ? "down"
                           : mode == "CAST_CEIL"  ? "up"
                                                  : "toward zero";
  std::string answer = std::string(to) + ". " + mode + " rounds " + rule + ".";
  if (std::isinf(probed.output[0]))
    answer += " The value is beyond the largest " + type(pair.to) + ".";
  else if (probed.output[0] == value)
    answer += " The value is exact in " + type(pair.to) + ".";
  return Question{"cast", "What does " + what + " make of " + from + "?", answer, "ran one cast"};
}

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
  char text[200];
  std::snprintf(text, sizeof(text), "About %.0f cycles, %.1f bytes a cycle. %s", each, static_cast<double>(size) / each,
                size < 2048 ? "The latency of the copy dominates: move more at once."
                            : "Long copies come near the 26 to 28 bytes a cycle that one core can move.");
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
  std::snprintf(x, sizeof(x), "%.9g", reward::round_to(row.dtype, row.x));
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

// What the compiler of the DSL decides.
Answer dsl_tile(std::uint64_t index, sandbox::Sandbox&) {
  static const std::array<std::int64_t, 12> lengths = {1000,   4096,    10007, 32768, 65536,  100000,
                                                       262144, 1000003, 999,   16384, 500000, 7};
  static const std::array<int, 4> cores = {48, 24, 8, 1};
  static const Names functions = {"relu", "exp", "sigmoid", "gelu"};
  const std::int64_t length = lengths[index % lengths.size()];
  const int launched = cores[index / lengths.size() % cores.size()];
  const std::string function = functions[index / (lengths.size() * cores.size()) % functions.size()];
  const std::string program =
      "kernel f(x: half[N]) -> z: half[N]:\n  for t in cores(tiles(N)):\n    store z[t] = " + function +
      "(load x[t])\n";
  sandbox::dsl::LowerOptions options;
  options.bindings.cores = launched;
  options.bindings.names = {{"N", length}};
  const auto lowered = sandbox::dsl::lower(program, options);
  if (!lowered.ok) return std::nullopt;
  const std::size_t at = lowered.source.find("InitBuffer(");
  const std::size_t end = lowered.source.find(')', at), comma = lowered.source.rfind(", ", end);
  if (at == std::string::npos) return std::nullopt;
  const std::int64_t tile = std::stoll(lowered.source.substr(comma + 2, end - comma - 2)) / 2;
  return Question{"dsl",
                  "Which tile does the DSL's compiler choose for " + function + " of " + number(length) + " halfs on " +
                      number(launched) + (launched == 1 ? " core?" : " cores?"),
                  number(tile) + " elements a buffer: " + number((length + tile - 1) / tile) + " tiles, at most " +
                      number(((length + tile - 1) / tile + launched - 1) / launched) +
                      " a core. It takes the size that its cycle model finds fastest among those that fit UB.",
                  "lowered the program"};
}

Answer dsl_refusals(std::uint64_t index, sandbox::Sandbox&) {
  struct Row {
    const char* question;
    const char* line;
  };
  static const std::array<Row, 12> rows = {{
      {"adding a tensor in global memory to a tile", "store z[r, :] = load x[r, :] + x"},
      {"comparing without where", "store z[r, :] = load x[r, :] > 0"},
      {"an exponent of 5", "store z[r, :] = load x[r, :] ** 5"},
      {"reading the output", "store z[r, :] = load z[r, :]"},
      {"storing a number through a reduction of nothing", "store z[r, :] = sum(3.0)"},
      {"an index beyond the rows", "store z[r, :] = load x[r + 1, :]"},
      {"a slice with a step in load", "store z[r, :] = load x[r, 0:8:2]"},
      {"tiles of different lengths", "a = load x[r, :]\n    store z[r, :] = a + a[0:8]"},
      {"the remainder of tiles", "store z[r, :] = load x[r, :] % 2"},
      {"all_sum inside the loop", "store z[r, :] = all_sum(sum(load x[r, :]))"},
      {"a misspelt function", "store z[r, :] = sigmod(load x[r, :])"},
      {"a name that was never set", "store z[r, :] = load x[r, :] * scale"},
  }};
  const Row& row = rows[index % rows.size()];
  static const std::array<std::int64_t, 4> widths = {100, 256, 1000, 2048};
  const std::int64_t width = widths[index / rows.size() % widths.size()];
  const std::string program =
      "kernel f(x: half[R, C]) -> z: half[R, C]:\n  for r in cores(R):\n    " + std::string(row.line) + "\n";
  sandbox::dsl::LowerOptions options;
  options.bindings.names = {{"R", 32}, {"C", width}};
  const auto lowered = sandbox::dsl::lower(program, options);
  if (lowered.ok) return std::nullopt;
  return Question{"dsl",
                  "What does the DSL's compiler say to this program with R = 32, C = " + number(width) + "?\n```dsl\n" +
                      program + "```",
                  "It refuses: " + lowered.refusal + ".", "lowered the program"};
}

struct Family {
  Answer (*answer)(std::uint64_t, sandbox::Sandbox&);
  std::uint64_t count;
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {cost, 25 * 12 * 2}, {types, 25 * 8},  {copied, 3 * 90}, {cast, 4 * 5 * 16},     {capacity, 2 * 4 * 8},
      {copy_cost, 20},     {arithmetic, 14}, {mistakes, 8},    {dsl_tile, 12 * 4 * 4}, {dsl_refusals, 12 * 4}};
  return all;
}

}  // namespace

std::uint64_t question_count() {
  std::uint64_t all = 0;
  for (const Family& family : families()) all += family.count;
  return all;
}

Answer ask(std::uint64_t index, sandbox::Sandbox& sandbox) {
  for (const Family& family : families()) {
    if (index < family.count) return family.answer(index, sandbox);
    index -= family.count;
  }
  return std::nullopt;
}

}  // namespace kg::dataset::cot
