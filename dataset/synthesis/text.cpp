#include "dataset/synthesis/text.h"

#include "dataset/synthesis/kernel.h"

namespace kg::dataset {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string comma_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string row_sentence(const Variant& variant) {
  const std::int64_t bytes = variant.row_bytes();
  return "A row is " + number(bytes) + " bytes, " +
         (bytes % 32 == 0 ? "a multiple of 32." : "not a multiple of 32: DataCopyPad pads it.");
}

std::string type_sentence(const Variant& variant) {
  if (variant.dtype == proto::BFLOAT16) return " bfloat16_t has no vector arithmetic: cast to float.";
  if (variant.casts()) return " Rows of half lose digits: cast to float.";
  return "";
}

std::string compact_reasoning(const Variant& variant) {
  return number(variant.rows) + " rows over " + number(kCores) + " cores, at most " +
         number(ceil_div(variant.rows, kCores)) + " each. " + number(variant.row_bytes()) + " bytes a row" +
         (variant.row_bytes() % 32 == 0 ? "." : ", not a multiple of 32: pad.") +
         (variant.casts() ? " Cast to float." : "");
}

std::string full_reasoning(const Variant& variant) {
  const Tiling tiling = full_tiling(variant);
  const auto tensors = static_cast<std::int64_t>(variant.structure->inputs.size()) + 1;
  std::string text;
  if (variant.structure->rowwise) {
    text = "The operator works along rows, so a row is a tile: " + number(variant.rows) + " rows over " +
           number(kCores) + " cores are at most " + number(tiling.core_length) + " rows a core. " +
           row_sentence(variant) + " Buffers hold " + number(variant.columns) + " elements rounded up to " +
           number(tiling.tile) + ".";
  } else {
    text = number(variant.rows) + " x " + number(variant.columns) + " = " + number(variant.total()) +
           " elements over " + number(kCores) + " cores are " + number(tiling.core_length) + " elements a core" +
           (tiling.aligned ? ", cut into " : ", rounded up to 128, cut into at most ") + number(tiling.tiles) +
           (tiling.tiles == 1 ? " tile of " : " tiles of ") + number(tiling.tile) + " elements (" +
           number(tiling.tile * variant.element_bytes()) + " bytes).";
    text += tiling.aligned ? " Every tile is full and a multiple of 32 bytes, so DataCopy is enough."
                           : " The last tile is shorter and need not be a multiple of 32 bytes, so DataCopyPad moves "
                             "exactly its bytes.";
  }
  text += type_sentence(variant);
  text += " " + number(tensors) + " queues with two buffers each" +
          (variant.casts() ? " and the float tensors" : " and the scratch tensor") + " take " +
          number(tiling.buffer_bytes) + " of " + number(kUnifiedBuffer) + " bytes of the unified buffer.";
  return text;
}

}  // namespace

const char* style_name(Style style) { return style == Style::kCompact ? "compact" : "full"; }
const char* prompt_form_name(PromptForm form) { return form == PromptForm::kShort ? "short" : "npukernelbench"; }

std::string short_prompt(const Variant& variant, Style style) {
  std::string text = "Write the Ascend C kernel " + std::string(kEntryPoint) + " in " + style_name(style) +
                     " style for " + number(kCores) + " cores.\n";
  const auto inputs = variant.input_names();
  text += (inputs.size() > 1 ? "Inputs " : "Input ") + comma_list(inputs) + ": " + variant.shape_text() + "\n";
  text += "Output z: " + variant.output_shape_text() + "\n";
  for (const std::string& step : step_texts(*variant.structure)) text += step + "\n";
  text.pop_back();
  return text;
}

std::string reasoning(const Variant& variant, Style style) {
  return style == Style::kCompact ? compact_reasoning(variant) : full_reasoning(variant);
}

std::string answer_text(const std::string& reasoning, const std::string& kernel, PromptForm form) {
  const std::string block = "```cpp\n" + kernel + "```";
  if (form == PromptForm::kShort) return reasoning + "\n" + block;
  return reasoning + "\n<kernel_impl>\n" + block + "\n</kernel_impl>";
}

}  // namespace kg::dataset
