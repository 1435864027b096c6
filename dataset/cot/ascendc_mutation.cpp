#include "dataset/cot/mutator.h"

namespace kg::dataset::cot {
namespace {

const std::vector<std::string>& vector_calls() {
  static const std::vector<std::string> calls = {
      "Add", "Sub",    "Mul",       "Div",       "Max",       "Min",     "Exp",           "Ln",        "Sqrt",
      "Abs", "Relu",   "Adds",      "Muls",      "Maxs",      "Mins",    "Cast",          "Duplicate", "And",
      "Or",  "Select", "ReduceSum", "ReduceMax", "ReduceMin", "Compare", "CompareScalar", "LeakyRelu"};
  return calls;
}

bool is_vector_call(const std::string& line) {
  const std::string text = trimmed(line);
  for (const std::string& call : vector_calls())
    if (text.starts_with(call + "(")) return true;
  return false;
}

// The last argument of a call that ends in ");".
bool change_last_argument(std::string& line, const std::function<std::string(const std::string&)>& change) {
  const std::size_t end = line.rfind(");");
  if (end == std::string::npos || !is_vector_call(line)) return false;
  int depth = 0;
  for (std::size_t at = end; at-- > 0;) {
    if (line[at] == ')' || line[at] == '}') ++depth;
    if (line[at] == '(' || line[at] == '{') --depth;
    if (line[at] == ',' && depth == 0) {
      const std::string made = change(line.substr(at + 2, end - at - 2));
      line = line.substr(0, made.empty() ? at : at + 2) + made + line.substr(end);
      return true;
    }
  }
  return false;
}

// The number after the last comma: the bytes of InitBuffer.
bool scale_buffer(std::string& line, long times, long over) {
  if (!has(line, "InitBuffer(")) return false;
  const std::size_t comma = line.rfind(", "), end = line.find(')', comma);
  if (comma == std::string::npos || end == std::string::npos) return false;
  const std::string bytes = line.substr(comma + 2, end - comma - 2);
  if (bytes.empty() || bytes.find_first_not_of("0123456789") != std::string::npos || bytes.size() > 8) return false;
  const long made = std::stol(bytes) * times / over;
  if (made < 32) return false;
  line.replace(comma + 2, bytes.size(), std::to_string(made));
  return true;
}

// Order of pipes, and queues.
void lose_order(Mutator& m) {
  m.remove("lost_barrier",
           "Copies and vector calls run on pipes of their own; without the barrier one works on data that the other "
           "has not finished.",
           [](const std::string& line) { return has(line, "PipeBarrier<PIPE_ALL>"); });
  m.remove("lost_wait", "A flag that is set and not waited for orders nothing, and its event id stays taken.",
           [](const std::string& line) { return has(line, "WaitFlag<"); });
  m.remove("lost_set", "WaitFlag waits for a flag that nobody sets.",
           [](const std::string& line) { return has(line, "SetFlag<"); });
  m.remove("lost_enque", "What is not enqueued cannot be dequeued: EnQue hands the tensor to the next stage.",
           [](const std::string& line) { return has(line, ".EnQue("); });
  m.remove("lost_dequeue", "Without DeQue nothing waits for the copy, and the queue fills up.",
           [](const std::string& line) { return has(line, ".DeQue<"); });
  m.remove("lost_free", "A tensor that is not freed keeps its buffer; the queue runs out of them.",
           [](const std::string& line) { return has(line, ".FreeTensor("); });
}

// Buffers and copies.
void spoil_memory(Mutator& m) {
  m.edit("small_buffer", "The buffer is smaller than what is copied into it.",
         [](std::string& line) { return scale_buffer(line, 1, 2); });
  m.edit("large_buffer", "The buffers together are larger than the unified buffer.",
         [](std::string& line) { return scale_buffer(line, 64, 1); });
  m.edit("unpadded_copy",
         "DataCopy moves whole blocks of 32 bytes and drops the rest; a length that is no multiple needs DataCopyPad.",
         [](std::string& line) {
           const std::size_t at = line.find("DataCopyPad("), params = line.find(", DataCopyExtParams{1, ");
           if (at == std::string::npos || params == std::string::npos) return false;
           const std::size_t begin = params + std::string(", DataCopyExtParams{1, ").size(),
                             end = line.find(", 0, 0, 0}", begin);
           const std::string bytes = line.substr(begin, end - begin);
           if (bytes.find_first_not_of("0123456789") != std::string::npos || bytes.size() > 7) return false;
           line = line.substr(0, at) + "DataCopy(" + line.substr(at + 12, params - at - 12) + ", " +
                  std::to_string(std::stol(bytes) / 2) + ");";
           return true;
         });
}

// Bounds and shares of cores.
void spoil_work(Mutator& m) {
  m.edit("loop_too_long", "The loop runs once too often and leaves its range.",
         [](std::string& line) { return trimmed(line).starts_with("for (") && replace_first(line, " < ", " <= "); });
  m.edit("wrong_core",
         "Every core takes the next one's part: the first part is left out, the last core leaves the tensor.",
         [](std::string& line) { return replace_first(line, "GetBlockIdx()", "(GetBlockIdx() + 1)"); });
  m.edit("one_core", "Every core does the work of core 0, and the rest stays undone.",
         [](std::string& line) { return replace_first(line, "GetBlockIdx()", "0"); });
}

// Overloads and counts.
void spoil_calls(Mutator& m) {
  m.edit(
      "missing_count", "The call has no element count: there is no overload with so few arguments.",
      [](std::string& line) { return change_last_argument(line, [](const std::string&) { return std::string(); }); });
  m.edit("short_count", "The count is one too small: the last element is not computed.", [](std::string& line) {
    return change_last_argument(
        line, [](const std::string& count) { return (has(count, " ") ? "(" + count + ")" : count) + " - 1"; });
  });
  m.edit("scalar_overload", "A scalar operand takes the call with s at its end; the one without takes tensors.",
         [](std::string& line) {
           return replace_call(line, "Adds", "Add") || replace_call(line, "Muls", "Mul") ||
                  replace_call(line, "Maxs", "Max") || replace_call(line, "Mins", "Min");
         });
  m.edit("unknown_call", "There is no such call in Ascend C.", [](std::string& line) {
    return replace_call(line, "Ln", "Log") || replace_call(line, "Duplicate", "Fill") ||
           replace_call(line, "Exp", "Expf") || replace_call(line, "Cast", "Convert") ||
           replace_call(line, "ReduceSum", "Sum") || replace_call(line, "Mul", "Multiply") ||
           replace_call(line, "Relu", "ReLU") || replace_call(line, "Max", "Maximum");
  });
}

void spoil_arithmetic(Mutator& m) {
  m.edit("wrong_operation", "That is another operation than the task's.", [](std::string& line) {
    return replace_call(line, "Max", "Min") || replace_call(line, "Add", "Sub") || replace_call(line, "Sub", "Add") ||
           replace_call(line, "Mul", "Add") || replace_call(line, "ReduceMax", "ReduceMin") ||
           replace_call(line, "ReduceSum", "ReduceMax") || replace_call(line, "Exp", "Abs") ||
           replace_call(line, "Sqrt", "Abs") || replace_call(line, "Maxs", "Mins") ||
           replace_call(line, "Relu", "Abs") || replace_call(line, "Muls", "Adds");
  });
  m.edit("swapped_operands", "The operands are the wrong way round; this call does not commute.",
         [](std::string& line) {
           const std::string text = trimmed(line);
           if (!text.starts_with("Sub(") && !text.starts_with("Div(")) return false;
           const std::size_t a = line.find(", ") + 2, b = line.find(", ", a) + 2, c = line.find(", ", b);
           if (c == std::string::npos) return false;
           const std::string first = line.substr(a, b - 2 - a), second = line.substr(b, c - b);
           line = line.substr(0, a) + second + ", " + first + line.substr(c);
           return true;
         });
  m.edit("wrong_mode", "The comparison is turned round.", [](std::string& line) {
    return replace_first(line, "CMPMODE::GT", "CMPMODE::LT") || replace_first(line, "CMPMODE::LT", "CMPMODE::GE");
  });
  m.edit("wrong_rounding", "Whole numbers come from rounding toward zero here, not up.",
         [](std::string& line) { return replace_first(line, "CAST_TRUNC", "CAST_CEIL"); });
}

// Types, scope, syntax.
void spoil_text(Mutator& m) {
  m.edit("wrong_type", "The tensor's type is not that of the memory behind it and of the calls that use it.",
         [](std::string& line) {
           if (!has(line, "LocalTensor<") && !has(line, "GlobalTensor<")) return false;
           return replace_first(line, "Tensor<half>", "Tensor<float>") ||
                  replace_first(line, "Tensor<float>", "Tensor<half>") ||
                  replace_first(line, "Tensor<bfloat16_t>", "Tensor<half>");
         });
  m.edit("undeclared", "The name is not declared.", [](std::string& line) {
    return replace_first(line, ", blockIdx", ", blockId") || replace_first(line, "Gm[", "Global[");
  });
  m.edit("missing_semicolon", "A statement ends with a semicolon.", [](std::string& line) {
    if (!is_vector_call(line) || !line.ends_with(");")) return false;
    line.pop_back();
    return true;
  });
  m.edit("standard_library", "The standard library is not there on the device.", [](std::string& line) {
    const std::string text = trimmed(line);
    if (!text.starts_with("for (") || !has(line, " < ")) return false;
    const std::size_t at = line.find("< ") + 2, end = line.find(';', at);
    line = line.substr(0, at) + "std::max<int32_t>(1, " + line.substr(at, end - at) + ")" + line.substr(end);
    return true;
  });
  m.edit("private_pointer", "Global memory has an address space of its own; a plain pointer cannot hold it.",
         [](std::string& line) { return replace_first(line, "(__gm__ ", "("); });
}

}  // namespace

std::vector<Mutant> ascendc_mutants(const std::string& source) {
  Mutator m(source);
  lose_order(m);
  spoil_memory(m);
  spoil_work(m);
  spoil_calls(m);
  spoil_arithmetic(m);
  spoil_text(m);
  return m.take();
}

}  // namespace kg::dataset::cot
