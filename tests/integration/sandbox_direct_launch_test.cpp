#include <algorithm>

#include "sandbox/compiler/find_tools.h"
#include "tests/integration/project_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kScale = R"(#include "kernel_operator.h"
using namespace AscendC;

struct Plan {
  uint32_t total;
  float bias;
};

template <typename T>
__global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, Plan plan, float factor) {
  GlobalTensor<T> from, to;
  const uint32_t n = plan.total / GetBlockNum();
  from.SetGlobalBuffer((__gm__ T*)x + GetBlockIdx() * n, n);
  to.SetGlobalBuffer((__gm__ T*)y + GetBlockIdx() * n, n);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, n * sizeof(T));
  pipe.InitBuffer(out, 1, n * sizeof(T));
  LocalTensor<T> a = in.AllocTensor<T>();
  DataCopy(a, from, n);
  in.EnQue(a);
  a = in.DeQue<T>();
  LocalTensor<T> b = out.AllocTensor<T>();
  Muls(b, a, (T)factor, n);
  Adds(b, b, (T)plan.bias, n);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<T>();
  DataCopy(to, b, n);
  out.FreeTensor(b);
}

// Not a launch: scale<<<1, nullptr, nullptr>>>(x).
extern "C" void scale_do(uint32_t blockDim, void* l2ctrl, void* stream, uint8_t* x, uint8_t* y, float factor, int32_t bias) {
  const double of_all = static_cast<double>(bias) * blockDim;  // the host has the numbers that the device has not
  Plan plan{128, static_cast<float>(of_all / blockDim)};
  if (bias != 0) {
    scale<float><<<2 * blockDim, l2ctrl, stream>>>(x, y, plan, factor);
  }
}
)";

class DirectLaunchTest : public ProjectFixture {
 protected:
  proto::ExecutionRequest request(const std::string& source, const std::string& entry_point) {
    proto::ExecutionRequest request;
    request.set_source(source);
    request.set_entry_point(entry_point);
    request.set_block_dim(2);
    request.mutable_limits()->set_compile_seconds(60);
    proto::RunCase& one = *request.add_cases();
    add_input(one, "x", proto::FLOAT32, {128}, ramp(128, 1));
    add_output(one, "y", proto::FLOAT32, {128});
    one.add_attributes()->set_real(0.5);
    one.add_attributes()->set_integer(3);
    return request;
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
};

TEST_F(DirectLaunchTest, KernelGetsBlocksStructuresAndNumbersAsItsHostFunctionPassesThem) {
  for (const char* entry_point : {"scale_do", "scale"}) {
    const auto result = execute(request(kScale, entry_point));
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
    EXPECT_EQ(errors_of(result.cases(0)), "");
    const std::vector<double> y = values_of(result.cases(0).outputs(0));
    for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * 0.5 + 3) << i;
  }
}

// Kernels in namespaces, static ones, instances of one template that differ in nothing but its argument; launched from
// helpers, in a row, by a host function that uses the standard library.
TEST_F(DirectLaunchTest, EachLaunchFindsItsOwnKernel) {
  const std::string source = R"(#include "kernel_operator.h"
#include <algorithm>
#include <vector>
using namespace AscendC;
template <int bias>
__aicore__ inline void add(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 64, 64);
  to.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * 64, 64);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 256);
  LocalTensor<float> a = buffer.Get<float>();
  DataCopy(a, from, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(a, a, (float)bias, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, a, 64);
}
template <int bias>
__global__ __aicore__ void step(GM_ADDR x, GM_ADDR y) { add<bias>(x, y); }
namespace other { __global__ __aicore__ void step(GM_ADDR x, GM_ADDR y) { add<100>(x, y); } }
static __global__ __aicore__ void own(GM_ADDR x, GM_ADDR y) { add<1000>(x, y); }
template <int bias>
void launch(uint32_t blocks, void* stream, uint8_t* from, uint8_t* to) { step<bias><<<blocks, nullptr, stream>>>(from, to); }
extern "C" void steps(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y) {
  std::vector<int> order = {3, 1, 2};
  std::sort(order.begin(), order.end());
  launch<1>(blocks, stream, x, y);
  for (const int n : order) if (n > 1) launch<10>(blocks, stream, y, y);
  other::step<<<blocks, nullptr, stream>>>(y, y);
  own<<<blocks, nullptr, stream>>>(y, y);
}
)";
  const auto result = execute(request(source, "steps"));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(errors_of(result.cases(0)), "");
  const std::vector<double> y = values_of(result.cases(0).outputs(0));
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] + 1121) << i;
}

// As a build writes it for a kernel that takes its tiling data by value. The structure's members are the task's
// numbers.
TEST_F(DirectLaunchTest, HostFunctionTakesAStructureByValue) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
struct Scales { float factor[2]; };
struct Plan { Scales scales; int32_t bias; bool negative; };
__global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, Plan plan) {
  __gm__ float* to = (__gm__ float*)y;
  for (int32_t i = 0; i < 128; ++i)
    to[i] = ((__gm__ float*)x)[i] * plan.scales.factor[i % 2] + (plan.negative ? -plan.bias : plan.bias);
}
void start(uint32_t blocks, void* stream, GM_ADDR x, GM_ADDR y, GM_ADDR workspace, Plan plan) {
  scale<<<1, nullptr, stream>>>(x, y, workspace, plan);
}
)";
  proto::ExecutionRequest asked = request(source, "scale");
  asked.mutable_cases(0)->clear_attributes();
  for (const double number : {0.5, 2.0, 3.0, 1.0}) asked.mutable_cases(0)->add_attributes()->set_real(number);
  const auto result = execute(asked);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  const std::vector<double> y = values_of(result.cases(0).outputs(0));
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * (i % 2 == 0 ? 0.5 : 2) - 3) << i;
  EXPECT_THAT(
      execute(request(replaced(source, "bool negative;", "bool negative; int32_t* where;"), "scale")).compiler_output(),
      HasSubstr("structures of numbers"));
}

TEST_F(DirectLaunchTest, MacroDefinesTheKernelAndItsHostFunction) {
  std::string source = kScale;
  source = replaced(source, "extern \"C\" void scale_do", "#define LAUNCHER(name, T) \\\nextern \"C\" void name##_do");
  source = source.substr(0, source.find("  const double of_all"));
  source.insert(source.rfind('\n'), " \\");
  source +=
      "  Plan plan{128, static_cast<float>(bias)}; \\\n"
      "  name<T><<<2 * blockDim, l2ctrl, stream>>>(x, y, plan, factor); \\\n}\nLAUNCHER(scale, float)\n";
  for (const char* entry_point : {"scale_do", "scale"}) {
    const auto result = execute(request(source, entry_point));
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
    const std::vector<double> y = values_of(result.cases(0).outputs(0));
    for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * 0.5 + 3) << i;
  }
}

TEST_F(DirectLaunchTest, DumpedPartsOfTensorsAreInTheOutput) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void dump(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 128);
  to.SetGlobalBuffer((__gm__ float*)y, 128);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 512);
  LocalTensor<float> a = buffer.Get<float>();
  DataCopy(a, from, 128);
  PipeBarrier<PIPE_ALL>();
  DumpAccChkPoint(a, 7, 16, 2);
  DumpAccChkPoint(from, 8, 40, 3);
  DataCopy(to, a, 128);
}
void start(uint32_t blocks, void* stream, GM_ADDR x, GM_ADDR y) { dump<<<1, nullptr, stream>>>(x, y); }
)";
  proto::ExecutionRequest asked = request(source, "dump");
  const auto result = execute(asked);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  const std::vector<double> x = ramp(128, 1);
  const auto listed = [&](std::size_t begin, std::size_t end) {
    std::string text = "[" + std::to_string(x[begin]);
    for (std::size_t i = begin + 1; i < end; ++i) text += ", " + std::to_string(x[i]);
    return text + "]";
  };
  const std::string output = result.cases(0).output();
  EXPECT_THAT(output, AllOf(HasSubstr("desc=7,"), HasSubstr("desc=8,"))) << output;
  EXPECT_THAT(output, AllOf(HasSubstr(listed(16, 18)), HasSubstr(listed(40, 43)))) << output;
}

TEST_F(DirectLaunchTest, KernelsThatPrintOrAssertCanBeLaunched) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void say(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 128);
  to.SetGlobalBuffer((__gm__ float*)y, 128);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 512);
  LocalTensor<float> a = buffer.Get<float>();
  DataCopy(a, from, 128);
  PipeBarrier<PIPE_ALL>();
  AscendC::printf("block %d of %s\n", (int)GetBlockIdx(), "one");
  PRINTF("again %d\n", 7);
  assert(a.GetSize() == 128, "size %d", (int)a.GetSize());
  DataCopy(to, a, 128);
}
void start(uint32_t blocks, void* stream, GM_ADDR x, GM_ADDR y) { say<<<1, nullptr, stream>>>(x, y); }
)";
  proto::ExecutionRequest asked = request(source, "start");
  const auto result = execute(asked);
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_THAT(result.cases(0).output(), AllOf(HasSubstr("block 0 of one\n"), HasSubstr("again 7\n")));
}

TEST_F(DirectLaunchTest, AsyncCallsAFunctionOnOneKindOfCore) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
__aicore__ inline void on_cube(GM_ADDR x) {
  GlobalTensor<float> from;
  from.SetGlobalBuffer((__gm__ float*)x, 128);
  LocalTensor<float> a(TPosition::A1, 0, 128);
  DataCopy(a, from, 128);
}
__aicore__ inline void on_vector(GM_ADDR x, GM_ADDR y, float factor) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 128);
  to.SetGlobalBuffer((__gm__ float*)y, 128);
  LocalTensor<float> a(TPosition::VECCALC, 0, 128);
  DataCopy(a, from, 128);
  PipeBarrier<PIPE_ALL>();
  Muls(a, a, factor, 128);
  PipeBarrier<PIPE_ALL>();
  if (GetBlockIdx() == 0) DataCopy(to, a, 128);
}
__global__ __aicore__ void both(GM_ADDR x, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  Async<EngineType::AIC, on_cube>(x);
  Async<EngineType::AIV, on_vector>(x, y, 0.5f);
}
void start(uint32_t blocks, void* stream, GM_ADDR x, GM_ADDR y) { both<<<1, nullptr, stream>>>(x, y); }
)";
  const auto result = execute(request(source, "start"));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  EXPECT_EQ(result.cases(0).faults_size(), 0) << result.cases(0).ShortDebugString();
  const std::vector<double> y = values_of(result.cases(0).outputs(0));
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * 0.5) << i;
}

// A product on cube cores, and a step on vector cores.
constexpr const char* kTwoKernels = R"(#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
__global__ __aicore__ void multiply(GM_ADDR x, GM_ADDR y) {
  //DECLARED
  if ASCEND_IS_AIC {
    TPipe pipe;
    TCubeTiling t;
    t.usedCoreNum = 1; t.M = t.N = t.Ka = t.Kb = t.singleCoreM = t.singleCoreN = t.singleCoreK = t.baseM = t.baseN = t.baseK = 16;
    t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    using In = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    MatmulImpl<In, In, In, In> mm;
    mm.SetSubBlockIdx(0);
    mm.Init(&t, &pipe);
    GlobalTensor<float> a, c;
    a.SetGlobalBuffer((__gm__ float*)x);
    c.SetGlobalBuffer((__gm__ float*)y);
    mm.SetTensorA(a);
    mm.SetTensorB(a);
    mm.IterateAll(c);
  }
}
__global__ __aicore__ void add_block(GM_ADDR y) {
  GlobalTensor<float> c;
  c.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * 128, 128);
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 512);
  LocalTensor<float> a = buffer.Get<float>();
  DataCopy(a, c, 128);
  PipeBarrier<PIPE_ALL>();
  Adds(a, a, (float)(1000 * (GetBlockIdx() + 1)), 128);
  PipeBarrier<PIPE_ALL>();
  DataCopy(c, a, 128);
}
extern "C" void multiply_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y) {
  multiply<<<1, nullptr, stream>>>(x, y);
  add_block<<<2, nullptr, stream>>>(y);
}
)";

// Each kernel starts the cores that it declares or whose work it does, whatever else the source holds.
TEST_F(DirectLaunchTest, EachKernelStartsCoresOfItsOwnKind) {
  proto::ExecutionRequest request;
  request.set_entry_point("multiply_do");
  request.set_block_dim(1);
  request.mutable_limits()->set_compile_seconds(60);
  proto::RunCase& one = *request.add_cases();
  add_input(one, "x", proto::FLOAT32, {16, 16}, ramp(256, 1));
  add_output(one, "y", proto::FLOAT32, {16, 16});
  const std::vector<double> x = ramp(256, 1);
  for (const char* type :
       {"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", ""}) {
    request.set_source(replaced(kTwoKernels, "//DECLARED", type));
    for (int again = 0; again < 2; ++again) {  // compiled, and from the cache
      const auto result = execute(request);
      ASSERT_TRUE(result.compiled()) << result.compiler_output();
      ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
      EXPECT_EQ(errors_of(result.cases(0)), "") << type;
      const std::vector<double> y = values_of(result.cases(0).outputs(0));
      for (std::size_t i = 0; i < 256; ++i) {
        double sum = i < 128 ? 1000 : 2000;
        for (std::size_t k = 0; k < 16; ++k) sum += x[i / 16 * 16 + k] * x[k * 16 + i % 16];
        ASSERT_NEAR(y[i], sum, 1e-5 * std::abs(sum)) << type << i;
      }
    }
  }
}

TEST_F(DirectLaunchTest, NumbersThatTheDeviceLacksAreRefusedOnTheirLine) {
  if (find_kernel_passes(find_compiler()).empty()) GTEST_SKIP() << "no pass of this compiler";
  const auto refused = [&](const std::string& source, const std::string& wrong) {
    const auto result = execute(request(source, "scale"));
    EXPECT_FALSE(result.compiled());
    const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<long>(source.find(wrong)), '\n');
    EXPECT_THAT(result.compiler_output(), HasSubstr("kernel.cpp:" + std::to_string(line) + ":"));
    EXPECT_THAT(result.compiler_output(), HasSubstr("is not allowed in aicore function"));
  };
  refused(replaced(kScale, "(T)factor", "(T)(factor * 0.5)"), "factor * 0.5");
  // The one that every kernel without <<<>>> takes.
  const std::string plain =
      "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y) {\n"
      "  uint32_t n = ((__gm__ int32_t*)x)[0];\n  const float share = 1.0f / (float)n;\n  ((__gm__ float*)y)[0] = "
      "share;\n}\n";
  refused(plain, "1.0f / (float)n");
}

TEST_F(DirectLaunchTest, FaultsOfTheKernelCarryTheLineOfTheSource) {
  const auto result =
      execute(request(replaced(kScale, "out.FreeTensor(b);", "out.FreeTensor(b);\n  in.DeQue<T>();"), "scale"));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_FALSE(result.cases(0).ran());
  EXPECT_EQ(result.cases(0).faults(0).fault_class(), "queue");
  EXPECT_EQ(result.cases(0).faults(0).line(), 32);
}

TEST_F(DirectLaunchTest, DeviceCodeIsCheckedAsStrictlyAsAnyKernels) {
  const auto result =
      execute(request(replaced(kScale, "Muls(b, a, (T)factor, n);", "Mulls(b, a, (T)factor, n);"), "scale"));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), AllOf(HasSubstr("kernel.cpp:25"), HasSubstr("Mulls")));
}

TEST_F(DirectLaunchTest, HostFunctionThatLaunchesNothing) {
  auto none = request(kScale, "scale_do");
  none.mutable_cases(0)->mutable_attributes(1)->set_integer(0);
  EXPECT_THAT(only_fault(execute(none)).message(), HasSubstr("without launching a kernel"));
}

TEST_F(DirectLaunchTest, FunctionThatTheHostFunctionLacksIsNamed) {
  const auto result = execute(request(replaced(replaced(kScale, "extern \"C\" void scale_do",
                                                        "extern \"C\" int count_of(int);\nextern \"C\" void scale_do"),
                                               "if (bias != 0)", "if (count_of(bias) != 0)"),
                                      "scale_do"));
  EXPECT_THAT(only_fault(result).message(), HasSubstr("undefined symbol: count_of"));
}

TEST_F(DirectLaunchTest, ArgumentsThatDoNotFitTheStackAreAFaultOfTheLaunch) {
  std::string source = replaced(kScale, "  float bias;\n};", "  float bias;\n  uint8_t table[600000];\n};");
  EXPECT_THAT(only_fault(execute(request(source, "scale"))).message(), HasSubstr("bytes of arguments"));
}

// The kernel and the tiling of its matrix product in one source, with both sides' headers.
constexpr const char* kProduct = R"(#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

__global__ __aicore__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, TCubeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  GlobalTensor<half> ga, gb;
  GlobalTensor<float> gc;
  ga.SetGlobalBuffer((__gm__ half*)a, tiling.M * tiling.Ka);
  gb.SetGlobalBuffer((__gm__ half*)b, tiling.Kb * tiling.N);
  gc.SetGlobalBuffer((__gm__ float*)c, tiling.M * tiling.N);
  TPipe pipe;
  SetSysWorkspace(workspace);
  matmul::Matmul<matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>,
                 matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>,
                 matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
  mm.SetTensorA(ga);
  mm.SetTensorB(gb);
  mm.IterateAll(gc);
  mm.End();
}

void product_do(uint32_t blockDim, void* stream, uint8_t* a, uint8_t* b, uint8_t* c, uint8_t* workspace, int m, int n, int k) {
  using matmul_tiling::CubeFormat;
  using matmul_tiling::DataType;
  using matmul_tiling::TPosition;
  const auto platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  matmul_tiling::MatmulApiTiling api(*platform);
  api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  api.SetShape(m, n, k);
  api.SetOrgShape(m, n, k);
  api.SetBufferSpace(-1, -1, -1);
  FILL
  product<<<blockDim, nullptr, stream>>>(a, b, c, workspace, tiling);
}
)";

TEST_F(DirectLaunchTest, HostFunctionComputesTheTilingOfAMatrixProduct) {
  constexpr int m = 32, n = 48, k = 64;
  for (const char* fill : {"TCubeTiling tiling; if (api.GetTiling(tiling) == -1) return;",
                           "optiling::TCubeTiling data; if (api.GetTiling(data) == -1) return;\n"
                           "  TCubeTiling tiling; data.SaveToBuffer(&tiling, sizeof(tiling));"}) {
    auto asked = request(replaced(kProduct, "FILL", fill), "product_do");
    asked.set_block_dim(1);
    asked.clear_cases();
    proto::RunCase& one = *asked.add_cases();
    std::vector<double> a(m * k), b(k * n), expected(m * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 2;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column)
        for (int i = 0; i < k; ++i)
          expected[static_cast<std::size_t>(row * n + column)] +=
              a[static_cast<std::size_t>(row * k + i)] * b[static_cast<std::size_t>(i * n + column)];
    add_input(one, "a", proto::FLOAT16, {m, k}, a);
    add_input(one, "b", proto::FLOAT16, {k, n}, b);
    add_output(one, "c", proto::FLOAT32, {m, n});
    for (const int extent : {m, n, k}) one.add_attributes()->set_integer(extent);
    const auto result = execute(asked);
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString().substr(0, 2000);
    EXPECT_EQ(errors_of(result.cases(0)), "");
    EXPECT_EQ(values_of(result.cases(0).outputs(0)), expected);
  }
}

TEST_F(DirectLaunchTest, MainIsRefused) {
  const auto result = execute(request(replaced(kScale, "scale_do", "main"), "scale"));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("main() cannot be judged"));
}

TEST_F(DirectLaunchTest, AFunctionThatCallsTheLauncherIsAnEntryPoint) {
  const std::string source = std::string(kScale) + R"(
namespace outer {
void start(uint32_t blocks, void* control, void* stream, uint8_t* x, uint8_t* y, float factor, int32_t bias) {
  scale_do(blocks, control, stream, x, y, 2 * factor, bias);
}
}  // namespace outer
)";
  const auto result = execute(request(source, "start"));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
  const std::vector<double> y = values_of(result.cases(0).outputs(0));
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * 1 + 3) << i;
}

// The types of void pointers do not tell a stream from data; the task's workspace and tiling could be the last ones.
TEST_F(DirectLaunchTest, StreamAmongVoidPointersIsNotTakenForAnInput) {
  for (const char* parameters :
       {"void* l2ctrl, void* stream, void* x, void* y,", "void* stream, void* x, void* y, void* l2ctrl,"}) {
    std::string source = replaced(kScale, "void* l2ctrl, void* stream, uint8_t* x, uint8_t* y,", parameters);
    source = replaced(source, "stream>>>(x, y", "(void*)stream>>>((uint8_t*)x, (uint8_t*)y");
    const auto result = execute(request(source, "scale_do"));
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
    const std::vector<double> y = values_of(result.cases(0).outputs(0));
    for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(y[i], ramp(128, 1)[i] * 0.5 + 3) << parameters << i;
  }
}

TEST_F(DirectLaunchTest, LaunchOfAnotherKernelIsNamed) {
  const auto result = execute(request(kScale, "shift"));
  EXPECT_FALSE(result.compiled());
  EXPECT_THAT(result.compiler_output(), HasSubstr("no <<<...>>> launches shift"));
}

}  // namespace
}  // namespace kg::sandbox::testing
