#include "reward/benchmark_case.h"

#include "base/error.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/baseline.h"

namespace kg::reward {
namespace {

proto::Tensor joined(const proto::CheckedTensor& checked, const proto::CaseResult& result) {
  proto::Tensor made;
  const std::size_t count = static_cast<std::size_t>(proto::element_count(checked.shape()));
  made.set_dtype(checked.dtype());
  *made.mutable_shape() = checked.shape();
  std::string bytes;
  proto::DType dtype = checked.dtype();
  for (const int output : checked.outputs()) {
    if (output < 0 || output >= result.outputs_size()) return made;  // its size then tells that it is missing
    dtype = result.outputs(output).dtype();
    bytes += result.outputs(output).data();
  }
  if (bytes.size() < count * proto::element_size(dtype)) return made;
  bytes.resize(count * proto::element_size(dtype));
  if (dtype == checked.dtype()) {
    made.set_data(std::move(bytes));
    return made;
  }
  std::string converted(count * proto::element_size(checked.dtype()), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    double value = operators::read_element(dtype, bytes.data(), i);
    if (checked.dtype() == proto::BOOL) value = value != 0;
    operators::write_element(checked.dtype(), converted.data(), i, value);
  }
  made.set_data(std::move(converted));
  return made;
}

}  // namespace

std::vector<proto::Tensor> checked_tensors(const proto::TaskCase& task_case, const proto::CaseResult& result) {
  if (!task_case.call().empty()) return {result.outputs().begin(), result.outputs().end()};
  std::vector<proto::Tensor> tensors;
  for (const proto::CheckedTensor& checked : task_case.checked()) tensors.push_back(joined(checked, result));
  return tensors;
}

std::uint64_t benchmark_roofline_cycles(const proto::TaskCase& task_case) {
  // A kernel need not read all of its inputs (a gather), nor write all of an output that starts from an input's bytes.
  proto::TaskCase must;
  for (const proto::CheckedTensor& checked : task_case.checked())
    for (const int output : checked.outputs()) {
      const proto::TensorSpec& spec = task_case.outputs(output);
      if (!spec.in_place_of().empty() || spec.has_distribution()) continue;
      proto::TensorSpec& part = *must.add_outputs();
      part = spec;
      if (checked.outputs_size() == 1) *part.mutable_shape() = checked.shape();
    }
  return roofline_cycles(must);
}

}  // namespace kg::reward
