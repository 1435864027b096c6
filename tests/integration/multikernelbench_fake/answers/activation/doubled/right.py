"""An answer to activation/doubled: twice the positive part."""

project_json_src = """
[{"op": "DoubledCustom", "language": "cpp",
  "input_desc": [{"name": "x", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "output_desc": [{"name": "y", "param_type": "required", "format": ["ND"], "type": ["float"]}]}]
"""

host_tiling_src = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(DoubledTiling)
  TILING_DATA_FIELD_DEF(uint32_t, total);
  TILING_DATA_FIELD_DEF(uint32_t, tile);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(DoubledCustom, DoubledTiling)
}
"""

host_operator_src = """
#include "doubled_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint32_t total = context->GetInputShape(0)->GetOriginShape().GetShapeSize();
  const uint32_t tile = 64, tiles = (total + tile - 1) / tile;
  context->SetBlockDim(tiles < 48 ? tiles : 48);
  DoubledTiling tiling;
  tiling.set_total(total);
  tiling.set_tile(tile);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}

namespace ops {
class DoubledCustom : public OpDef {
 public:
  explicit DoubledCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(DoubledCustom);
}
"""

kernel_src = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void doubled_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, data.total);
  to.SetGlobalBuffer((__gm__ float*)y, data.total);
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in;
  TQue<QuePosition::VECOUT, 2> out;
  pipe.InitBuffer(in, 2, data.tile * sizeof(float));
  pipe.InitBuffer(out, 2, data.tile * sizeof(float));
  for (uint32_t at = GetBlockIdx() * data.tile; at < data.total; at += GetBlockNum() * data.tile) {
    const uint32_t count = data.total - at < data.tile ? data.total - at : data.tile;
    DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopyPad(a, from[at], copy, pad);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Relu(b, a, count);
    PipeBarrier<PIPE_V>();
    Muls(b, b, 2.0f, count);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopyPad(to[at], b, copy);
    out.FreeTensor(b);
  }
}
"""

python_bind_src = """
#include <torch/library.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

at::Tensor doubled(const at::Tensor& x) {
  at::Tensor y = at::empty_like(x);
  EXEC_NPU_CMD(aclnnDoubledCustom, x, y);
  return y;
}

TORCH_LIBRARY_IMPL(myops, PrivateUse1, m) {
  m.impl("doubled", &doubled);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("doubled", &doubled, "2 relu(x)");
}
"""

model_src = """
import torch
import torch_npu
import custom_ops_lib

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return custom_ops_lib.doubled(x)
"""
