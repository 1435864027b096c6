#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "exe_graph/runtime/shape.h"
#include "graph/utils/type_utils.h"
#include "npu/headers/kgnpu/library_tiling.h"
#include "npu/host/host_side.h"
#include "npu/launch/arguments.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace {
BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF(uint64_t, large);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(Outer)
TILING_DATA_FIELD_DEF(uint16_t, first);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 3, list);
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner);
TILING_DATA_FIELD_DEF(float, last);
END_TILING_DATA_DEF;

struct PlainInner {
  uint8_t small;
  uint64_t large;
};
struct PlainOuter {
  uint16_t first;
  uint32_t list[3];
  PlainInner inner;
  float last;
};
}  // namespace

namespace kg::npu {
namespace {

TEST(HostSide, TilingDataLieAsTheStructureOfTheKernelDoes) {
  Outer data;
  data.set_first(0x1234);
  const uint32_t list[3] = {1, 2, 3};
  data.set_list(list);
  data.get_list()[2] = 7;
  data.inner.set_small(9);
  data.inner.set_large(1ULL << 40);
  data.set_last(0.5F);
  ASSERT_EQ(data.GetDataSize(), sizeof(PlainOuter));
  const Outer copy = data;
  PlainOuter plain{};
  copy.SaveToBuffer(&plain, sizeof(plain));
  EXPECT_EQ(plain.first, 0x1234);
  EXPECT_THAT(plain.list, ::testing::ElementsAre(1u, 2u, 7u));
  EXPECT_EQ(plain.inner.small, 9);
  EXPECT_EQ(plain.inner.large, 1ULL << 40);
  EXPECT_EQ(plain.last, 0.5F);
  PlainOuter untouched{};
  copy.SaveToBuffer(&untouched, sizeof(plain) - 1);
  EXPECT_EQ(untouched.first, 0);
}

// Each of the library's structures, as a class of the host and as the kernel has it.
TEST(HostSide, TilingDataOfTheLibraryLieAsTheKernelHasThem) {
#define KG_EXPECT_SAME(name, fields)                                                 \
  EXPECT_EQ(optiling::name().GetDataSize(), sizeof(AscendC::tiling::name)) << #name; \
  EXPECT_TRUE(std::is_trivially_copyable_v<AscendC::tiling::name>) << #name;
  KG_LIBRARY_TILINGS(KG_EXPECT_SAME)
#undef KG_EXPECT_SAME
}

template <typename Tiling, typename Plain, typename Fill>
Plain filled(const Fill& fill) {
  Tiling tiling;
  fill(tiling);
  Plain plain{};
  tiling.SaveToBuffer(&plain, sizeof(plain));
  return plain;
}

// Pages 0678 and 0682: SetSingleShape gives a core's part of K, which counts if EnableMultiCoreSplitK allows parts of
// K.
TEST(HostSide, CoresSharePartsOfKOnlyIfThatIsEnabled) {
  for (const bool split : {false, true}) {
    matmul_tiling::MultiCoreMatmulTiling tiling;
    tiling.SetDim(8);
    tiling.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    tiling.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    tiling.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    tiling.SetShape(128, 128, 1024);
    tiling.SetOrgShape(128, 128, 1024);
    tiling.SetSingleShape(128, 64, 256);
    tiling.EnableMultiCoreSplitK(split);
    optiling::TCubeTiling data;
    ASSERT_EQ(tiling.GetTiling(data), 0);
    EXPECT_EQ(data.get_singleCoreN(), 64);
    EXPECT_EQ(data.get_singleCoreK(), split ? 256 : 1024);
    EXPECT_EQ(data.get_usedCoreNum(), split ? 8 : 2);
    EXPECT_EQ(data.get_Ka(), 1024);
    EXPECT_LE(data.get_baseK(), data.get_singleCoreK());
    tiling.SetSingleShape(128, 64, 128);  // 16 parts on 8 cores
    EXPECT_EQ(tiling.GetTiling(data), split ? -1 : 0);
  }
}

TEST(HostSide, LibraryTilingHoldsTheShape) {
  const ge::Shape rows({4, 13}), aligned({6, 16}), heads({1, 2, 32, 16}), image({2, 6, 3, 5});
  const platform_ascendc::PlatformAscendC platform(nullptr);
  const auto un_pad = filled<optiling::UnPadTiling, AscendC::tiling::UnPadTiling>(
      [&](auto& tiling) { AscendC::UnPadTilingFunc(aligned, 1024, 4, tiling); });
  EXPECT_EQ(un_pad.srcHeight, 6u);
  EXPECT_EQ(un_pad.srcWidth, 16u);
  const auto pad = filled<optiling::PadTiling, AscendC::tiling::PadTiling>(
      [&](auto& tiling) { AscendC::PadTilingFunc(aligned, rows, 1024, 2, tiling); });
  EXPECT_EQ(pad.srcOriWidth, 13u);
  const auto transpose = filled<optiling::ConfusionTransposeTiling, AscendC::tiling::ConfusionTransposeTiling>(
      [&](auto& tiling) { AscendC::GetConfusionTransposeTilingInfo(heads, 1024, 2, 4, tiling); });
  EXPECT_EQ(transpose.param1, 2u);
  EXPECT_EQ(transpose.param3, 16u);
  const auto norm = filled<optiling::RmsNormTiling, AscendC::tiling::RmsNormTiling>(
      [&](auto& tiling) { EXPECT_TRUE(AscendC::GetRmsNormTilingInfo(heads, heads, 1024, 4, tiling)); });
  EXPECT_EQ(norm.bLength * norm.sLength, 64u);
  EXPECT_EQ(norm.reciprocalOfHLength, 1.0f / 16);
  const auto group = filled<optiling::GroupNormTiling, AscendC::tiling::GroupNormTiling>(
      [&](auto& tiling) { AscendC::GetGroupNormNDTilingInfo(image, 1024, 4, false, 3, tiling); });
  EXPECT_EQ(group.hw, 15u);
  EXPECT_EQ(group.hwAlignSize, 16u);
  EXPECT_EQ(group.d, 2u);
  const auto top = filled<optiling::TopkTiling, AscendC::tiling::TopkTiling>([&](auto& tiling) {
    EXPECT_TRUE(AscendC::TopKTilingFunc(platform, 64, 2, 5, 4, true, AscendC::TopKMode::TOPK_NORMAL, true, tiling));
  });
  EXPECT_EQ(top.allDataSize, 128);
  uint32_t most = 0, least = 0;
  AscendC::GetBroadCastMaxMinTmpSize(platform, rows, aligned, 4, false, most, least);
  EXPECT_GE(most, least);
  EXPECT_GT(least, 0u);
}

TEST(HostSide, TheLargestAndTheSmallestTemporarySizeAgreeWithTheirPair) {
  const ge::Shape shape({16, 512});
  uint32_t most = 0, least = 0;
  AscendC::GetGeluMaxMinTmpSize(shape, 2, most, least);
  EXPECT_EQ(AscendC::GetGeluMaxTmpSize(shape, 2), most);
  EXPECT_EQ(AscendC::GetGeluMinTmpSize(shape, 2), least);
  AscendC::GetDropOutMaxMinTmpSize(shape, 2, false, most, least);
  EXPECT_EQ(AscendC::GetDropOutMaxTmpSize(shape, 2, false), most);
  EXPECT_EQ(AscendC::GetDropOutMinTmpSize(shape, 2, false), least);
  AscendC::GetAscendAntiQuantMaxMinTmpSize(shape, ge::Shape({512}), false, ge::DT_INT8, ge::DT_FLOAT16, most, least);
  EXPECT_EQ(AscendC::GetAscendAntiQuantMaxTmpSize(shape, ge::Shape({512}), false, ge::DT_INT8, ge::DT_FLOAT16), most);
  EXPECT_EQ(AscendC::GetAscendAntiQuantMinTmpSize(shape, ge::Shape({512}), false, ge::DT_INT8, ge::DT_FLOAT16), least);
  EXPECT_GT(most, least);
  AscendC::GetSelectMaxMinTmpSize(shape, ge::Shape({1}), 2, shape, 1, false, most, least);
  EXPECT_EQ(AscendC::GetSelectMaxTmpSize(shape, ge::Shape({1}), 2, shape, 1, false), most);
  EXPECT_EQ(AscendC::GetSelectWithBytesMaskMinTmpSize(shape, ge::Shape({1}), 2, shape, 1, false), least);
  EXPECT_GE(most, 16u * 512 * 2);
  const platform_ascendc::PlatformAscendC& platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  uint32_t most_of_round = 0, least_of_round = 0;
  AscendC::GetRoundMaxMinTmpSize(shape, 2, false, most, least);
  AscendC::GetRoundMaxMinTmpSize(platform, shape, 2, false, most_of_round, least_of_round);
  EXPECT_EQ(most_of_round, most);
  EXPECT_EQ(least_of_round, least);
  EXPECT_TRUE(AscendC::GetExpMaxMinTmpSize(shape, 2, false, most, least));
  EXPECT_GE(most, 16u * 512 * 2);
  uint32_t kept = 0, extra = 0;
  AscendC::GetMeanTmpBufferFactorSize(2, kept, extra);
  EXPECT_GE(kept * 256, least / 4);
  // The one function that takes isReuseSource last.
  AscendC::GetSwiGLUMaxMinTmpSize(shape, 2, most, least, false);
  EXPECT_GE(most, 16u * 512 * 2);
}

template <typename Tiling>
constexpr bool kTakenByRmsNorm =
    requires(Tiling& tiling, ge::Shape shape) { AscendC::GetRmsNormTilingInfo(shape, shape, 1, 4, tiling); };

TEST(HostSide, AFunctionTakesTheTilingDataOfItsOwnCallOnly) {
  EXPECT_TRUE(kTakenByRmsNorm<optiling::RmsNormTiling>);
  EXPECT_TRUE(kTakenByRmsNorm<AscendC::tiling::RmsNormTiling>);
  EXPECT_FALSE(kTakenByRmsNorm<optiling::LayerNormTiling>);  // which has the fields, but another page
}

TEST(HostSide, LayerNormsShapeEndsWithTheLengthOfARowBeforePadding) {
  const ge::Shape padded({2, 8, 64, 61});
  uint32_t most = 0, least = 0, most_of_rows = 0;
  AscendC::GetLayerNormMaxMinTmpSize(padded, 4, false, most, least);
  AscendC::GetLayerNormMaxMinTmpSize(ge::Shape({2, 8, 64}), 4, false, most_of_rows, least);
  EXPECT_EQ(most, most_of_rows);
  const auto expect_shape = [](const auto& tiling) {
    EXPECT_EQ(tiling.bLength, 2u);
    EXPECT_EQ(tiling.sLength, 8u);
    EXPECT_EQ(tiling.hLength, 64u);
    EXPECT_EQ(tiling.originalHLength, 61u);
  };
  expect_shape(filled<optiling::LayerNormTiling, AscendC::tiling::LayerNormTiling>(
      [&](auto& tiling) { AscendC::GetLayerNormNDTilingInfo(padded, most, 4, false, tiling); }));
  expect_shape(filled<optiling::LayerNormGradTiling, AscendC::tiling::LayerNormGradTiling>(
      [&](auto& tiling) { AscendC::GetLayerNormGradNDTilingInfo(padded, most, 4, false, tiling); }));
}

TEST(HostSide, TemporarySizesWithNamesAndOrdersOfTheirOwn) {
  const ge::Shape shape({32, 64}), one({1});
  uint32_t most = 0, least = 0;
  const auto expect_sizes = [&] {
    EXPECT_GT(least, 0u);
    EXPECT_GE(most, least);
    most = least = 0;
  };
  AscendC::GetSiluTmpSize(shape, 2, false, most, least);
  expect_sizes();
  AscendC::GetSwishTmpSize(shape, 2, false, most, least);
  expect_sizes();
  AscendC::GetSwiGLUMaxMinTmpSize(shape, 2, most, least, false);
  expect_sizes();
  AscendC::GetSelectMaxMinTmpSize(shape, one, 2, shape, 1, false, most, least);
  EXPECT_EQ(AscendC::GetSelectMaxTmpSize(shape, one, 2, shape, 1, false), most);
  EXPECT_EQ(AscendC::GetSelectMinTmpSize(shape, one, 2, shape, 1, false), least);
  expect_sizes();
  AscendC::GetMeanTmpBufferFactorSize(4, most, least);
  EXPECT_EQ(most, 2u);
  AscendC::GetAscendQuantTmpBufferFactorSize(most, least);
  EXPECT_EQ(most, 4u);
  AscendC::GetAscendDequantTmpBufferFactorSize(shape, most, least);
  EXPECT_EQ(most, 4u);
  AscendC::GetAscendAntiQuantTmpBufferFactorSize(shape, one, false, ge::DT_INT8, ge::DT_FLOAT16, most, least);
  EXPECT_EQ(most, 1u);
  optiling::SoftMaxTiling tiling;
  AscendC::SoftMaxTilingFunc(shape, 4, 32 * 1024, tiling);
  EXPECT_TRUE(AscendC::IsBasicBlockInSoftMax(tiling));
  AscendC::SoftMaxTilingFunc(ge::Shape({31, 64}), 4, 32 * 1024, tiling);
  EXPECT_FALSE(AscendC::IsBasicBlockInSoftMax(tiling));
}

TEST(HostSide, ARuleExpandsAShapeAsItsPageShows) {
  const gert::Shape shape({3, 256, 256});
  gert::Shape expanded;
  EXPECT_EQ(gert::ExpandDimsType("1000").Expand(shape, expanded), ge::GRAPH_SUCCESS);
  EXPECT_EQ(expanded, gert::Shape({1, 3, 256, 256}));
  EXPECT_EQ(gert::ExpandDimsType("10000").Expand(shape, expanded), ge::GRAPH_FAILED);
  EXPECT_EQ(gert::ExpandDimsType("1001").Expand(shape, expanded), ge::GRAPH_SUCCESS);
  EXPECT_EQ(expanded, gert::Shape({1, 3, 256, 1, 256}));
  gert::ExpandDimsType rule("1001");
  EXPECT_EQ(rule.GetFullSize(), 4u);
  EXPECT_FALSE(rule.IsExpandIndex(1));
  rule.SetExpandIndex(1);
  EXPECT_TRUE(rule == gert::ExpandDimsType("1101"));
  EXPECT_TRUE(rule == gert::ExpandDimsType((int64_t{4} << 56) | 0b1011));
}

TEST(HostSide, TilingDataAppendsElementsAndGrows) {
  const auto bytes = gert::TilingData::CreateCap(100);
  auto& data = *reinterpret_cast<gert::TilingData*>(bytes.get());
  const int64_t values[] = {1, 2, 3};
  EXPECT_EQ(data.Append(values, 3), ge::GRAPH_SUCCESS);
  EXPECT_EQ(data.GetDataSize(), 24u);
  data << int32_t{4};
  EXPECT_EQ(data.GetDataSize(), 28u);
  EXPECT_EQ(static_cast<const int64_t*>(data.GetData())[2], 3);
  EXPECT_NE(data.Expand(72), nullptr);
  EXPECT_EQ(data.GetDataSize(), data.GetCapacity());
  EXPECT_EQ(data.Expand(1), nullptr);
  EXPECT_EQ(data.Append(int8_t{0}), ge::GRAPH_FAILED);
}

TEST(HostSide, FlashVersionsTakeTheirPublishedArguments) {
  const ge::Shape shape({32, 64});
  uint32_t most = 0, least = 0;
  AscendC::GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, most, least, true);
  EXPECT_GT(least, 0u);
  EXPECT_EQ(most, 32 * least);
  EXPECT_EQ(AscendC::GetSoftMaxFlashV2MinTmpSize(shape, 2, 4, true), least);
  EXPECT_EQ(AscendC::GetSoftMaxFlashV2MaxTmpSize(shape, 2, 4, true), most);
  const auto flash = filled<optiling::SoftMaxTiling, AscendC::tiling::SoftMaxTiling>(
      [&](auto& tiling) { AscendC::SoftMaxFlashV3TilingFunc(shape, 2, 4, 4 * least, tiling, true); });
  EXPECT_EQ(flash.srcM, 32u);
  EXPECT_EQ(flash.outMaxK, 8u);
  EXPECT_EQ(flash.splitM, 4u);
}

TEST(HostSide, KernelsAreNamedAsMsopgenNamesThem) {
  EXPECT_EQ(snake_case("AddCustom"), "add_custom");
  EXPECT_EQ(snake_case("TopKV3"), "top_kv3");
  EXPECT_EQ(snake_case("ApplyAdamWV2"), "apply_adam_wv2");
  EXPECT_EQ(snake_case("SwiGLUGrad"), "swi_glu_grad");
  EXPECT_EQ(snake_case("AbcAAc"), "abc_a_ac");
}

TEST(HostSide, ListDescriptorHasOffsetShapesAndAddresses) {
  const std::string bytes = list_descriptor({{5}, {2, 3}}, {0x1000, 0x2000});
  std::uint64_t words[8];
  ASSERT_EQ(bytes.size(), sizeof(words));
  std::memcpy(words, bytes.data(), sizeof(words));
  EXPECT_THAT(words, ::testing::ElementsAre(48u, 1u, 5u, (1ULL << 32) + 2, 2u, 3u, 0x1000u, 0x2000u));
}

TEST(HostSide, ShapesCountTheirElements) {
  gert::Shape shape({3, 4});
  EXPECT_EQ(shape.AppendDim(5).GetShapeSize(), 60);
  EXPECT_EQ(gert::Shape({}).GetShapeSize(), 1);
  EXPECT_EQ(gert::Shape({-1, 2}).GetShapeSize(), -1);
  EXPECT_EQ(gert::Shape({1LL << 40, 1LL << 40}).GetShapeSize(), -1);
  shape.SetDim(1, 6);
  EXPECT_EQ(shape, gert::Shape({3, 6, 5}));
  const gert::Shape& constant = shape;
  EXPECT_EQ(&constant[1], &shape[1]);
  EXPECT_EQ(constant[25], gert::Shape::kInvalidDimValue);
}

TEST(HostSide, ATensorCanBeChanged) {
  int32_t values[2] = {1, 2};
  gert::Tensor tensor({{2}, {2}}, {}, ge::DT_INT32, values, sizeof(values));
  tensor.GetData<int32_t>()[1] = 7;
  EXPECT_EQ(values[1], 7);
  tensor.MutableStorageShape().AppendDim(3);
  tensor.MutableOriginShape().SetDim(0, 6);
  EXPECT_EQ(tensor.GetShapeSize(), 6);
  EXPECT_EQ(tensor.GetOriginShape(), gert::Shape({6}));
  tensor.SetDataType(ge::DT_INT64);
  tensor.SetStorageFormat(ge::FORMAT_FRACTAL_NZ);
  EXPECT_EQ(tensor.GetDataType(), ge::DT_INT64);
  EXPECT_EQ(tensor.GetStorageFormat(), ge::FORMAT_FRACTAL_NZ);
  EXPECT_EQ(tensor.GetOriginFormat(), ge::FORMAT_ND);
}

TEST(HostSide, AnAttributeKnowsItsNameAndWhetherItMustBeGiven) {
  ops::OpAttrDef attribute("epsilon");
  EXPECT_STREQ(attribute.GetName().GetString(), "epsilon");
  EXPECT_TRUE(attribute.IsRequired());
  EXPECT_FALSE(attribute.AttrType(ops::OPTIONAL).Float(1e-5f).IsRequired());
}

TEST(HostSide, AProductTakesTheModesOfThisChip) {
  matmul_tiling::MatmulApiTiling tiling;
  EXPECT_EQ(tiling.SetMadType(matmul_tiling::MatrixMadType::NORMAL), 0);
  EXPECT_EQ(tiling.SetMadType(matmul_tiling::MatrixMadType::HF32), 0);
  EXPECT_EQ(tiling.SetMadType(matmul_tiling::MatrixMadType::MXMODE), -1);
}

TEST(HostSide, PlatformIsAnAtlasA2) {
  platform_ascendc::PlatformAscendC& platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  EXPECT_EQ(platform.GetCoreNumAiv(), 48u);
  EXPECT_EQ(platform.GetCoreNumAic(), 24u);
  EXPECT_EQ(platform.CalcTschBlockDim(40, 24, 48), 20u);
  EXPECT_EQ(platform.CalcTschBlockDim(7, 0, 48), 7u);
  EXPECT_EQ(platform.GetLibApiWorkSpaceSize(), 16u << 20);
  EXPECT_EQ(platform.GetCurNpuArch(), NpuArch::DAV_2201);
  EXPECT_EQ(platform.GetVecRegLen(), 0u);
  EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), "DT_BF16");
  EXPECT_EQ(ge::GetSizeByDataType(ge::DT_COMPLEX64), 8);
}

}  // namespace
}  // namespace kg::npu
