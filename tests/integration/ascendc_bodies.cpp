#include "ascendc_bodies.h"

#include <utility>

#include "ascendc_cube_kernels.h"

namespace kg::npu::testing {
namespace {

constexpr std::uint64_t kCycleLimit = 20'000'000;

const char* task_type(Cores cores) {
  if (cores == Cores::kCube) return "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);";
  return cores == Cores::kMixed ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);" : "";
}

std::string declarations(Cores cores) {
  const std::string floats = std::to_string(kBodyLength), halves = std::to_string(kBodyLength * 2);
  const auto tensor = [](const std::string& name, const std::string& type, const std::string& length) {
    return " GlobalTensor<" + type + "> " + name + "; " + name + ".SetGlobalBuffer((__gm__ " + type + "*)" + name +
           "g, " + length + ");";
  };
  const bool vector = cores == Cores::kVector;
  std::string text = "  TPipe pipe;";
  if (vector) text += " TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; TBuf<> buf;";
  for (const char* name : {"x", "y"}) text += tensor(name, vector ? "float" : "half", vector ? floats : halves);
  for (const char* name : {"z", "w"}) text += tensor(name, "float", floats);
  return text;
}

// Between low and high, in steps of 1/64.
std::vector<double> random_numbers(std::size_t count, std::uint32_t state, int low, int high) {
  std::vector<double> values(count);
  for (double& value : values) {
    state = state * 1664525u + 1013904223u;
    value = low + static_cast<double>(state >> 8) / (1 << 24) * (high - low);
    value = static_cast<int>(value * 64) / 64.0;
  }
  return values;
}

}  // namespace

proto::RunCase case_of(std::size_t which, Cores cores, int inputs) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("which", proto::INT32, {static_cast<double>(which)});
  const auto seed = static_cast<unsigned>(inputs);
  std::vector<double> x, y;
  if (cores != Cores::kVector) {
    x = small_numbers(kBodyLength * 2, 2 * seed + 1);
    y = small_numbers(kBodyLength * 2, 2 * seed + 2);
  } else if (inputs == 0) {
    for (int i = 0; i < kBodyLength; ++i) {
      x.push_back(i % 512 + 1);
      y.push_back((100 - i % 256) / 2.0);
    }
  } else {
    x = random_numbers(kBodyLength, 2 * seed, inputs % 2 != 0 ? -200 : 0, inputs % 2 != 0 ? 200 : 5);
    y = random_numbers(kBodyLength, 2 * seed + 1, -3, 3);
  }
  const proto::DType type = cores == Cores::kVector ? proto::FLOAT32 : proto::FLOAT16;
  *run_case.add_inputs() = tensor("x", type, x);
  *run_case.add_inputs() = tensor("y", type, y);
  add_output(run_case, "z", proto::FLOAT32, kBodyLength);
  return run_case;
}

std::string bodies_source(const std::vector<Body>& bodies) {
  const Cores cores = bodies.front().cores;
  std::string source = "#include \"kernel_operator.h\"\n";
  if (cores == Cores::kMixed) source += "#include \"lib/matmul_intf.h\"\n";
  source += "using namespace AscendC;\n";
  std::string choice;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string name = "body" + std::to_string(i);
    source += "__aicore__ inline __attribute__((noinline)) void " + name +
              "(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {\n" + declarations(cores) + "\n#line 1\n" +
              bodies[i].text + "\n}\n";
    choice += "    case " + std::to_string(i) + ": return " + name + "(xg, yg, zg, wg);\n";
  }
  return source +
         "extern \"C\" __global__ __aicore__ void k(GM_ADDR which, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) "
         "{\n" +
         task_type(cores) + "\n  switch (*(__gm__ int32_t*)which) {\n" + choice + "  }\n}\n";
}

proto::CaseResult run_body(const std::vector<Body>& bodies, std::size_t which, const Trial& trial) {
  const Body& body = bodies[which];
  return run_kernel(
      bodies_source(bodies), "k", case_of(which, body.cores, trial.inputs),
      {.block_dim = body.block_dim, .seed = trial.seed, .cycle_limit = kCycleLimit, .garbage = trial.garbage});
}

}  // namespace kg::npu::testing
