#include "ascendc_bodies.h"

namespace kg::sandbox::ascendc::testing {

std::string bodies_source(const std::vector<Body>& bodies) {
  std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
)";
  std::string choice;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string name = "body" + std::to_string(i), length = std::to_string(kBodyLength);
    source += "__aicore__ inline __attribute__((noinline)) void " + name +
              R"((GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {
  TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; TBuf<> buf;
  GlobalTensor<float> x, y, z, w;
  x.SetGlobalBuffer((__gm__ float*)xg, )" +
              length + "); y.SetGlobalBuffer((__gm__ float*)yg, " + length +
              ");\n  z.SetGlobalBuffer((__gm__ float*)zg, " + length + "); w.SetGlobalBuffer((__gm__ float*)wg, " +
              length + ");\n#line 1\n" + bodies[i].text + "\n}\n";
    choice += "    case " + std::to_string(i) + ": return " + name + "(xg, yg, zg, wg);\n";
  }
  return source +
         R"(extern "C" __global__ __aicore__ void k(GM_ADDR which, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {
  switch (*(__gm__ int32_t*)which) {
)" + choice +
         "  }\n}\n";
}

proto::RunCase bodies_case(std::size_t which) {
  std::vector<double> x, y;
  for (int i = 0; i < kBodyLength; ++i) {
    x.push_back(i % 512 + 1);
    y.push_back((100 - i % 256) / 2.0);
  }
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("which", proto::INT32, {static_cast<double>(which)});
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, x);
  *run_case.add_inputs() = tensor("y", proto::FLOAT32, y);
  add_output(run_case, "z", proto::FLOAT32, kBodyLength);
  return run_case;
}

proto::CaseResult run_body(const std::vector<Body>& bodies, std::size_t which, std::uint64_t seed) {
  return run_kernel(bodies_source(bodies), "k", bodies_case(which),
                    {.block_dim = bodies[which].block_dim, .seed = seed});
}

}  // namespace kg::sandbox::ascendc::testing
