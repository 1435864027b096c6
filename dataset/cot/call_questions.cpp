#include "dataset/cot/call_questions.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "dataset/cot/probe.h"
#include "dataset/cot/words.h"
#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

using Names = std::vector<std::string>;

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
  const double value = operators::round_to(pair.from, values[index / (pairs.size() * modes.size()) % values.size()]);
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

}  // namespace

const std::vector<QuestionFamily>& call_questions() {
  static const std::vector<QuestionFamily> all = {
      {cost, 25 * 12 * 2}, {types, 25 * 8}, {copied, 3 * 90}, {cast, 4 * 5 * 16}};
  return all;
}

}  // namespace kg::dataset::cot
