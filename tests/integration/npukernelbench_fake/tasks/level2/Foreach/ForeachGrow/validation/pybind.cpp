#include "pytorch_npu_helper.hpp"
std::vector<at::Tensor> custom_pybind_api(std::vector<at::Tensor>& x, at::Tensor& by) {
  at::TensorList list = at::TensorList(x);
  auto scalar = ConvertTensorToAclScaler(by);
  EXEC_NPU_CMD(aclnnForeachGrow, list, scalar);
  return x;
}
PYBIND11_MODULE(kernel_gen_ops, m) { m.def("custom_pybind_api", &custom_pybind_api, ""); }
