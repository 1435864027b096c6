// Correct kernels in which cube and vector cores work together: by flags, SyncAll, and the Matmul object.

#include "ascendc_right_bodies.h"

namespace kg::npu::testing {
namespace {

// On the cube core: 32 x 32 times 32 x 32, everything there and ordered by barriers.
const std::string kCube =
    "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
    "TBuf<TPosition::CO1> c1;\npipe.InitBuffer(a1, 2048); pipe.InitBuffer(b1, 2048); pipe.InitBuffer(a2, 2048); "
    "pipe.InitBuffer(b2, 2048); pipe.InitBuffer(c1, 4096);\nauto la = a1.Get<half>(); auto lb = b1.Get<half>(); auto "
    "a0 = "
    "a2.Get<half>(); auto b0 = b2.Get<half>(); auto c0 = c1.Get<float>(); MmadParams mm; mm.m = 32; mm.n = 32; mm.k = "
    "32;\n";
std::string product(const std::string& a) {
  return "DataCopy(la, " + a +
         ", Nd2NzParams(1, 32, 32, 0, 32, 32, 1, 0)); DataCopy(lb, y, Nd2NzParams(1, 32, 32, 0, 32, 32, 1, "
         "0));\nSetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);\nfor (int i = 0; i < 2; ++i) "
         "LoadData(a0[i * 512], la[i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, 0));\nfor (int i = 0; i < 2; ++i) "
         "LoadData(b0[i * 512], lb[i * 256], LoadData2DParams(0, 2, 2, 0, 0, true, "
         "0));\nSetFlag<HardEvent::MTE1_M>(0); "
         "WaitFlag<HardEvent::MTE1_M>(0); Mmad(c0, a0, b0, mm);\nSetFlag<HardEvent::M_FIX>(0); "
         "WaitFlag<HardEvent::M_FIX>(0);\n";
}
std::string fixpipe(const std::string& to) {
  return "Fixpipe<float, float, CFG_ROW_MAJOR>(" + to + ", c0, FixpipeParamsV220(32, 32, 32, 32, false));\n";
}
// On the vector cores: half a tile of floats each, plus 1.
const std::string kVector =
    "int g = GetBlockIdx() / 2, s = GetSubBlockIdx(); TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> "
    "out; "
    "pipe.InitBuffer(in, 1, 2048); pipe.InitBuffer(out, 1, 2048);\n";
std::string add_one(const std::string& from, const std::string& to, const std::string& loaded = "") {
  return "auto a = in.AllocTensor<float>(); DataCopy(a, " + from + ", 512); in.EnQue(a);\n" + loaded +
         "a = in.DeQue<float>(); auto o = out.AllocTensor<float>(); Adds(o, a, 1.0f, 512); out.EnQue(o); "
         "in.FreeTensor(a);\no = out.DeQue<float>(); DataCopy(" +
         to + ", o, 512); out.FreeTensor(o);\n";
}

std::vector<Body> flags() {
  return {
      {"MixedCubeThenVector",
       "if ASCEND_IS_AIC {\nint g = GetBlockIdx();\n" + kCube + product("x[g * 1024]") + fixpipe("w[g * 1024]") +
           "CrossCoreSetFlag<2, PIPE_FIX>(3);\n}\nif ASCEND_IS_AIV {\n" + kVector + "CrossCoreWaitFlag(3);\n" +
           add_one("w[g * 1024 + s * 512]", "z[g * 1024 + s * 512]") + "}",
       "", 4},
      {"MixedVectorThenCube",
       "GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)wg, 8192);\nif ASCEND_IS_AIV {\n" + kVector +
           "auto a = in.AllocTensor<half>(); DataCopy(a, x[g * 1024 + s * 512], 512); in.EnQue(a); a = "
           "in.DeQue<half>();\nauto o = out.AllocTensor<half>(); Muls(o, a, (half)2.0f, 512); out.EnQue(o); "
           "in.FreeTensor(a); "
           "o = out.DeQue<half>(); DataCopy(h[g * 1024 + s * 512], o, 512); out.FreeTensor(o);\nCrossCoreSetFlag<2, "
           "PIPE_MTE3>(1);\n}\nif ASCEND_IS_AIC {\nint g = GetBlockIdx();\n" +
           kCube + "CrossCoreWaitFlag(1);\n" + product("h[g * 1024]") + fixpipe("z[g * 1024]") + "}",
       "", 4},
      {"MixedBySyncAll",
       "if ASCEND_IS_AIC {\nint g = GetBlockIdx();\n" + kCube + product("x[g * 1024]") + fixpipe("w[g * 1024]") +
           "SyncAll<false>();\n}\nif ASCEND_IS_AIV {\n" + kVector + "SyncAll<false>();\n" +
           add_one("w[(g + 1) % 4 * 1024 + s * 512]", "z[g * 1024 + s * 512]") + "}",
       "", 4},
      // Two slots of the workspace go to and fro between the cube core and its vector cores.
      {"MixedTilesThroughTwoSlots",
       "if ASCEND_IS_AIC {\n" + kCube + "for (int t = 0; t < 4; ++t) { if (t >= 2) CrossCoreWaitFlag(3);\n" +
           product("x[t * 1024]") + fixpipe("w[(t & 1) * 1024]") +
           "CrossCoreSetFlag<2, PIPE_FIX>(2); PipeBarrier<PIPE_ALL>(); }\nCrossCoreWaitFlag(3); "
           "CrossCoreWaitFlag(3);\n}\nif "
           "ASCEND_IS_AIV {\n" +
           kVector + "for (int t = 0; t < 4; ++t) { CrossCoreWaitFlag(2);\n" +
           add_one("w[(t & 1) * 1024 + s * 512]", "z[t * 1024 + s * 512]", "CrossCoreSetFlag<2, PIPE_MTE2>(3);\n") +
           "}\n}",
       "", 1},
      {"MixedVectorCoresOfAGroupMeet",
       "if ASCEND_IS_AIV {\n" + kVector +
           "auto a = in.AllocTensor<half>(); DataCopy(a, x[g * 1024 + s * 512], 512); "
           "in.EnQue(a); a = in.DeQue<half>();\nauto o = out.AllocTensor<float>(); Cast(o, a, "
           "RoundMode::CAST_NONE, 512); out.EnQue(o); in.FreeTensor(a); o = "
           "out.DeQue<float>(); DataCopy(w[g * 1024 + s * 512], o, 512); "
           "out.FreeTensor(o);\nCrossCoreSetFlag<1, PIPE_MTE3>(4); CrossCoreWaitFlag(4);\n"
           "auto b = in.AllocTensor<float>(); DataCopy(b, w[g * 1024 + (1 - s) * 512], 512); "
           "in.EnQue(b); b = in.DeQue<float>();\nauto q = out.AllocTensor<float>(); Muls(q, b, "
           "0.5f, 512); out.EnQue(q); in.FreeTensor(b); q = out.DeQue<float>(); DataCopy(z[g * "
           "1024 + s * 512], q, 512); out.FreeTensor(q);\n}",
       "", 4},
  };
}

// 64 x 64 times 64 x 48 over the four vector cores of two groups.
std::string matmul(const std::string& use, const std::string& place = "GM", const std::string& b = "false") {
  return "TCubeTiling t; t.usedCoreNum = 4; t.M = 64; t.N = 48; t.Ka = 64; t.Kb = 64; t.singleCoreM = 16; "
         "t.singleCoreN = "
         "48; t.singleCoreK = 64;\nt.baseM = 16; t.baseN = 16; t.baseK = 32; t.depthA1 = 1; t.depthB1 = 1; t.stepM = "
         "1; "
         "t.stepN = 1; t.stepKa = 1; t.stepKb = 1;\nMatmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, "
         "MatmulType<TPosition::GM, CubeFormat::ND, half, " +
         b + ">, MatmulType<TPosition::" + place +
         ", CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, half>> mat;\nREGIST_MATMUL_OBJ(&pipe, "
         "GetSysWorkSpacePtr(), mat, &t);\nint core = GetBlockIdx(); auto to = z[core * 768];\nmat.SetTensorA(x[core * "
         "1024]);\n" +
         use + "\nmat.End();";
}

std::vector<Body> matmul_objects() {
  return {
      {"MatmulOfAll", matmul("mat.SetTensorB(y);\nmat.IterateAll(to);"), "", 2},
      {"MatmulWithABias", matmul("mat.SetTensorB(y); mat.SetBias(y[4096]);\nmat.IterateAll(to);"), "", 2},
      {"MatmulOfATransposedMatrix", matmul("mat.SetTensorB(y, true);\nmat.IterateAll(to);", "GM", "true"), "", 2},
      {"MatmulByBlocks", matmul("mat.SetTensorB(y);\nwhile (mat.Iterate()) mat.GetTensorC(to);"), "", 2},
      {"MatmulWithAnEpilogue",
       matmul("mat.SetTensorB(y); TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; "
              "pipe.InitBuffer(in, 1, "
              "1024); pipe.InitBuffer(out, 1, 1024);\nfor (int i = 0; mat.Iterate(); ++i) { auto a = "
              "in.AllocTensor<float>(); mat.GetTensorC(a, 0, true); in.EnQue(a); a = in.DeQue<float>();\nauto o = "
              "out.AllocTensor<float>(); Relu(o, a, 256); out.EnQue(o); in.FreeTensor(a); o = out.DeQue<float>();\n"
              "DataCopyPad(to[i * 16], o, DataCopyExtParams(16, 64, 0, 128, 0)); out.FreeTensor(o); }",
              "VECIN"),
       "", 2},
  };
}

}  // namespace

const std::vector<Body>& right_mixed_bodies() {
  static const std::vector<Body> all = [] {
    std::vector<Body> bodies = flags();
    for (const Body& body : matmul_objects()) bodies.push_back(body);
    return for_cores(Cores::kMixed, bodies);
  }();
  return all;
}

}  // namespace kg::npu::testing
