#include <cmath>
#include <cstring>

#include "npu/headers/kgnpu/number.h"
#include "npu/host/host_side.h"
#include "proto/dtype.h"

namespace kg::npu {
namespace {

template <typename T>
T load(const std::string& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

double element(const proto::Tensor& tensor, std::size_t i) {
  switch (tensor.dtype()) {
    case proto::FLOAT32:
      return load<float>(tensor.data(), i);
    case proto::FLOAT64:
      return load<double>(tensor.data(), i);
    case proto::FLOAT16:
      return kgnpu::half_value(load<std::uint16_t>(tensor.data(), i));
    case proto::BFLOAT16:
      return kgnpu::bfloat16_value(load<std::uint16_t>(tensor.data(), i));
    case proto::INT32:
      return load<std::int32_t>(tensor.data(), i);
    case proto::INT64:
      return static_cast<double>(load<std::int64_t>(tensor.data(), i));
    case proto::INT16:
      return load<std::int16_t>(tensor.data(), i);
    case proto::INT8:
      return load<std::int8_t>(tensor.data(), i);
    default:
      return load<std::uint8_t>(tensor.data(), i * proto::element_size(tensor.dtype()));
  }
}

void append_element(std::string& bytes, proto::DType dtype, double value) {
  switch (dtype) {
    case proto::FLOAT32:
      return append(bytes, static_cast<float>(value));
    case proto::FLOAT64:
      return append(bytes, value);
    case proto::FLOAT16:
      return append(bytes, kgnpu::half_bits(static_cast<float>(value)));
    case proto::BFLOAT16:
      return append(bytes, kgnpu::bfloat16_bits(static_cast<float>(value)));
    default: {
      const auto integer = static_cast<std::int64_t>(value);
      bytes.append(reinterpret_cast<const char*>(&integer), proto::element_size(dtype));
    }
  }
}

// A host scalar becomes a tensor of the definition's type, as the operator's generated interface makes it.
void convert(proto::Tensor& tensor, proto::DType dtype) {
  if (tensor.dtype() == dtype || dtype == proto::DTYPE_UNSPECIFIED || tensor.dtype() == proto::COMPLEX64) return;
  const std::size_t count = tensor.data().size() / proto::element_size(tensor.dtype());
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) append_element(bytes, dtype, element(tensor, i));
  tensor.set_data(bytes);
  tensor.set_dtype(dtype);
}

template <typename Tensor>
void leave_out(Tensor& tensor, const proto::HostPlan::Slot& slot) {
  tensor.set_name(slot.name());
  tensor.set_kind(slot.kind());
  tensor.set_absent(true);
}

}  // namespace

BoundCase bind_case(const proto::RunCase& run_case, const proto::HostPlan& plan) {
  BoundCase result;
  proto::RunCase& bound = result.run_case;
  for (const proto::HostPlan::Slot& slot : plan.inputs()) {
    for (const int index : slot.tensors()) {
      proto::Tensor& tensor = *bound.add_inputs();
      tensor = run_case.inputs(index);
      tensor.set_kind(slot.kind());
      tensor.set_name(slot.name());
      if (slot.is_scalar()) convert(tensor, slot.dtype());
    }
    if (!slot.tensors().empty()) continue;
    leave_out(*bound.add_inputs(), slot);
  }
  // The definition may use another name for the input whose memory an output shares.
  const auto bound_name = [&](const std::string& name) {
    for (const proto::HostPlan::Slot& slot : plan.inputs())
      for (const int index : slot.tensors())
        if (run_case.inputs(index).name() == name) return slot.name();
    return name;
  };
  std::vector<bool> placed(static_cast<std::size_t>(run_case.outputs_size()), false);
  const auto place = [&](int index) -> proto::TensorSpec& {
    placed[static_cast<std::size_t>(index)] = true;
    result.outputs.push_back(index);
    proto::TensorSpec& output = *bound.add_outputs();
    output = run_case.outputs(index);
    if (!output.in_place_of().empty()) output.set_in_place_of(bound_name(output.in_place_of()));
    return output;
  };
  for (const proto::HostPlan::Slot& slot : plan.outputs()) {
    for (const int index : slot.tensors()) {
      proto::TensorSpec& output = place(index);
      if (slot.kind() == proto::DYNAMIC) output.set_name(slot.name());  // a list's tensors have one name
      output.set_kind(slot.kind());
      if (!slot.in_place_of().empty()) output.set_in_place_of(slot.in_place_of());
      if (slot.cleared() && output.in_place_of().empty() && !output.has_distribution())
        output.mutable_distribution()->set_kind(proto::Distribution::CONSTANT);
    }
    if (!slot.tensors().empty()) continue;
    // A null pointer in its place, so that those behind it keep theirs.
    int index = 0;
    while (index < run_case.outputs_size() &&
           (!run_case.outputs(index).absent() || placed[static_cast<std::size_t>(index)]))
      ++index;
    if (index < run_case.outputs_size()) {
      place(index).set_kind(slot.kind());
    } else {
      result.outputs.push_back(kNotInCase);
      leave_out(*bound.add_outputs(), slot);
    }
  }
  for (int index = 0; index < run_case.outputs_size(); ++index)
    if (!placed[static_cast<std::size_t>(index)]) place(index).set_without_parameter(!run_case.outputs(index).absent());
  *bound.mutable_host() = plan.result();
  return result;
}

}  // namespace kg::npu
