#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/surface.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot::modules {

constexpr const char* kEntryPoint = "custom_op";  // of every foreign task's kernel: it does not tell the operator
constexpr int kCores = 48;

proto::DType dtype_of(const Graph& graph, const Input& input);

// Of the graph's result i.
std::string out_name(const Graph& graph, std::size_t i);

// The prompts of a task that is a module, as dataset/benchmarks/short_prompt.py and dsl_prompt() make them: as it is
// written, and by its operators one by one (`steps`).
std::string module_prompt(const Graph& graph, const Surface& surface);
std::string traced_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps);
// What a task stores: both, and its first line asks for Ascend C.
std::string stored_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps);

// "x [16,256,256] = [B, D, E]; ... Steps: mul 0.5; mean over D."; with_steps: numbers and steps, which a prompt that
// has the operators one by one says itself.
std::string reading_line(const Graph& graph, const std::vector<std::string>& names, bool with_steps);
// The program with these names of its inputs; `lines` below its head.
std::string program_text(const Graph& graph, const std::vector<std::string>& lines,
                         const std::vector<std::string>& names);
std::string answer_text(const Graph& graph, const std::vector<std::string>& lines,
                        const std::vector<std::string>& names, bool with_steps);

// The names as a prompt without a module has them: roles.
std::vector<std::string> plain_names(const Graph& graph);
// The steps, one a line, by formulas or in words, the inputs called `symbols`. Empty: this graph has none.
std::string steps_text(const Graph& graph, std::vector<std::string> symbols, const std::string& result, bool formulas);
// The same graph in prose, by formulas, or as an interface's description in essence. Empty: this graph has none.
std::string prose_prompt(const Graph& graph, const std::vector<std::string>& names, Philox& random);
// "Write the kernel custom_op in the DSL for 48 cores."; language empty: for Ascend C.
std::string head(const std::string& language);

}  // namespace kg::dataset::cot::modules
