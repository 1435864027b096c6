#include "dataset/cot/mutation.h"

#include <cctype>
#include <functional>
#include <sstream>

namespace kg::dataset::cot {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& source) {
  Lines lines;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

bool is_comment(const std::string& line) { return trimmed(line).starts_with("//") || trimmed(line).starts_with("#"); }

bool replace_first(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

class Mutator {
 public:
  explicit Mutator(const std::string& source) : lines_(lines_of(source)) {}

  // The first and, if there is one, the last line that `edit` can change.
  void edit(const char* kind, const std::string& cause, const std::function<bool(std::string&)>& change) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::string line = lines_[i];
      if (!is_comment(line) && change(line) && line != lines_[i]) fitting.push_back(i);
    }
    if (fitting.empty()) return;
    add(kind, cause, fitting.front(), change);
    if (fitting.back() != fitting.front()) add(kind, cause, fitting.back(), change);
  }

  void remove(const char* kind, const std::string& cause, const std::function<bool(const std::string&)>& which) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!is_comment(lines_[i]) && which(lines_[i])) fitting.push_back(i);
    if (fitting.empty()) return;
    for (const std::size_t at : {fitting.front(), fitting.back()}) {
      Lines rest = lines_;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
      made_.push_back({kind, text_of(rest), static_cast<int>(at) + 1, trimmed(lines_[at]), "", cause});
      if (fitting.size() == 1) break;
    }
  }

  std::vector<Mutant> take() { return std::move(made_); }

 private:
  void add(const char* kind, const std::string& cause, std::size_t at,
           const std::function<bool(std::string&)>& change) {
    Lines changed = lines_;
    change(changed[at]);
    made_.push_back(
        {kind, text_of(changed), static_cast<int>(at) + 1, trimmed(lines_[at]), trimmed(changed[at]), cause});
  }

  Lines lines_;
  std::vector<Mutant> made_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// "Add(" as a call of its own, not the end of another name.
bool replace_call(std::string& line, const std::string& from, const std::string& to) {
  for (std::size_t at = line.find(from + "("); at != std::string::npos; at = line.find(from + "(", at + 1)) {
    if (at > 0 &&
        (std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0 || line[at - 1] == '_' || line[at - 1] == '.'))
      continue;
    line.replace(at, from.size(), to);
    return true;
  }
  return false;
}

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

// The number behind the last comma: the bytes of InitBuffer.
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

}  // namespace

std::vector<Mutant> ascendc_mutants(const std::string& source) {
  Mutator m(source);
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
  m.edit("loop_too_long", "The loop runs once too often and leaves its range.",
         [](std::string& line) { return trimmed(line).starts_with("for (") && replace_first(line, " < ", " <= "); });
  m.edit("wrong_core",
         "Every core takes the next one's part: the first part is left out, the last core leaves the tensor.",
         [](std::string& line) { return replace_first(line, "GetBlockIdx()", "(GetBlockIdx() + 1)"); });
  m.edit("one_core", "Every core does the work of core 0, and the rest stays undone.",
         [](std::string& line) { return replace_first(line, "GetBlockIdx()", "0"); });
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
  return m.take();
}

std::vector<Mutant> dsl_mutants(const std::string& program) {
  Mutator m(program);
  const auto no_head = [](const std::string& line) { return !line.starts_with("kernel "); };
  m.edit("misspelt", "The function is spelt otherwise.", [&](std::string& line) {
    return no_head(line) && (replace_call(line, "exp", "expo") || replace_call(line, "sqrt", "sqr") ||
                             replace_call(line, "max", "maximum") || replace_call(line, "sum", "summ") ||
                             replace_call(line, "mean", "avg") || replace_call(line, "relu", "relu_") ||
                             replace_call(line, "where", "select") || replace_call(line, "clamp", "clip") ||
                             replace_call(line, "sigmoid", "sigm") || replace_call(line, "abs", "absolute") ||
                             replace_call(line, "log", "logarithm"));
  });
  m.edit("no_load", "Tensors lie in global memory: their elements must be loaded.",
         [&](std::string& line) { return no_head(line) && replace_first(line, "load ", ""); });
  m.edit("all_rows", "The index of the row is missing, so the whole tensor is asked for.",
         [&](std::string& line) { return no_head(line) && replace_first(line, "[r, :]", "[:]"); });
  m.edit("unknown_name", "No such name is set here.", [&](std::string& line) {
    return no_head(line) && (replace_first(line, "[t]", "[i]") || replace_first(line, "[r, ", "[row, "));
  });
  m.edit("reads_output", "The output is written, never read.",
         [&](std::string& line) { return no_head(line) && replace_first(line, "load x[", "load z["); });
  m.edit("mask_stored", "A comparison is a mask, not numbers: where(mask, 1, 0) makes numbers of it.",
         [&](std::string& line) {
           if (!no_head(line)) return false;
           const std::size_t at = line.find("where("), comma = line.find(", ", at);
           const std::size_t end = line.find(')', comma);
           if (at == std::string::npos || comma == std::string::npos || end == std::string::npos) return false;
           line = line.substr(0, at) + "(" + line.substr(at + 6, comma - at - 6) + ")" + line.substr(end + 1);
           return true;
         });
  m.edit("next_tile", "The tile after this one reaches beyond the end of the tensor.", [&](std::string& line) {
    return no_head(line) && has(line, "load") && replace_first(line, "[t]", "[t + 1]");
  });
  m.edit("wrong_type", "The parameter's type is not the task's.", [](std::string& line) {
    return line.starts_with("kernel ") &&
           (replace_first(line, "half[", "float[") || replace_first(line, "float[", "half[") ||
            replace_first(line, "int32[", "int64["));
  });
  m.edit("too_many_extents", "The task's tensor has fewer dimensions.", [](std::string& line) {
    return line.starts_with("kernel ") && replace_first(line, "[N]", "[B, C, H, W, D, N]");
  });
  m.edit("no_cores", "Without cores(...) every core does all the work, and the cores write the same places.",
         [](std::string& line) {
           const std::size_t at = line.find("in cores(");
           if (at == std::string::npos) return false;
           const bool tiles = has(line, "cores(tiles(");
           const std::size_t end = line.rfind("):");
           line = tiles ? line.substr(0, at) + "in " + line.substr(at + 9, end - at - 9) + ":"
                        : line.substr(0, at) + "in range(" + line.substr(at + 9);
           return true;
         });
  m.edit("wrong_operation", "That is another operation than the task's.", [&](std::string& line) {
    return no_head(line) &&
           (replace_call(line, "max", "min") || replace_first(line, " + ", " - ") ||
            replace_first(line, " - ", " + ") || replace_first(line, " * ", " + ") ||
            replace_call(line, "sum", "max") || replace_call(line, "exp", "abs") || replace_call(line, "sqrt", "abs") ||
            replace_call(line, "relu", "abs") || replace_first(line, " > ", " < ") ||
            replace_call(line, "tanh", "sigmoid") || replace_call(line, "sin", "cos"));
  });
  m.edit("wrong_constant", "The constant is not the task's.", [&](std::string& line) {
    if (!no_head(line) || has(line, " in ")) return false;
    for (const char* before : {" * ", " + ", " - ", ", "})
      for (std::size_t at = line.find(before); at != std::string::npos; at = line.find(before, at + 1)) {
        const std::size_t digit = at + std::string(before).size();
        if (digit >= line.size() || std::isdigit(static_cast<unsigned char>(line[digit])) == 0) continue;
        line.insert(digit, "1");
        return true;
      }
    return false;
  });
  m.edit("no_reduction", "The row must become one number before it is stored as one.", [&](std::string& line) {
    return has(line, "store z[r] =") &&
           (replace_call(line, "sum", "") || replace_call(line, "mean", "") || replace_call(line, "max", ""));
  });
  m.edit("own_sum_only", "The number of this core alone is stored; all_sum joins those of all cores.",
         [&](std::string& line) {
           return replace_call(line, "all_sum", "") || replace_call(line, "all_max", "") ||
                  replace_call(line, "all_min", "");
         });
  m.edit("unclosed", "The bracket is not closed.", [&](std::string& line) {
    if (!no_head(line) || !has(line, "store ") || !line.ends_with(")")) return false;
    line.pop_back();
    return true;
  });
  return m.take();
}

}  // namespace kg::dataset::cot
