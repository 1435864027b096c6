#pragma once

#include <torch/extension.h>

#include <string>
#include <unordered_map>
#include <vector>

// In place of DrivingSDK's header of this name: its functions call operators of the device by EXEC_NPU_CMD, and here
// each of these calls goes to operators.run(name, [arguments]) in Python, which gives it to kgtrain's sandbox.

constexpr int N = 32;
constexpr int SIZE = 8;

namespace conformance {

inline py::object packed(const at::Tensor& tensor) { return tensor.defined() ? py::cast(tensor) : py::none(); }
inline py::object packed(const c10::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? packed(*tensor) : py::none();
}
inline py::object packed(at::IntArrayRef values) { return py::cast(values.vec()); }
inline py::object packed(at::TensorList tensors) { return py::cast(tensors.vec()); }
inline py::object packed(const at::Scalar& value) {
  return value.isFloatingPoint() ? py::object(py::float_(value.toDouble())) : py::object(py::int_(value.toLong()));
}
inline py::object packed(at::ArrayRef<float> values) { return py::cast(values.vec()); }
inline py::object packed(at::ArrayRef<double> values) { return py::cast(values.vec()); }
inline py::object packed(const std::vector<int64_t>& values) { return py::cast(values); }
inline py::object packed(const std::vector<float>& values) { return py::cast(values); }
inline py::object packed(const char* text) { return py::str(text); }
inline py::object packed(char* text) { return py::str(text); }
inline py::object packed(const std::string& text) { return py::str(text); }
inline py::object packed(bool value) { return py::bool_(value); }
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
inline py::object packed(T value) {
  return py::cast(value);
}

template <typename... Arguments>
inline void run(const char* name, const Arguments&... arguments) {
  py::list list;
  (list.append(packed(arguments)), ...);
  py::module_::import("operator_calls").attr("run")(name, list);
}

}  // namespace conformance

#define TORCH_CHECK_NPU(tensor)
#define ASCEND_UNLIKELY C10_UNLIKELY
#define EXEC_NPU_CMD(name, ...) ::conformance::run(#name, __VA_ARGS__)
#define EXEC_NPU_CMD_SYNC(name, ...) ::conformance::run(#name, __VA_ARGS__)

// Operators that are no kernels of this repository.
namespace at_npu::native {
class OpCommand {
 public:
  OpCommand& Name(const std::string& name) {
    name_ = name;
    return *this;
  }
  template <typename... T>
  OpCommand& Input(const T&...) {
    return *this;
  }
  template <typename... T>
  OpCommand& Output(const T&...) {
    return *this;
  }
  template <typename... T>
  OpCommand& Attr(const T&...) {
    return *this;
  }
  void Run() { TORCH_CHECK(false, name_, " is an operator of the vendor's library, not of this repository"); }

 private:
  std::string name_;
};
}  // namespace at_npu::native
