#include "layer_norm_v4_tiling.h"

#include "tiling/platform/platform_ascendc.h"

#define OPS_CHECK_NULL_WITH_CONTEXT(context, ptr)                      \
  do {                                                                 \
    if ((ptr) == nullptr) {                                            \
      std::cout << "LayerNormV4: " << #ptr << " is null" << std::endl; \
      return ge::GRAPH_FAILED;                                         \
    }                                                                  \
  } while (0)

namespace optiling {
static constexpr uint32_t INPUT_IDX_X = 0;
static constexpr uint32_t INPUT_IDX_NORM_SHAPE = 1;
static constexpr uint32_t INPUT_IDX_GAMMA = 2;
static constexpr uint32_t INPUT_IDX_BETA = 3;
static constexpr uint32_t MOST_COLUMNS = 6144;

enum class LNTemplateKey : int { SINGEL_READ = 100 };
enum class LNDtypeKey : int {
  FLOAT_FLOAT = 0,
  FLOAT16_FLOAT = 10,
  FLOAT16_FLOAT16 = 11,
  BFLOAT16_FLOAT = 20,
  BFLOAT16_BFLOAT16 = 22
};

static uint64_t DtypeKey(ge::DataType x, ge::DataType gamma) {
  LNDtypeKey key = LNDtypeKey::FLOAT_FLOAT;
  if (x == ge::DT_FLOAT16) {
    key = gamma == ge::DT_FLOAT16 ? LNDtypeKey::FLOAT16_FLOAT16 : LNDtypeKey::FLOAT16_FLOAT;
  } else if (x == ge::DT_BF16) {
    key = gamma == ge::DT_BF16 ? LNDtypeKey::BFLOAT16_BFLOAT16 : LNDtypeKey::BFLOAT16_FLOAT;
  }
  return static_cast<uint64_t>(LNTemplateKey::SINGEL_READ) + static_cast<uint64_t>(key);
}

ge::graphStatus Tiling4LayerNormV4(gert::TilingContext* context) {
  auto compileInfo = context->GetCompileInfo<LayerNormV4CompileInfo>();
  OPS_CHECK_NULL_WITH_CONTEXT(context, compileInfo);
  auto xShape = context->GetInputShape(INPUT_IDX_X);
  OPS_CHECK_NULL_WITH_CONTEXT(context, xShape);
  auto normShape = context->GetInputShape(INPUT_IDX_NORM_SHAPE);
  OPS_CHECK_NULL_WITH_CONTEXT(context, normShape);
  const gert::Shape& x = xShape->GetStorageShape();
  // normalized_shape is a list: as many dimensions of x from its end
  const size_t normDims = normShape->GetStorageShape().IsScalar() ? 1 : normShape->GetStorageShape().GetDim(0);
  int64_t col = 1, row = 1;
  for (size_t i = 0; i < x.GetDimNum(); i++) {
    (i < x.GetDimNum() - normDims ? col : row) *= x.GetDim(i);
  }
  auto xDesc = context->GetInputDesc(INPUT_IDX_X);
  OPS_CHECK_NULL_WITH_CONTEXT(context, xDesc);
  const ge::DataType xDtype = xDesc->GetDataType();
  const uint32_t xDtypeSize = ge::GetSizeByDataType(xDtype);
  auto gammaDesc = context->GetOptionalInputDesc(INPUT_IDX_GAMMA);
  auto betaDesc = context->GetOptionalInputDesc(INPUT_IDX_BETA);
  ge::DataType paramDtype = ge::DT_FLOAT;
  if (gammaDesc != nullptr) {
    paramDtype = gammaDesc->GetDataType();
  } else if (betaDesc != nullptr) {
    paramDtype = betaDesc->GetDataType();
  }
  const uint32_t blockElements = 32 / xDtypeSize;
  const uint32_t rowAlign = (row + blockElements - 1) / blockElements * blockElements;
  if (rowAlign > MOST_COLUMNS) {
    std::cout << "LayerNormV4: rows of at most " << MOST_COLUMNS << " elements, not " << row << std::endl;
    return ge::GRAPH_FAILED;
  }
  const uint32_t coreNum = compileInfo->coreNum;
  const uint32_t blockDim = std::min<int64_t>(col, coreNum);
  const uint32_t perRow = rowAlign * (2 * xDtypeSize + sizeof(float));
  const uint32_t kept = 4 * rowAlign * sizeof(float) + 8192;
  uint32_t nRow = (compileInfo->ubSizePlatForm - kept) / perRow;
  nRow = std::max(1U, std::min(nRow, 32U));

  LayerNormV4TilingDataSingleRead td;
  const float* eps = context->GetAttrs()->GetAttrPointer<float>(0);
  td.set_blockDim(blockDim);
  td.set_colSize(col);
  td.set_rowSize(row);
  td.set_eps(eps == nullptr ? 1e-5f : *eps);
  td.set_coefficient(1.0f / row);
  td.set_rowAlign(rowAlign);
  td.set_nRow(nRow);
  td.set_formerNum(col % blockDim);
  td.set_formerRows(col / blockDim + 1);
  td.set_tailRows(col / blockDim);
  td.set_loopCount((td.get_formerRows() + nRow - 1) / nRow);
  td.set_nullptrGamma(gammaDesc == nullptr ? 1 : 0);
  td.set_nullptrBeta(betaDesc == nullptr ? 1 : 0);
  td.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(td.GetDataSize());
  context->SetTilingKey(DtypeKey(xDtype, paramDtype));
  context->SetBlockDim(blockDim);
  size_t* workspaces = context->GetWorkspaceSizes(1);
  OPS_CHECK_NULL_WITH_CONTEXT(context, workspaces);
  workspaces[0] = 16 * 1024 * 1024;
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus TilingPrepare4LayerNormV4(gert::TilingParseContext* context) {
  auto compileInfo = context->GetCompiledInfo<LayerNormV4CompileInfo>();
  OPS_CHECK_NULL_WITH_CONTEXT(context, compileInfo);
  auto platformInfo = context->GetPlatformInfo();
  OPS_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
  auto ascendcPlatform = platform_ascendc::PlatformAscendC(platformInfo);
  compileInfo->coreNum = ascendcPlatform.GetCoreNumAiv();
  uint64_t ubSizePlatForm;
  ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSizePlatForm);
  compileInfo->ubSizePlatForm = ubSizePlatForm;
  compileInfo->isAscend310P = ascendcPlatform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
  return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(LayerNormV4)
    .Tiling(Tiling4LayerNormV4)
    .TilingParse<LayerNormV4CompileInfo>(TilingPrepare4LayerNormV4)
    .TilingInputsDataDependency({INPUT_IDX_NORM_SHAPE});
}  // namespace optiling
