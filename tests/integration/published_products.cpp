// Products of matrices by the Matmul object.

#include "npu/chip.h"
#include "published_times.h"

namespace kg::npu::testing {
namespace {

constexpr const char* kTorch = "github.com/zzc0721/torch-performance-test-data, issue 109: torch on a 910B2";

const std::string kGuide = "the vendor's guide, best practices of the Matmul object";
constexpr double kLaunch = chip::kLaunchSeconds * 1e6;

struct Product {
  const char* type;  // half or float
  std::int64_t m, n, k, base_m, base_n, base_k;
  const char* result = "float";
  std::int64_t steps = 1;  // of base_k in a copy: more by the MDL template
};

std::string object(const Product& p, const char* rows, const char* columns) {
  const std::string in = std::string("MatmulType<TPosition::GM, CubeFormat::ND, ") + p.type + ">";
  return "  TPipe pipe; TCubeTiling t;\n"
         "  t.usedCoreNum = GetBlockNum(); t.M = kM; t.N = kN; t.Ka = kK; t.Kb = kK;\n"
         "  t.singleCoreM = " +
         std::string(rows) + "; t.singleCoreN = " + columns +
         "; t.singleCoreK = kK;\n"
         "  t.baseM = kBaseM; t.baseN = kBaseN; t.baseK = kBaseK;\n"
         "  t.stepM = 1; t.stepN = 1; t.stepKa = kSteps; t.stepKb = kSteps; t.depthA1 = 2 * kSteps; t.depthB1 = 2 * "
         "kSteps;\n"
         "  Matmul<" +
         in + ", " + in + ", MatmulType<TPosition::GM, CubeFormat::ND, " + p.result +
         ">, MatmulType<TPosition::GM, CubeFormat::ND, float>, " + (p.steps > 1 ? "CFG_MDL" : "CFG_NORM") +
         "> mm;\n"
         "  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);\n"
         "  GlobalTensor<" +
         p.type + "> a, b; GlobalTensor<" + p.result +
         "> c;\n"
         "  a.SetGlobalBuffer((__gm__ " +
         p.type + "*)in0); b.SetGlobalBuffer((__gm__ " + p.type + "*)in1); c.SetGlobalBuffer((__gm__ " + p.result +
         "*)out);\n";
}

std::string before(const Product& p, bool mixed) {
  return std::string(mixed ? "" : "#define ASCENDC_CUBE_ONLY\n") +
         "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"\nusing namespace AscendC; using namespace "
         "matmul;\n" +
         constants({{"kM", p.m},
                    {"kN", p.n},
                    {"kK", p.k},
                    {"kBaseM", p.base_m},
                    {"kBaseN", p.base_n},
                    {"kBaseK", p.base_k},
                    {"kSteps", p.steps}});
}

constexpr const char* kOneToOne = "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);\n";
constexpr const char* kOneToTwo = "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n";
constexpr const char* kCubeOnly = "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);\n";

// Cube cores that take base blocks in turn, no vector core: bands of eight rows of blocks, so that the cores share
// panels in L2.
double by_blocks(const Product& p) {
  const std::string body = kCubeOnly + object(p, "kBaseM", "kBaseN") + R"(
  constexpr int64_t band = 8, down = kN / kBaseN, blocks = kM / kBaseM * down;
  for (int64_t i = GetBlockIdx(); i < blocks; i += GetBlockNum()) {
    const int64_t row = (i / (band * down) * band + i % band) * kBaseM, column = i / band % down * kBaseN;
    mm.SetTensorA(a[row * kK]); mm.SetTensorB(b[column]); mm.IterateAll(c[row * kN + column]);
  }
  mm.End();
)";
  return microseconds_of(before(p, /*mixed=*/false), body, {{p.type, p.m * p.k}, {p.type, p.k * p.n}},
                         {p.result, p.m * p.n}, 24);
}

// A product of its own on each of the cores of a mixed kernel.
double batched(const Product& p, std::int64_t cores) {
  const std::string body = kOneToOne + object(p, "kM", "kN") + R"(
  const int64_t core = GetBlockIdx();
  mm.SetTensorA(a[core * kM * kK]); mm.SetTensorB(b[core * kK * kN]); mm.IterateAll(c[core * kM * kN]); mm.End();
)";
  return microseconds_of(before(p, /*mixed=*/true), body, {{p.type, cores * p.m * p.k}, {p.type, cores * p.k * p.n}},
                         {p.result, cores * p.m * p.n}, static_cast<std::uint32_t>(cores));
}

// One product, read by the profiler, whose columns are shared: by the two vector cores of each of 24 groups, or by 24
// cube cores.
double by_columns(const Product& p, bool mixed) {
  const std::string columns = std::to_string(p.n / (mixed ? 48 : 24));
  const std::string body = (mixed ? kOneToTwo : kCubeOnly) + object(p, "kM", columns.c_str()) +
                           "  const int64_t column = GetBlockIdx() * " + columns +
                           ";\n  mm.SetTensorA(a); mm.SetTensorB(b[column]); mm.IterateAll(c[column]); mm.End();\n";
  return microseconds_of(before(p, mixed), body, {{p.type, p.m * p.k}, {p.type, p.k * p.n}}, {p.result, p.m * p.n}, 24,
                         1, kFlushed);
}

PublishedPoint square(const char* type, std::int64_t side, double chip, const char* source) {
  const bool narrow = std::string(type) == "half";
  const Product p = narrow ? Product{type, side, side, side, 128, 256, 64, "half", 4}
                           : Product{type, side, side, side, 128, 128, 32, "float", 4};
  const std::string name = std::string(type) + " " + std::to_string(side) + "^3, 24 cores";
  return {name,
          "products",
          narrow ? "blocks of 128 x 256 by bands of eight, MDL" : "blocks of 128 x 128 by bands of eight, MDL",
          source,
          chip,
          [p] { return by_blocks(p); }};
}

double of_teraflops(double side, double teraflops) { return 2 * side * side * side / teraflops / 1e6; }

}  // namespace

std::vector<PublishedPoint> published_products() {
  return {
      {"float 4096^3, one core", "products", "mixed, blocks of 128 x 128", kEvoKernel, 36670,
       [] { return batched({"float", 4096, 4096, 4096, 128, 128, 32}, 1); }},
      {"float 24 x (512 x 1024 x 2048), 24 cores", "products", "mixed, a product a core, blocks of 128 x 128",
       kEvoKernel, 1018, [] { return batched({"float", 512, 2048, 1024, 128, 128, 32}, 24); }},
      {"half 32 x 2048 x 32, one core", "products", "mixed, blocks of 32 x 32 x 256", kGuide + " (constant tiling)",
       21.88, [] { return batched({"half", 32, 32, 2048, 32, 32, 256}, 1); }},
      {"half 128 x 64 x 30720, 48 vector cores", "products",
       "mixed, 640 columns a vector core, blocks of 128 x 256; clean L2",
       kGuide + " (CUBE_ONLY): time on the core, a launch added", 17.85 + kLaunch,
       [] { return by_columns({"half", 128, 30720, 64, 128, 256, 64}, /*mixed=*/true); }},
      {"half 128 x 1024 x 30720, 24 cores", "products", "1,280 columns a core, blocks of 128 x 256 x 64; clean L2",
       kGuide + " (MDL template, before): time on the core, a launch added", 83.68 + kLaunch,
       [] { return by_columns({"half", 128, 30720, 1024, 128, 256, 64}, /*mixed=*/false); }},
      square("half", 8192, 3630, "github.com/tile-ai/tilelang-ascend, issue 79: torch (TileLang: 3,900)"),
      square("half", 4096, of_teraflops(4096, 314.52), kTorch),
      square("half", 2048, of_teraflops(2048, 251.01), kTorch),
      square("float", 8192, of_teraflops(8192, 80.43), kTorch),
      square("float", 4096, of_teraflops(4096, 84.53), kTorch),
      square("float", 2048, of_teraflops(2048, 76.92), kTorch),
  };
}

}  // namespace kg::npu::testing
