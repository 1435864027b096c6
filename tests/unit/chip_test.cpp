// What is derived from the chip's figures follows npu/chip.h. No figure is written here a second time, so that these
// tests hold for any chip.
#include "npu/chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "dataset/cot/composition.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/prompts.h"
#include "dsl/initialise.h"
#include "dsl/lower.h"
#include "npu/machine/cross_core.h"
#include "npu/machine/local_memory.h"
#include "platform/platform_infos_def.h"
#include "reward/baseline.h"
#include "tiling/matmul_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace kg {
namespace {

namespace chip = npu::chip;
using ::testing::HasSubstr;

std::string text(std::int64_t number) { return std::to_string(number); }

TEST(Chip, PlatformTellsItsCoresAndSizes) {
  using Type = platform_ascendc::CoreMemType;
  const platform_ascendc::PlatformAscendC platform(nullptr);
  EXPECT_EQ(platform.GetCoreNum(), chip::kCubeCores);
  EXPECT_EQ(platform.GetCoreNumAic(), chip::kCubeCores);
  EXPECT_EQ(platform.GetCoreNumAiv(), chip::kVectorCores);
  const std::map<Type, std::int64_t> sizes = {
      {Type::UB, chip::kUbBytes},      {Type::L1, chip::kL1Bytes},    {Type::L0_A, chip::kL0aBytes},
      {Type::L0_B, chip::kL0bBytes},   {Type::L0_C, chip::kL0cBytes}, {Type::BT, chip::kBiasBytes},
      {Type::FB, chip::kFixpipeBytes}, {Type::L2, chip::kL2Bytes},    {Type::HBM, chip::kHbmBytes}};
  for (const auto& [type, bytes] : sizes) {
    std::uint64_t told = 0;
    platform.GetCoreMemSize(type, told);
    EXPECT_EQ(told, static_cast<std::uint64_t>(bytes)) << static_cast<int>(type);
  }
}

TEST(Chip, PlatformResourcesAreTheSameFiguresAsText) {
  const fe::PlatFormInfos infos;
  const auto told = [&](const char* label, const char* key) {
    std::string value;
    EXPECT_TRUE(infos.GetPlatformRes(label, key, value)) << key;
    return value;
  };
  EXPECT_EQ(told("SoCInfo", "cube_core_cnt"), text(chip::kCubeCores));
  EXPECT_EQ(told("SoCInfo", "vector_core_cnt"), text(chip::kVectorCores));
  EXPECT_EQ(told("SoCInfo", "l2_size"), text(chip::kL2Bytes));
  EXPECT_EQ(told("AICoreSpec", "ub_size"), text(chip::kUbBytes));
  EXPECT_EQ(told("AICoreSpec", "l1_size"), text(chip::kL1Bytes));
  EXPECT_EQ(told("AICoreSpec", "l0_a_size"), text(chip::kL0aBytes));
  EXPECT_EQ(told("AICoreSpec", "l0_b_size"), text(chip::kL0bBytes));
  EXPECT_EQ(told("AICoreSpec", "l0_c_size"), text(chip::kL0cBytes));
}

TEST(Chip, MachineHasItsMemoriesAndPlaces) {
  using npu::Memory;
  const std::map<Memory, std::int64_t> sizes = {
      {Memory::kUb, chip::kUbBytes},          {Memory::kL1, chip::kL1Bytes},   {Memory::kL0a, chip::kL0aBytes},
      {Memory::kL0b, chip::kL0bBytes},        {Memory::kL0c, chip::kL0cBytes}, {Memory::kBias, chip::kBiasBytes},
      {Memory::kFixpipe, chip::kFixpipeBytes}};
  for (const auto& [memory, bytes] : sizes) EXPECT_EQ(npu::kind_of(memory).bytes, bytes) << npu::kind_of(memory).name;
  EXPECT_EQ(npu::TaskLayout{}.places, chip::kVectorCores);
}

TEST(Chip, MatmulTilingFillsL0cAndL1AndNoMore) {
  // Products larger than any core, of a tiling that was told a platform and of one that was not.
  const platform_ascendc::PlatformAscendC platform(nullptr);
  for (const bool told : {true, false}) {
    matmul_tiling::MultiCoreMatmulTiling tiling =
        told ? matmul_tiling::MultiCoreMatmulTiling(platform) : matmul_tiling::MultiCoreMatmulTiling();
    using matmul_tiling::CubeFormat, matmul_tiling::DataType, matmul_tiling::TPosition;
    tiling.SetDim(chip::kCubeCores);
    tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, /*isTrans=*/false);
    tiling.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
    tiling.SetShape(1 << 14, 1 << 14, 1 << 12);
    AscendC::tiling::TCubeTiling t;
    ASSERT_EQ(tiling.GetTiling(t), 0);
    EXPECT_LE(t.usedCoreNum, chip::kCubeCores);
    const std::int64_t sums = std::int64_t{t.baseM} * t.baseN * 4;
    EXPECT_LE(sums, std::min(chip::kL0cBytes, chip::kUbBytes));
    EXPECT_GT(2 * sums, std::min(chip::kL0cBytes, chip::kUbBytes) / 2);
    EXPECT_LE((std::int64_t{t.baseM} * t.depthA1 + std::int64_t{t.baseN} * t.depthB1) * t.baseK * 2, chip::kL1Bytes);
  }
}

// Page 0681 of SetFixSplit. A kernel that copies out whole base blocks needs parts that are made of them.
TEST(Chip, MatmulTilingWithAFixedBlockGivesEachCoreWholeBlocks) {
  using matmul_tiling::CubeFormat, matmul_tiling::DataType, matmul_tiling::TPosition;
  const auto tiling_of = [](auto tiling, int32_t m, int32_t n, int32_t base_m, int32_t base_n) {
    tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, /*isTrans=*/false);
    tiling.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
    tiling.SetShape(m, n, 256);
    tiling.SetFixSplit(base_m, base_n, -1);
    AscendC::tiling::TCubeTiling t;
    if (tiling.GetTiling(t) != 0) t.usedCoreNum = 0;
    return t;
  };
  matmul_tiling::MultiCoreMatmulTiling many;
  many.SetDim(2 * chip::kCubeCores);
  const auto t = tiling_of(many, 1024, 640, -1, 160);
  EXPECT_GT(t.usedCoreNum, chip::kCubeCores);
  EXPECT_EQ(t.baseN, 160);
  EXPECT_EQ(t.singleCoreN % 160, 0);
  EXPECT_EQ(1024 % t.singleCoreM, 0);
  EXPECT_EQ(t.singleCoreM % t.baseM, 0);
  EXPECT_EQ(tiling_of(many, 1000, 640, 64, -1).singleCoreM % 64, 0);
  const matmul_tiling::MatmulApiTiling one;
  EXPECT_EQ(tiling_of(one, 12, 640, 16, 160).usedCoreNum, 1);
  EXPECT_EQ(tiling_of(one, 12, 640, 32, 160).usedCoreNum, 0);
  EXPECT_EQ(tiling_of(one, 12, 48, 16, 64).usedCoreNum, 0);
}

TEST(Chip, MatmulTilingOfABatchCarriesItsLayouts) {
  matmul_tiling::BatchMatmulTiling tiling;
  using matmul_tiling::CubeFormat, matmul_tiling::DataType, matmul_tiling::TPosition;
  tiling.SetDim(1);
  tiling.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, /*isTrans=*/true);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  tiling.SetShape(32, 256, 64);
  EXPECT_EQ(tiling.SetALayout(2, 32, 1, 3, 64), 0);
  EXPECT_EQ(tiling.SetBLayout(2, 256, 1, 3, 64), 0);
  EXPECT_EQ(tiling.SetCLayout(2, 32, 1, 3, 256), 0);
  EXPECT_EQ(tiling.SetCLayout(2, 0, 1, 3, 256), -1);
  EXPECT_EQ(tiling.SetCLayout(2, 32, 1, 3, 256), 0);
  EXPECT_EQ(tiling.SetBatchNum(3), 0);
  EXPECT_EQ(tiling.SetSplitRange(16, 64), 0);
  optiling::TCubeTiling t;
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_EQ(t.get_ALayoutInfoG(), 3);
  EXPECT_EQ(t.get_BLayoutInfoS(), 256);
  EXPECT_EQ(t.get_CLayoutInfoS1(), 32);
  EXPECT_EQ(t.get_CLayoutInfoS2(), 256);
  EXPECT_EQ(t.get_BatchNum(), 3);
  EXPECT_EQ(t.get_baseM(), 16);
  EXPECT_EQ(t.get_baseN(), 64);
  int32_t cores = 0, m_dim = 0, n_dim = 0, batch_m = 0, batch_n = 0;
  EXPECT_EQ(tiling.GetCoreNum(cores, m_dim, n_dim, batch_m, batch_n), 0);
  EXPECT_EQ(cores, 1);
  EXPECT_EQ(batch_m * batch_n, 1);
  matmul_tiling::SysTilingTempBufSize sizes;
  EXPECT_EQ(BatchMatmulGetTmpBufSize(t, sizes), 0);
  EXPECT_LE(sizes.l1Size, chip::kL1Bytes);
  EXPECT_EQ(sizes.l0cSize, 16 * 64 * 4);
}

constexpr const char* kAdd =
    "kernel k(x: float[N], y: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n"
    "    store z[t] = load x[t] + load y[t]\n";

dsl::Lowered lowered(const std::string& program, std::int64_t n) {
  dsl::LowerOptions options;
  options.bindings.names = {{"N", n}};
  options.want_forms = true;
  return dsl::lower(program, options);
}

TEST(Chip, DslUsesAllCoresAndRefusesMore) {
  EXPECT_EQ(dsl::Bindings{}.cores, chip::kVectorCores);
  EXPECT_THAT(lowered(kAdd, 1 << 22).tiling, HasSubstr("cores " + text(chip::kVectorCores) + "\n"));
  const std::string launch = "kernel k(x: float[N]) -> z: float[N]:\n  launch(" + text(chip::kVectorCores + 1) +
                             ")\n  for t in cores(tiles(N)):\n    store z[t] = load x[t]\n";
  EXPECT_THAT(lowered(launch, 4096).refusal, HasSubstr("on 1 to " + text(chip::kVectorCores) + " cores"));
}

TEST(Chip, DslRefusesTilesThatUbDoesNotHold) {
  EXPECT_EQ(dsl::kUbBudget, chip::kUbBytes - chip::kUbReserve);
  // One buffer of floats a tensor, a little more than a third of the budget each.
  const std::int64_t tile = dsl::kUbBudget / 3 / 4 / 64 * 64 + 64;
  const std::string program = "kernel k(x: float[N], y: float[N]) -> z: float[N]:\n  for t in cores(tiles(N, " +
                              text(tile) + ")):\n    store z[t] = load x[t] + load y[t]\n";
  EXPECT_THAT(lowered(program, tile).refusal, HasSubstr("UB has " + text(dsl::kUbBudget)));
  EXPECT_TRUE(lowered(kAdd, 1 << 22).ok);
}

TEST(Chip, BaselineCountsItsBandwidthLaunchAndClock) {
  proto::TaskCase task_case;
  for (proto::TensorSpec* spec : {task_case.add_inputs(), task_case.add_outputs()}) {
    spec->set_dtype(proto::FLOAT32);
    spec->add_shape(1 << 20);
  }
  const double bytes = 2.0 * 4 * (1 << 20);
  const double seconds = bytes / chip::kMeasuredBytesPerSecond / 0.8 + chip::kLaunchSeconds;
  EXPECT_NEAR(static_cast<double>(reward::memory_baseline_cycles(task_case)), seconds * chip::kHertz, 1);
  EXPECT_NEAR(static_cast<double>(reward::roofline_cycles(task_case)), bytes / chip::kHbmBytesPerSecond * chip::kHertz,
              1);
}

TEST(Chip, PromptsAndTasksNameItsCoresAndUb) {
  namespace cot = dataset::cot;
  const cot::Structure structure = cot::structures(1)[0];
  int most = 0;
  for (std::uint64_t turn = 0; turn < 50; ++turn) most = std::max(most, cot::instance_of(structure, turn).cores);
  EXPECT_EQ(most, chip::kVectorCores);
  const std::string prompt = cot::project_prompt(cot::instance_of(structure, 0), {});
  EXPECT_THAT(prompt, HasSubstr(text(chip::kVectorCores) + " vector cores"));
  EXPECT_THAT(prompt, HasSubstr(text(chip::kUbBytes) + " bytes of unified buffer"));
}

}  // namespace
}  // namespace kg
