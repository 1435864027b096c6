#include "npu/launch/arguments.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/error.h"
#include "npu/headers/kgnpu/abi.h"
#include "npu/headers/kgnpu/number.h"
#include "proto/dtype.h"

namespace kg::npu {
namespace {

using Allocation = GlobalMemory::Allocation;

// NaN for floating types, an unlikely number for integers.
std::uint8_t poison_of(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
    case proto::FLOAT16:
    case proto::BFLOAT16:
    case proto::FLOAT64:
    case proto::COMPLEX64:
      return 0xFF;
    default:
      return 0xA5;
  }
}

template <typename T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// One element of `dtype` with the value, rounded as in a store.
std::string element_of(proto::DType dtype, double value) {
  switch (dtype) {
    case proto::FLOAT32:
      return bytes_of(static_cast<float>(value));
    case proto::FLOAT64:
      return bytes_of(value);
    case proto::FLOAT16:
      return bytes_of(kgnpu::half_bits(static_cast<float>(value)));
    case proto::BFLOAT16:
      return bytes_of(kgnpu::bfloat16_bits(static_cast<float>(value)));
    case proto::COMPLEX64:
      return bytes_of(static_cast<float>(value)) + bytes_of(0.0F);
    default:
      return bytes_of(static_cast<std::int64_t>(value)).substr(0, proto::element_size(dtype));
  }
}

void make_defined(Allocation& allocation) {
  std::memset(allocation.state.data(), static_cast<int>(GlobalMemory::State::kDefined), allocation.bytes);
}

Allocation& allocate(GlobalMemory& memory, const proto::TensorSpec& spec) {
  Allocation& made = memory.allocate_output("output \"" + spec.name() + "\"", proto::byte_size(spec),
                                            poison_of(spec.dtype()), /*is_output=*/true);
  if (!spec.has_distribution()) return made;
  if (spec.distribution().kind() != proto::Distribution::CONSTANT)
    throw Error("output \"" + spec.name() + "\" is to be filled with a distribution that is not constant", "case",
                "give it a CONSTANT distribution or none");
  const std::string element = element_of(spec.dtype(), spec.distribution().low());
  for (std::uint64_t at = 0; at < made.bytes; at += element.size())
    std::memcpy(made.data + at, element.data(), element.size());
  make_defined(made);
  return made;
}

std::vector<std::int64_t> extents(const auto& tensor) {
  const auto& shape = tensor.storage_shape().empty() ? tensor.shape() : tensor.storage_shape();
  return {shape.begin(), shape.end()};
}

// Calls visit(first, last) for each parameter: a tensor, or the tensors of a dynamic list.
template <typename Tensors>
void for_each_parameter(const Tensors& tensors, const std::function<void(int, int)>& visit) {
  for (int first = 0; first < tensors.size();) {
    int last = first + 1;
    if (tensors[first].kind() == proto::DYNAMIC)
      while (last < tensors.size() && tensors[last].kind() == proto::DYNAMIC &&
             tensors[last].name() == tensors[first].name())
        ++last;
    visit(first, last);
    first = last;
  }
}

template <typename Tensors>
void add_parameters(GlobalMemory& memory, const Tensors& tensors, const std::vector<Allocation*>& allocations,
                    Arguments& arguments) {
  for_each_parameter(tensors, [&](int first, int last) {
    if constexpr (requires { tensors[first].without_parameter(); })
      if (tensors[first].without_parameter()) return;
    if (tensors[first].kind() != proto::DYNAMIC) {
      const Allocation* allocation = allocations[static_cast<std::size_t>(first)];
      arguments.values.push_back(allocation == nullptr ? 0 : allocation->start());
      return;
    }
    std::vector<std::vector<std::int64_t>> shapes;
    std::vector<std::uint64_t> addresses;
    for (int i = first; i < last; ++i) {
      if (tensors[i].absent()) continue;
      shapes.push_back(extents(tensors[i]));
      addresses.push_back(allocations[static_cast<std::size_t>(i)]->start());
    }
    arguments.values.push_back(
        memory.allocate_input("the list \"" + tensors[first].name() + "\"", list_descriptor(shapes, addresses))
            .start());
  });
}

}  // namespace

std::uint64_t add_workspace(GlobalMemory& memory, std::uint64_t bytes, std::uint8_t poison) {
  constexpr std::uint64_t kDefault = 32ULL << 20;
  return memory
      .allocate_output("the workspace", kgnpu::kSystemWorkspace + (bytes > 0 ? bytes : kDefault), poison,
                       /*is_output=*/false)
      .start();
}

std::uint64_t add_empty_tiling(GlobalMemory& memory) {
  constexpr std::uint64_t kBytes = 4096;
  return memory.allocate_input("the tiling data", std::string(kBytes, '\0')).start();
}

std::string list_descriptor(const std::vector<std::vector<std::int64_t>>& shapes,
                            const std::vector<std::uint64_t>& addresses) {
  std::string tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    tensors += bytes_of(static_cast<std::uint32_t>(shapes[i].size())) + bytes_of(static_cast<std::uint32_t>(i));
    for (const std::int64_t extent : shapes[i]) tensors += bytes_of(extent);
  }
  std::string bytes = bytes_of(static_cast<std::uint64_t>(sizeof(std::uint64_t) + tensors.size())) + tensors;
  for (const std::uint64_t address : addresses) bytes += bytes_of(address);
  return bytes;
}

Arguments make_arguments(GlobalMemory& memory, const proto::RunCase& run_case) {
  std::vector<Allocation*> inputs(static_cast<std::size_t>(run_case.inputs_size()), nullptr);
  std::vector<Allocation*> outputs(static_cast<std::size_t>(run_case.outputs_size()), nullptr);
  std::vector<bool> taken(inputs.size(), false);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const proto::TensorSpec& spec = run_case.outputs(static_cast<int>(o));
    if (spec.absent()) continue;
    if (spec.in_place_of().empty()) {
      outputs[o] = &allocate(memory, spec);
      continue;
    }
    std::size_t i = 0;
    while (i < inputs.size() && (taken[i] || run_case.inputs(static_cast<int>(i)).name() != spec.in_place_of())) ++i;
    if (i == inputs.size() || run_case.inputs(static_cast<int>(i)).data().size() != proto::byte_size(spec))
      throw Error("output \"" + spec.name() + "\" is in place of \"" + spec.in_place_of() +
                      "\", and no input of that name has its size",
                  "case", "correct the task");
    const proto::Tensor& input = run_case.inputs(static_cast<int>(i));
    outputs[o] = &memory.allocate_output("output \"" + spec.name() + "\" (in place of input \"" + input.name() + "\")",
                                         input.data().size(), 0, /*is_output=*/true);
    std::memcpy(outputs[o]->data, input.data().data(), input.data().size());
    make_defined(*outputs[o]);
    inputs[i] = outputs[o];
    taken[i] = true;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const proto::Tensor& input = run_case.inputs(static_cast<int>(i));
    if (inputs[i] == nullptr && !input.absent())
      inputs[i] = &memory.allocate_input("input \"" + input.name() + "\"", input.data());
  }
  Arguments arguments;
  add_parameters(memory, run_case.inputs(), inputs, arguments);
  add_parameters(memory, run_case.outputs(), outputs, arguments);
  arguments.outputs = std::move(outputs);
  arguments.inputs = std::move(inputs);
  return arguments;
}

}  // namespace kg::npu
