#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/surface.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot::modules {

constexpr const char* kEntryPoint = "custom_op";  // kernel name of every foreign task: it does not reveal the operator
constexpr int kCores = 48;

proto::DType dtype_of(const Graph& graph, const Input& input);
proto::DType out_dtype_of(const Graph& graph, std::size_t i);

// An output with the name of an input is written in its place.
bool is_in_place(const Graph& graph, std::size_t output, const std::vector<std::string>& names);

// "Inputs x: half[4,3]; y: half[4,3]\nOutput out: half[4,3]"; `scalar`: another input, as text.
std::string tensors_text(const Graph& graph, const std::vector<std::string>& names, const std::string& scalar = "");

// The prompts of a task that is a module, as made by dataset/benchmarks/short_prompt.py and dsl_prompt(): as it is
// written, and as its operators one by one (`steps`).
std::string module_prompt(const Graph& graph, const Surface& surface);
std::string traced_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps);
// A task's stored prompt: both, with a first line that asks for Ascend C.
std::string stored_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps);

// "x [16,256,256] = [B, D, E]; ... Steps: mul 0.5; mean over D."; with_steps: with numbers and steps, which a prompt
// with the operators one by one already has.
std::string reading_line(const Graph& graph, const std::vector<std::string>& names, bool with_steps);
// The program with these names of its inputs; `lines` after its head.
std::string program_text(const Graph& graph, const std::vector<std::string>& lines,
                         const std::vector<std::string>& names);
std::string answer_text(const Graph& graph, const std::vector<std::string>& lines,
                        const std::vector<std::string>& names, bool with_steps);

// "Write the kernel custom_op in the DSL for 48 cores."; language empty: for Ascend C.
std::string head(const std::string& language);

}  // namespace kg::dataset::cot::modules
