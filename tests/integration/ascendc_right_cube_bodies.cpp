// Correct kernels for cube cores, all of whose pipes the kernel orders itself.

#include "ascendc_right_bodies.h"
#include "tests/joined.h"

namespace kg::npu::testing {
namespace {

// 32 x 64 times 64 x 48 in one piece.
const std::string kBuffers =
    "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
    "TBuf<TPosition::CO1> c1;\npipe.InitBuffer(a1, 4096); pipe.InitBuffer(b1, 6144); pipe.InitBuffer(a2, 4096); "
    "pipe.InitBuffer(b2, 6144); pipe.InitBuffer(c1, 6144);\nauto la = a1.Get<half>(); auto lb = b1.Get<half>(); auto "
    "a0 = "
    "a2.Get<half>(); auto b0 = b2.Get<half>(); auto c0 = c1.Get<float>();\n";
const std::string kToL1 =
    "DataCopy(la, x, Nd2NzParams(1, 32, 64, 0, 64, 32, 1, 0)); DataCopy(lb, y, Nd2NzParams(1, 64, 48, 0, 48, 64, 1, "
    "0));\n";
const std::string kToL0A =
    "for (int i = 0; i < 2; ++i) LoadData(a0[i * 1024], la[i * 256], LoadData2DParams(0, 4, 2, 0, 0, false, 0));\n";
const std::string kToL0B =
    "for (int i = 0; i < 4; ++i) LoadData(b0[i * 768], lb[i * 256], LoadData2DParams(0, 3, 4, 0, 0, true, 0));\n";
const std::string kParams = "MmadParams mm; mm.m = 32; mm.n = 48; mm.k = 64;\n";
const std::string kMmad = kParams + "Mmad(c0, a0, b0, mm);\n";
const std::string kFixpipe = "Fixpipe<float, float, CFG_ROW_MAJOR>(z, c0, FixpipeParamsV220(48, 32, 32, 48, false));\n";

std::string flag(const std::string& event, int id = 0) {
  const std::string call = "Flag<HardEvent::" + event + ">(" + std::to_string(id) + ");";
  return "Set" + call + " Wait" + call + "\n";
}
// The usual order, a flag between two pipes each time.
const std::string kTileByFlags =
    kBuffers + kToL1 + flag("MTE2_MTE1") + kToL0A + kToL0B + flag("MTE1_M") + kMmad + flag("M_FIX");

// One tile, ordered by flags, barriers and queues.
std::vector<Body> tile_by_order() {
  return {
      {"CubeTileByFlags", kTileByFlags + kFixpipe, ""},
      {"CubeTileByBarriers",
       kBuffers + kToL1 + "PipeBarrier<PIPE_ALL>();\n" + kToL0A + kToL0B + "PipeBarrier<PIPE_ALL>();\n" + kMmad +
           "PipeBarrier<PIPE_ALL>();\n" + kFixpipe,
       ""},
      {"CubeTileByRawIntrinsicFlags",
       kBuffers + kToL1 + "set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2);\n" +
           kToL0A + kToL0B + "set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);\n" +
           kMmad + "set_flag(PIPE_M, PIPE_FIX, EVENT_ID2); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID2);\n" + kFixpipe,
       ""},
      {"CubeTileByQueues",
       "TQue<TPosition::A1, 1> qa1; TQue<TPosition::B1, 1> qb1; TQue<TPosition::A2, 1> qa2; TQue<TPosition::B2, 1> "
       "qb2; "
       "TQue<TPosition::CO1, 1> qc;\npipe.InitBuffer(qa1, 1, 4096); pipe.InitBuffer(qb1, 1, 6144); "
       "pipe.InitBuffer(qa2, 1, "
       "4096); pipe.InitBuffer(qb2, 1, 6144); pipe.InitBuffer(qc, 1, 6144);\nauto la = qa1.AllocTensor<half>(); auto "
       "lb = "
       "qb1.AllocTensor<half>();\n" +
           kToL1 +
           "qa1.EnQue(la); qb1.EnQue(lb); la = qa1.DeQue<half>(); lb = qb1.DeQue<half>();\nauto a0 = "
           "qa2.AllocTensor<half>(); auto b0 = qb2.AllocTensor<half>();\n" +
           kToL0A + kToL0B +
           "qa2.EnQue(a0); qb2.EnQue(b0); a0 = qa2.DeQue<half>(); b0 = qb2.DeQue<half>(); qa1.FreeTensor(la); "
           "qb1.FreeTensor(lb);\nauto c0 = qc.AllocTensor<float>();\n" +
           kMmad + "qc.EnQue(c0); c0 = qc.DeQue<float>(); qa2.FreeTensor(a0); qb2.FreeTensor(b0);\n" + kFixpipe +
           "qc.FreeTensor(c0);",
       ""},
      {"CubeTileByBoundQueues",
       "TQue<TPosition::A1, 1> qa1; TQue<TPosition::B1, 1> qb1; TQueBind<TPosition::A1, TPosition::A2, 1> qa2; "
       "TQueBind<TPosition::B1, TPosition::B2, 1> qb2; TQueBind<TPosition::CO1, TPosition::GM, 1> "
       "qc;\npipe.InitBuffer(qa1, 1, 4096); pipe.InitBuffer(qb1, 1, 6144); "
       "pipe.InitBuffer(qa2, 1, "
       "4096); pipe.InitBuffer(qb2, 1, 6144); pipe.InitBuffer(qc, 1, 6144);\nauto la = qa1.AllocTensor<half>(); auto "
       "lb = "
       "qb1.AllocTensor<half>();\n" +
           kToL1 +
           "qa1.EnQue(la); qb1.EnQue(lb); la = qa1.DeQue<TPosition::GM, TPosition::A1, half>(); lb = "
           "qb1.DeQue<half>();\nauto a0 = "
           "qa2.AllocTensor<half>(); auto b0 = qb2.AllocTensor<half>();\n" +
           kToL0A + kToL0B +
           "qa2.EnQue(a0); qb2.EnQue(b0); a0 = qa2.DeQue<TPosition::A1, TPosition::A2, half>(); b0 = "
           "qb2.DeQue<half>(); qa1.FreeTensor(la); "
           "qb1.FreeTensor(lb);\nauto c0 = qc.AllocTensor<float>();\n" +
           kMmad + "qc.EnQue(c0); c0 = qc.DeQue<float>(); qa2.FreeTensor(a0); qb2.FreeTensor(b0);\n" + kFixpipe +
           "qc.FreeTensor(c0);",
       ""},
  };
}

// One tile of other types, layouts and results.
std::vector<Body> tile_by_kind() {
  return {
      {"CubeTileWithTheUnitFlag",
       kBuffers + kToL1 + flag("MTE2_MTE1") + kToL0A + kToL0B + flag("MTE1_M") + kParams +
           "mm.unitFlag = 3; Mmad(c0, a0, b0, mm);\nFixpipeParamsV220 fix(48, 32, 32, 48, false); fix.unitFlag = 3; "
           "Fixpipe<float, float, CFG_ROW_MAJOR>(z, c0, fix);",
       ""},
      {"CubeTileToHalvesWithRelu",
       kTileByFlags + "GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)zg, 8192); Fixpipe<half, float, "
                      "CFG_ROW_MAJOR>(h, c0, FixpipeParamsV220(48, 32, 32, 64, true, F322F16, 0));",
       ""},
      {"CubeTileOfATransposedMatrix",
       kBuffers +
           "DataCopy(la, x, Nd2NzParams(1, 32, 64, 0, 64, 32, 1, 0)); DataCopy(lb, y, Nd2NzParams(1, 48, 64, 0, 64, "
           "48, "
           "1, 0));\n" +
           flag("MTE2_MTE1") + kToL0A +
           "for (int i = 0; i < 4; ++i) LoadData(b0[i * 768], lb[i * 768], LoadData2DParams(0, 3, 1, 0, 0, false, "
           "0));\n" +
           flag("MTE1_M") + kMmad + flag("M_FIX") + kFixpipe,
       ""},
      {"CubeTileOfBytes",
       "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
       "TBuf<TPosition::CO1> c1;\npipe.InitBuffer(a1, 2048); pipe.InitBuffer(b1, 2048); pipe.InitBuffer(a2, 2048); "
       "pipe.InitBuffer(b2, 2048); pipe.InitBuffer(c1, 4096);\nGlobalTensor<int8_t> xb, yb; GlobalTensor<int32_t> zi; "
       "xb.SetGlobalBuffer((__gm__ int8_t*)xg, 16384); yb.SetGlobalBuffer((__gm__ int8_t*)yg, 16384); "
       "zi.SetGlobalBuffer((__gm__ int32_t*)zg, 4096);\nauto la = a1.Get<int8_t>(); auto lb = b1.Get<int8_t>(); auto "
       "a0 = "
       "a2.Get<int8_t>(); auto b0 = b2.Get<int8_t>(); auto c0 = c1.Get<int32_t>();\nDataCopy(la, xb, Nd2NzParams(1, "
       "32, 64, "
       "0, 64, 32, 1, 0)); DataCopy(lb, yb, Nd2NzParams(1, 32, 64, 0, 64, 32, 1, 0));\n" +
           flag("MTE2_MTE1") +
           "for (int i = 0; i < 2; ++i) LoadData(a0[i * 1024], la[i * 512], LoadData2DParams(0, 2, 2, 0, 0, false, "
           "0));\nfor (int i = 0; i < 2; ++i) LoadData(b0[i * 1024], lb[i * 1024], LoadData2DParams(0, 2, 1, 0, 0, "
           "false, "
           "0));\n" +
           flag("MTE1_M") + "MmadParams mm; mm.m = 32; mm.n = 32; mm.k = 64; Mmad(c0, a0, b0, mm);\n" + flag("M_FIX") +
           "Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(zi, c0, FixpipeParamsV220(32, 32, 32, 32, false));",
       ""},
      {"CubeTileWithABias",
       kBuffers +
           "TBuf<TPosition::C1> s1; TBuf<TPosition::C2> s2; pipe.InitBuffer(s1, 96); pipe.InitBuffer(s2, 192); auto l1 "
           "= s1.Get<half>(); auto bt = s2.Get<float>(); DataCopy(l1, x[4096], 48);\n" +
           kToL1 + flag("MTE2_MTE1") + kToL0A + kToL0B + "DataCopy(bt, l1, 48);\n" + flag("MTE1_M") + kParams +
           "Mmad(c0, a0, b0, bt, mm);\n" + flag("M_FIX") + kFixpipe,
       ""},
  };
}

// Several tiles on one core.
std::vector<Body> tiles_of_a_core() {
  return {
      // 32 x 128 times 128 x 48, four steps of K through two halves of L0.
      {"CubeStepsOverKThroughTwoHalves",
       "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
       "TBuf<TPosition::CO1> c1;\npipe.InitBuffer(a1, 8192); pipe.InitBuffer(b1, 12288); pipe.InitBuffer(a2, 4096); "
       "pipe.InitBuffer(b2, 6144); pipe.InitBuffer(c1, 6144);\nauto la = a1.Get<half>(); auto lb = b1.Get<half>(); "
       "auto c0 = "
       "c1.Get<float>();\nDataCopy(la, x, Nd2NzParams(1, 32, 128, 0, 128, 32, 1, 0)); DataCopy(lb, y, Nd2NzParams(1, "
       "128, "
       "48, 0, 48, 128, 1, 0));\n" +
           flag("MTE2_MTE1") +
           "SetFlag<HardEvent::M_MTE1>(0); SetFlag<HardEvent::M_MTE1>(1);\nfor (int s = 0; s < 4; ++s) { int p = s & "
           "1; auto "
           "a0 = a2.Get<half>()[p * 1024]; auto b0 = b2.Get<half>()[p * 1536];\nWaitFlag<HardEvent::M_MTE1>(p); for "
           "(int i = "
           "0; i < 2; ++i) { LoadData(a0[i * 512], la[s * 1024 + i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, "
           "0));\nLoadData(b0[i * 768], lb[s * 512 + i * 256], LoadData2DParams(0, 3, 8, 0, 0, true, 0)); "
           "}\nSetFlag<HardEvent::MTE1_M>(p); WaitFlag<HardEvent::MTE1_M>(p); MmadParams mm; mm.m = 32; mm.n = 48; "
           "mm.k = "
           "32; mm.cmatrixInitVal = s == 0; Mmad(c0, a0, b0, mm);\nSetFlag<HardEvent::M_MTE1>(p); "
           "}\nWaitFlag<HardEvent::M_MTE1>(0); WaitFlag<HardEvent::M_MTE1>(1);\n" +
           flag("M_FIX") + kFixpipe,
       ""},
      // 64 rows in four tiles of 16, everything but B in two halves.
      {"CubePipelineOverRows",
       "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
       "TBuf<TPosition::CO1> c1;\npipe.InitBuffer(a1, 4096); pipe.InitBuffer(b1, 6144); pipe.InitBuffer(a2, 4096); "
       "pipe.InitBuffer(b2, 6144); pipe.InitBuffer(c1, 6144);\nauto lb = b1.Get<half>(); auto b0 = b2.Get<half>(); "
       "MmadParams mm; mm.m = 16; mm.n = 48; mm.k = 64;\nDataCopy(lb, y, Nd2NzParams(1, 64, 48, 0, 48, 64, 1, 0)); "
       "SetFlag<HardEvent::MTE2_MTE1>(2); WaitFlag<HardEvent::MTE2_MTE1>(2);\n" +
           kToL0B +
           "for (int p = 0; p < 2; ++p) { SetFlag<HardEvent::MTE1_MTE2>(p); SetFlag<HardEvent::M_MTE1>(p); "
           "SetFlag<HardEvent::FIX_M>(p); }\nfor (int i = 0; i < 4; ++i) { int p = i & 1; auto la = a1.Get<half>()[p * "
           "1024]; "
           "auto a0 = a2.Get<half>()[p * 1024]; auto c0 = c1.Get<float>()[p * "
           "768];\nWaitFlag<HardEvent::MTE1_MTE2>(p); "
           "DataCopy(la, x[i * 1024], Nd2NzParams(1, 16, 64, 0, 64, 16, 1, 0)); SetFlag<HardEvent::MTE2_MTE1>(p);\n"
           "WaitFlag<HardEvent::MTE2_MTE1>(p); WaitFlag<HardEvent::M_MTE1>(p); LoadData(a0, la, LoadData2DParams(0, 4, "
           "1, 0, "
           "0, false, 0)); SetFlag<HardEvent::MTE1_MTE2>(p); SetFlag<HardEvent::MTE1_M>(p);\n"
           "WaitFlag<HardEvent::MTE1_M>(p); WaitFlag<HardEvent::FIX_M>(p); Mmad(c0, a0, b0, mm); "
           "SetFlag<HardEvent::M_MTE1>(p); SetFlag<HardEvent::M_FIX>(p);\nWaitFlag<HardEvent::M_FIX>(p); "
           "Fixpipe<float, "
           "float, CFG_ROW_MAJOR>(z[i * 768], c0, FixpipeParamsV220(48, 16, 16, 48, false)); "
           "SetFlag<HardEvent::FIX_M>(p); "
           "}\nfor (int p = 0; p < 2; ++p) { WaitFlag<HardEvent::MTE1_MTE2>(p); WaitFlag<HardEvent::M_MTE1>(p); "
           "WaitFlag<HardEvent::FIX_M>(p); }",
       ""},
  };
}

// Tiles on several cores.
std::vector<Body> tiles_of_cores() {
  return {
      {"CubeCoresTakeARowOfTilesEach",
       kBuffers +
           "int from = GetBlockIdx() * 1024;\nDataCopy(la, x[from], Nd2NzParams(1, 16, 64, 0, 64, 16, 1, 0)); "
           "DataCopy(lb, y, Nd2NzParams(1, 64, 48, 0, 48, 64, 1, 0));\n" +
           flag("MTE2_MTE1") + "LoadData(a0, la, LoadData2DParams(0, 4, 1, 0, 0, false, 0));\n" + kToL0B +
           flag("MTE1_M") + "MmadParams mm; mm.m = 16; mm.n = 48; mm.k = 64; Mmad(c0, a0, b0, mm);\n" + flag("M_FIX") +
           "Fixpipe<float, float, CFG_ROW_MAJOR>(z[GetBlockIdx() * 768], c0, FixpipeParamsV220(48, 16, 16, 48, "
           "false));",
       "", 4},
      // Each core has half of K; the second adds to what the first has stored.
      {"CubeCoresShareKByAtomicAdd",
       kBuffers +
           "int half_k = GetBlockIdx() * 64; DataCopy(la, x[half_k], Nd2NzParams(1, 32, 64, 0, 128, 32, 1, 0)); "
           "DataCopy(lb, y[half_k * 48], Nd2NzParams(1, 64, 48, 0, 48, 64, 1, 0));\n" +
           flag("MTE2_MTE1") + kToL0A + kToL0B + flag("MTE1_M") + kMmad + flag("M_FIX") +
           "if (GetBlockIdx() == 0) {\n" + kFixpipe +
           "}\nSyncAll<false>();\nif (GetBlockIdx() == 1) { "
           "SetAtomicAdd<float>();\n" +
           kFixpipe + "SetAtomicNone(); }",
       "", 2},
  };
}

}  // namespace

const std::vector<Body>& right_cube_bodies() {
  static const std::vector<Body> all = for_cores(
      Cores::kCube, kg::testing::joined({tile_by_order(), tile_by_kind(), tiles_of_a_core(), tiles_of_cores()}));
  return all;
}

}  // namespace kg::npu::testing
