#include <cctype>

#include "dataset/cot/mutator.h"

namespace kg::dataset::cot {
namespace {

bool no_head(const std::string& line) { return !line.starts_with("kernel "); }

void spoil_names(Mutator& m) {
  m.edit("misspelt", "The function is spelt otherwise.", [](std::string& line) {
    return no_head(line) && (replace_call(line, "exp", "expo") || replace_call(line, "sqrt", "sqr") ||
                             replace_call(line, "max", "maximum") || replace_call(line, "sum", "summ") ||
                             replace_call(line, "mean", "avg") || replace_call(line, "relu", "relu_") ||
                             replace_call(line, "where", "select") || replace_call(line, "clamp", "clip") ||
                             replace_call(line, "sigmoid", "sigm") || replace_call(line, "abs", "absolute") ||
                             replace_call(line, "log", "logarithm"));
  });
  m.edit("no_load", "Tensors lie in global memory: their elements must be loaded.",
         [](std::string& line) { return no_head(line) && replace_first(line, "load ", ""); });
  m.edit("all_rows", "The index of the row is missing, so the whole tensor is asked for.",
         [](std::string& line) { return no_head(line) && replace_first(line, "[r, :]", "[:]"); });
  m.edit("unknown_name", "No such name is set here.", [](std::string& line) {
    return no_head(line) && (replace_first(line, "[t]", "[i]") || replace_first(line, "[r, ", "[row, "));
  });
  m.edit("reads_output", "The output is written, never read.",
         [](std::string& line) { return no_head(line) && replace_first(line, "load x[", "load z["); });
}

// Masks, tiles, types, extents, cores.
void spoil_shapes(Mutator& m) {
  m.edit("mask_stored", "A comparison is a mask, not numbers: where(mask, 1, 0) makes numbers of it.",
         [](std::string& line) {
           if (!no_head(line)) return false;
           const std::size_t at = line.find("where("), comma = line.find(", ", at);
           const std::size_t end = line.find(')', comma);
           if (at == std::string::npos || comma == std::string::npos || end == std::string::npos) return false;
           line = line.substr(0, at) + "(" + line.substr(at + 6, comma - at - 6) + ")" + line.substr(end + 1);
           return true;
         });
  m.edit("next_tile", "The tile after this one reaches beyond the end of the tensor.",
         [](std::string& line) { return no_head(line) && has(line, "load") && replace_first(line, "[t]", "[t + 1]"); });
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
}

// The computed expression, and the line's end.
void spoil_expression(Mutator& m) {
  m.edit("wrong_operation", "That is another operation than the task's.", [](std::string& line) {
    return no_head(line) &&
           (replace_call(line, "max", "min") || replace_first(line, " + ", " - ") ||
            replace_first(line, " - ", " + ") || replace_first(line, " * ", " + ") ||
            replace_call(line, "sum", "max") || replace_call(line, "exp", "abs") || replace_call(line, "sqrt", "abs") ||
            replace_call(line, "relu", "abs") || replace_first(line, " > ", " < ") ||
            replace_call(line, "tanh", "sigmoid") || replace_call(line, "sin", "cos"));
  });
  m.edit("wrong_constant", "The constant is not the task's.", [](std::string& line) {
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
  m.edit("no_reduction", "The row must become one number before it is stored as one.", [](std::string& line) {
    return has(line, "store z[r] =") &&
           (replace_call(line, "sum", "") || replace_call(line, "mean", "") || replace_call(line, "max", ""));
  });
  m.edit("own_sum_only", "The number of this core alone is stored; all_sum joins those of all cores.",
         [](std::string& line) {
           return replace_call(line, "all_sum", "") || replace_call(line, "all_max", "") ||
                  replace_call(line, "all_min", "");
         });
  m.edit("unclosed", "The bracket is not closed.", [](std::string& line) {
    if (!no_head(line) || !has(line, "store ") || !line.ends_with(")")) return false;
    line.pop_back();
    return true;
  });
}

}  // namespace

std::vector<Mutant> dsl_mutants(const std::string& program) {
  Mutator m(program);
  spoil_names(m);
  spoil_shapes(m);
  spoil_expression(m);
  return m.take();
}

}  // namespace kg::dataset::cot
