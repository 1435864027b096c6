#include "dsl/form.h"

#include "dsl/constant.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kLine = 512;  // cores that share a line of GM wait for each other

}  // namespace

std::int64_t elements_of(const Parameter& parameter) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : parameter.shape) elements *= extent;
  return elements;
}

std::int64_t Form::partial_bytes() const { return reductions * checked.launched * 32; }

std::int64_t Form::scratch_offset(int tensor) const {
  std::int64_t offset = align_up(partial_bytes(), kLine);
  for (int i = 0; i < tensor; ++i) {
    const Parameter& each = this->tensor(i);
    if (each.scratch) offset += align_up(elements_of(each) * element_bytes(each.dtype), kLine);
  }
  return offset;
}

std::int64_t Form::workspace_bytes() const {
  const auto& parameters = checked.program.parameters;
  const bool scratch = !parameters.empty() && parameters.back().scratch;  // scratch tensors come last
  return scratch ? scratch_offset(static_cast<int>(parameters.size())) : partial_bytes();
}

}  // namespace kg::dsl
