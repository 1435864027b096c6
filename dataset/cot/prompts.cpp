#include "dataset/cot/prompts.h"

#include "npu/chip.h"

namespace kg::dataset::cot {
namespace {

// "Inputs x, y: half[20,1000]; i: int32[20]"
std::string tensor_list(const std::string& what, const std::vector<TensorOf>& tensors) {
  std::string text = what + (tensors.size() > 1 ? "s " : " ");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    text += tensors[i].name;
    const bool same_next =
        i + 1 < tensors.size() && tensors[i + 1].shape == tensors[i].shape && tensors[i + 1].dtype == tensors[i].dtype;
    text += same_next ? ", "
                      : ": " + type_name(tensors[i].dtype) + "[" + extents_text(tensors[i]) + "]" +
                            (i + 1 < tensors.size() ? "; " : "");
  }
  return text;
}

}  // namespace

std::string task_lines(const Instance& instance) {
  const auto outputs = outputs_of(instance);
  std::string text = tensor_list("Input", inputs_of(instance)) + "\n" + tensor_list("Output", outputs);
  for (const std::string& step : step_lines(*instance.structure, outputs)) text += "\n" + step;
  return text;
}

std::string short_prompt(const Instance& instance, const std::string& how) {
  return "Write the Ascend C kernel " + entry_point(instance) + (how.empty() ? "" : " " + how) + " for " +
         std::to_string(instance.cores) + (instance.cores == 1 ? " core.\n" : " cores.\n") + task_lines(instance);
}

std::string project_prompt(const Instance& instance, const std::vector<dsl::ProjectPart>& project) {
  std::string text =
      "You write operators for Huawei Ascend NPUs (Atlas A2: " + std::to_string(npu::chip::kVectorCores) +
      " vector cores, " + std::to_string(npu::chip::kUbBytes) +
      " bytes of unified buffer a core). Write a whole "
      "operator project for one fixed shape: the tiling structure, the host side (tiling function with block dimension "
      "and workspace, "
      "operator definition for ascend910b) and the kernel, which gets workspace and tiling as its last arguments.\n\n# "
      "Operator\n" +
      task_lines(instance) + "\nAt most " + std::to_string(instance.cores) +
      " cores.\n\n# Format\nThink briefly, then give each file whole, as\n";
  for (const auto& part : project)
    text += "================== " + part.path + " ==================\n```cpp\n...\n```\n";
  text.pop_back();
  return text;
}

std::string project_answer(const std::string& reasoning, const std::vector<dsl::ProjectPart>& project) {
  std::string text = reasoning;
  for (const auto& part : project)
    text += "\n================== " + part.path + " ==================\n```cpp\n" + part.text + "```";
  return text;
}

std::string style_words(const KernelStyle& style) {
  if (style.strided) return "";  // how a kernel is written if nothing is said
  std::string text;
  switch (style.order) {
    case KernelStyle::Order::kBarriers:
      text = "in compact style";
      break;
    case KernelStyle::Order::kFlags:
      text = "as one function with flags";
      break;
    case KernelStyle::Order::kQueues:
      text = style.single_buffer ? "with queues of one buffer" : "with queues";
      break;
  }
  if (style.tile_part > 1) text += ", small tiles";
  if (style.writing.layout == Writing::Layout::kRows) text += ", a row at a time";
  if (style.writing.layout == Writing::Layout::kGrid) text += ", tiles within rows";
  if (style.commented) text += ", commented";
  return text;
}

}  // namespace kg::dataset::cot
