"""An answer to fuse/scale_shift: a module with weights, an operator with an attribute and two outputs; one core, row by row."""

project_json_src = """
[{"op": "ScaleShiftCustom", "language": "cpp",
  "input_desc": [{"name": "x", "param_type": "required", "format": ["ND"], "type": ["float"]},
                 {"name": "shift", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "output_desc": [{"name": "scaled", "param_type": "required", "format": ["ND"], "type": ["float"]},
                  {"name": "shifted", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "attr": [{"name": "factor", "param_type": "required", "type": "float"}]}]
"""

host_tiling_src = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleShiftTiling)
  TILING_DATA_FIELD_DEF(uint32_t, rows);
  TILING_DATA_FIELD_DEF(uint32_t, width);
  TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShiftCustom, ScaleShiftTiling)
}
"""

host_operator_src = """
#include "scale_shift_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto& shape = context->GetInputShape(0)->GetOriginShape();
  context->SetBlockDim(1);
  ScaleShiftTiling tiling;
  tiling.set_rows(shape.GetDim(0));
  tiling.set_width(shape.GetDim(1));
  tiling.set_factor(*context->GetAttrs()->GetAttrPointer<float>(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  *context->GetOutputShape(1) = *context->GetInputShape(0);
  return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(1, context->GetInputDataType(0));
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}

namespace ops {
class ScaleShiftCustom : public OpDef {
 public:
  explicit ScaleShiftCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("shift").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("scaled").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("shifted").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("factor").AttrType(REQUIRED).Float();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaleShiftCustom);
}
"""

kernel_src = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void scale_shift_custom(GM_ADDR x, GM_ADDR shift, GM_ADDR scaled, GM_ADDR shifted,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  const uint32_t rows = data.rows, width = data.width, total = rows * width;
  GlobalTensor<float> from, by, first, second;
  from.SetGlobalBuffer((__gm__ float*)x, total);
  by.SetGlobalBuffer((__gm__ float*)shift, width);
  first.SetGlobalBuffer((__gm__ float*)scaled, total);
  second.SetGlobalBuffer((__gm__ float*)shifted, total);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in, in_shift;
  TQue<QuePosition::VECOUT, 1> out_first, out_second;
  pipe.InitBuffer(in, 1, width * sizeof(float));
  pipe.InitBuffer(in_shift, 1, width * sizeof(float));
  pipe.InitBuffer(out_first, 1, width * sizeof(float));
  pipe.InitBuffer(out_second, 1, width * sizeof(float));
  LocalTensor<float> added = in_shift.AllocTensor<float>();
  DataCopy(added, by, width);
  in_shift.EnQue(added);
  added = in_shift.DeQue<float>();
  for (uint32_t row = 0; row < rows; ++row) {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from[row * width], width);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out_first.AllocTensor<float>(), c = out_second.AllocTensor<float>();
    Muls(b, a, data.factor, width);
    Add(c, a, added, width);
    out_first.EnQue(b);
    out_second.EnQue(c);
    in.FreeTensor(a);
    b = out_first.DeQue<float>();
    c = out_second.DeQue<float>();
    DataCopy(first[row * width], b, width);
    DataCopy(second[row * width], c, width);
    out_first.FreeTensor(b);
    out_second.FreeTensor(c);
  }
  in_shift.FreeTensor(added);
}
"""

python_bind_src = """
#include <torch/library.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

std::vector<at::Tensor> scale_shift(const at::Tensor& x, const at::Tensor& shift, double factor) {
  at::Tensor scaled = at::empty_like(x), shifted = at::zeros_like(x);
  EXEC_NPU_CMD(aclnnScaleShiftCustom, x, shift, factor, scaled, shifted);
  return {scaled, shifted};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scale_shift", &scale_shift, "x * factor, x + shift");
}
"""

model_src = """
import torch
import torch_npu
import custom_ops_lib

class ModelNew(torch.nn.Module):
    def __init__(self, width, factor):
        super().__init__()
        self.shift = torch.nn.Parameter(torch.randn(width))
        self.factor = factor

    def forward(self, x):
        scaled, shifted = custom_ops_lib.scale_shift(x, self.shift, self.factor)
        return scaled, shifted
"""
