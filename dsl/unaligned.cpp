#include "dsl/unaligned.h"

#include "dsl/constant.h"
#include "npu/chip.h"

namespace kg::dsl {
namespace {

void correct_copy(const Form& form, Copy& copy) {
  const std::int64_t bytes = element_bytes(form.tile(copy.tile).dtype);
  const bool whole =
      copy.offset_unit * bytes % npu::chip::kBlockBytes == 0 && copy.count_unit * bytes % npu::chip::kBlockBytes == 0;
  copy.form = whole && !copy.padded && copy.blocks.empty() ? Copy::Form::kWhole : Copy::Form::kPad;
}

// The count rounded up to whole units of `bytes` bytes.
std::string rounded(const std::string& count, std::int64_t elements) {
  if (count.find_first_not_of("0123456789") == std::string::npos)
    return std::to_string(align_up(std::stoll(count), elements));
  const std::string unit = std::to_string(elements), rest = std::to_string(elements - 1);
  return "(" + count + " + " + rest + ") / " + unit + " * " + unit;
}

}  // namespace

void correct_unaligned(const Form& form, Code& code) {
  for (Line& line : code.lines) {
    if (line.kind == Line::Kind::kCopyIn || line.kind == Line::Kind::kCopyOut) {
      correct_copy(form, line.step.copy);
    } else if (line.kind == Line::Kind::kVector && line.step.op.starts_with("Compare")) {
      line.step.count =
          rounded(line.step.count, npu::chip::kRepeatBytes / element_bytes(form.tile(line.step.sources[0]).dtype));
    } else if (line.kind == Line::Kind::kVector && line.step.op == "Copy") {
      line.step.count =
          rounded(line.step.count, npu::chip::kBlockBytes / element_bytes(form.tile(line.step.result).dtype));
    }
  }
}

}  // namespace kg::dsl
