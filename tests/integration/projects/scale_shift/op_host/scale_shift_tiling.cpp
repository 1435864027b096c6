#include "scale_shift_tiling.h"

#include <cstring>
#include <string>
#include <vector>

#include "log/ops_log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
struct ScaleShiftCompileInfo {
  uint32_t cores = 0;
};

static ge::graphStatus Save(gert::TilingContext* context, TilingDef& tiling) {
  gert::TilingData* raw = context->GetRawTilingData();
  OPS_CHECK_NULL_WITH_CONTEXT(context, raw);
  OP_TILING_CHECK(tiling.GetDataSize() > raw->GetCapacity(),
                  VECTOR_INNER_ERR_REPORT_TILIING(context->GetNodeName(), "%zu bytes", tiling.GetDataSize()),
                  return ge::GRAPH_FAILED);
  tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
  raw->SetDataSize(tiling.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tiling4ScaleShift(gert::TilingContext* context) {
  const auto* info = reinterpret_cast<const ScaleShiftCompileInfo*>(context->GetCompileInfo());
  if (info == nullptr || info->cores == 0) return ge::GRAPH_FAILED;
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  const float scale = *attributes->GetFloat(0);
  const auto* shifts = attributes->GetListInt(1);
  const char* mode = attributes->GetStr(2);
  const bool negate = *attributes->GetAttrPointer<bool>(3);
  const int64_t repeat = *attributes->GetInt(4);
  const int64_t length = context->GetInputShape(0)->GetOriginShape().GetShapeSize();
  context->SetBlockDim(1);
  const ge::DataType type = context->GetInputDesc(0)->GetDataType();
  if (type == ge::DT_INT32) {
    context->SetTilingKey(30);
    ScaleShiftIntegerTilingData tiling;
    tiling.set_factor(static_cast<int32_t>(repeat));
    tiling.set_length(length);
    return Save(context, tiling);
  }
  ScaleShiftTilingData tiling;
  tiling.set_scale(negate ? -scale : scale);
  int32_t values[3] = {0, 0, 0};
  for (size_t i = 0; i < shifts->GetSize() && i < 3; ++i) values[i] = shifts->GetData()[i];
  if (std::string(mode) == "none") std::memset(values, 0, sizeof(values));
  tiling.set_shifts(values);
  tiling.shape.set_length(length);
  tiling.shape.set_hasBias(context->GetOptionalInputShape(1) != nullptr);
  context->SetTilingKey(type == ge::DT_FLOAT16 ? 10 : 20);
  return Save(context, tiling);
}

static ge::graphStatus TilingPrepare4ScaleShift(gert::TilingParseContext* context) {
  auto* info = context->GetCompiledInfo<ScaleShiftCompileInfo>();
  OPS_CHECK_NULL_WITH_CONTEXT(context, info);
  info->cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
  return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(ScaleShift).Tiling(Tiling4ScaleShift).TilingParse<ScaleShiftCompileInfo>(TilingPrepare4ScaleShift);
}  // namespace optiling
