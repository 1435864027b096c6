// Replaces the benchmark's own pytorch_npu_helper.hpp, so that a task's pybind.cpp compiles against PyTorch for
// the CPU. EXEC_NPU_CMD does not launch anything: it passes the name of the command and its arguments to Python
// (kg_npu_capture.command), which records what the kernel would get, or writes given values into its outputs.
#pragma once

#include <torch/csrc/autograd/custom_function.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Host values that the benchmark's helper turns into ACL objects. They live as long as the process: few bytes a case.
struct aclIntArray {
  std::vector<int64_t> values;
};
struct aclScalar {
  at::Tensor value;
};
struct aclTensor {
  at::Tensor value;
};
struct aclTensorList {
  std::vector<at::Tensor> values;
};

inline aclIntArray* ConvertType(const at::IntArrayRef& values) { return new aclIntArray{values.vec()}; }
inline aclTensor* ConvertType(const at::Tensor& value) { return new aclTensor{value}; }
inline aclTensorList* ConvertType(const at::TensorList& values) { return new aclTensorList{values.vec()}; }
inline aclScalar* ConvertTensorToAclScaler(const at::Tensor& value) { return new aclScalar{value.reshape({})}; }

namespace kg_capture {

// (kind, value) of one argument.
inline pybind11::tuple pair(const char* kind, pybind11::object value) {
  return pybind11::make_tuple(kind, std::move(value));
}

inline pybind11::tuple argument(const at::Tensor& value) {
  if (!value.defined()) return pair("none", pybind11::none());
  return pair("tensor", pybind11::cast(value));
}
inline pybind11::tuple argument(const c10::optional<at::Tensor>& value) {
  return value.has_value() ? argument(*value) : pair("none", pybind11::none());
}
inline pybind11::tuple argument(const at::TensorList& values) { return pair("tensors", pybind11::cast(values.vec())); }
inline pybind11::tuple argument(const std::vector<at::Tensor>& values) {
  return pair("tensors", pybind11::cast(values));
}
inline pybind11::tuple argument(aclTensor* value) { return argument(value->value); }
inline pybind11::tuple argument(aclTensorList* value) { return pair("tensors", pybind11::cast(value->values)); }
inline pybind11::tuple argument(aclScalar* value) { return pair("scalar", pybind11::cast(value->value)); }
inline pybind11::tuple argument(aclIntArray* value) { return pair("ints", pybind11::cast(value->values)); }
inline pybind11::tuple argument(const at::IntArrayRef& values) { return pair("ints", pybind11::cast(values.vec())); }
inline pybind11::tuple argument(const std::vector<int64_t>& values) { return pair("ints", pybind11::cast(values)); }
inline pybind11::tuple argument(const at::Scalar& value) {
  return pair("scalar", pybind11::cast(at::scalar_to_tensor(value)));
}
inline pybind11::tuple argument(const at::ArrayRef<at::Scalar>& values) {
  std::vector<at::Tensor> tensors;
  for (const at::Scalar& value : values) tensors.push_back(at::scalar_to_tensor(value));
  return pair("scalars", pybind11::cast(tensors));
}
inline pybind11::tuple argument(bool value) { return pair("bool", pybind11::cast(value)); }
inline pybind11::tuple argument(double value) { return pair("float", pybind11::cast(value)); }
inline pybind11::tuple argument(float value) { return pair("float", pybind11::cast(value)); }
inline pybind11::tuple argument(int64_t value) { return pair("int", pybind11::cast(value)); }
inline pybind11::tuple argument(int value) { return pair("int", pybind11::cast(value)); }
inline pybind11::tuple argument(uint64_t value) { return pair("int", pybind11::cast(value)); }
inline pybind11::tuple argument(const char* value) { return pair("string", pybind11::cast(std::string(value))); }
inline pybind11::tuple argument(const std::string& value) { return pair("string", pybind11::cast(value)); }

template <typename... Arguments>
void command(const char* name, Arguments&&... arguments) {
  pybind11::list list;
  (list.append(argument(arguments)), ...);
  pybind11::module_::import("kg_npu_capture").attr("command")(std::string(name), list);
}

}  // namespace kg_capture

#define EXEC_NPU_CMD(name, ...) ::kg_capture::command(#name, __VA_ARGS__)
