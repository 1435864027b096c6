// Wrong kernels of cube cores, and of cube and vector cores together, with the class and the line that must be named.

#include "ascendc_wrong_bodies.h"
#include "tests/joined.h"

namespace kg::npu::testing {
namespace {

// One line: 32 x 32 times 32 x 32.
const std::string kInit =
    "TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; "
    "TBuf<TPosition::CO1> c1; pipe.InitBuffer(a1, 4096); pipe.InitBuffer(b1, 2048); pipe.InitBuffer(a2, 4096); "
    "pipe.InitBuffer(b2, 2048); pipe.InitBuffer(c1, 4096); auto la = a1.Get<half>(); auto lb = b1.Get<half>(); auto a0 "
    "= "
    "a2.Get<half>(); auto b0 = b2.Get<half>(); auto c0 = c1.Get<float>(); MmadParams mm; mm.m = 32; mm.n = 32; mm.k = "
    "32;\n";
const std::string kNz = "Nd2NzParams(1, 32, 32, 0, 32, 32, 1, 0)";
const std::string kLoadL1 = "DataCopy(la, x, " + kNz + "); DataCopy(lb, y, " + kNz + ");";
const std::string kLoadL0 =
    "for (int i = 0; i < 2; ++i) { LoadData(a0[i * 512], la[i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, 0)); "
    "LoadData(b0[i * 512], lb[i * 256], LoadData2DParams(0, 2, 2, 0, 0, true, 0)); }";
const std::string kOut = "Fixpipe<float, float, CFG_ROW_MAJOR>(z, c0, FixpipeParamsV220(32, 32, 32, 32, false));";

std::string flag(const std::string& event) {
  return " SetFlag<HardEvent::" + event + ">(0); WaitFlag<HardEvent::" + event + ">(0);\n";
}
// Lines 2, 3 and 4: everything up to the product.
const std::string kToL1 = kInit + kLoadL1 + flag("MTE2_MTE1");
const std::string kToL0 = kToL1 + kLoadL0 + flag("MTE1_M");
const std::string kToL0c = kToL0 + "Mmad(c0, a0, b0, mm);" + flag("M_FIX");

std::vector<Body> memories() {
  return {
      {"L1Overflow", "TBuf<TPosition::A1> a1;\npipe.InitBuffer(a1, 524320);", "ub:2"},
      {"L0aOverflow", "TQue<TPosition::A2, 2> q;\npipe.InitBuffer(q, 2, 33280);", "ub:2"},
      {"L0cOverflow", "TQue<TPosition::CO1, 2> q;\npipe.InitBuffer(q, 2, 65600);", "ub:2"},
      {"BiasTableOverflow", "TBuf<TPosition::C2> q;\npipe.InitBuffer(q, 1088);", "ub:2"},
      {"RowsBeyondTheL1Tensor", kInit + "DataCopy(lb, y, Nd2NzParams(1, 64, 32, 0, 32, 64, 1, 0));", "~ub:2"},
      {"FractalsBeyondTheL0Tensor", kToL1 + "LoadData(b0, lb, LoadData2DParams(0, 5, 1, 0, 0, false, 0));", "~ub:3"},
      {"FractalsBeyondTheL1Tensor", kToL1 + "LoadData(b0, lb, LoadData2DParams(0, 4, 2, 0, 0, false, 0));", "~ub:3"},
      {"UnalignedFractal", kToL1 + "LoadData(a0[16], la, LoadData2DParams(0, 1, 1, 0, 0, false, 0));", "ub:3"},
      {"LoadDataIntoL1", kToL1 + "LoadData(la[1024], la, LoadData2DParams(0, 1, 1, 0, 0, false, 0));", "ub:3"},
      {"MmadOfL1", kToL0 + "Mmad(c0, la, b0, mm);", "ub:4"},
      {"MmadWithItsOperandsSwapped", kToL0 + "Mmad(c0, b0, a0, mm);", "ub:4"},
      {"ProductLargerThanL0c", kToL0 + "mm.n = 48;\nMmad(c0, a0, b0, mm);", "~ub:5"},
      {"FixpipeOfL0a",
       kToL0 + "auto f = a2.Get<float>();\nFixpipe<float, float, CFG_ROW_MAJOR>(z, f, FixpipeParamsV220(32, 32, 32, "
               "32, false));",
       "ub:5"},
      {"FixpipeOfMoreRowsThanThereAre",
       kToL0c + "Fixpipe<float, float, CFG_ROW_MAJOR>(z, c0, FixpipeParamsV220(32, 48, 48, 32, false));",
       "~ub:5 memory:5"},
      {"L0cReadBeforeAnyProduct", kInit + kOut, "memory:2"},
      {"HalfOfKWasNeverLoaded",
       kToL1 +
           "LoadData(a0, la, LoadData2DParams(0, 2, 2, 0, 0, false, 0)); LoadData(b0, lb, LoadData2DParams(0, 2, 2, 0, "
           "0, "
           "true, 0));" +
           flag("MTE1_M") + "Mmad(c0, a0, b0, mm);" + flag("M_FIX") + kOut,
       "memory:5"},
      {"AccumulatesIntoNothing", kToL0 + "mm.cmatrixInitVal = false; Mmad(c0, a0, b0, mm);" + flag("M_FIX") + kOut,
       "memory:5"},
      {"TensorOfNoQueue", kToL0 + "LocalTensor<float> none;\nMmad(none, a0, b0, mm);", "memory:5"},
      {"BiasTableReadBeforeItIsFilled",
       kToL0 +
           "TBuf<TPosition::C2> c2; pipe.InitBuffer(c2, 128); auto bt = c2.Get<float>(); Mmad(c0, a0, b0, bt, mm);" +
           flag("M_FIX") + kOut,
       "memory:5"},
  };
}

// Queues used wrongly, and pipes that do not wait for each other.
std::vector<Body> queues_and_order() {
  return {
      {"L1QueueDeQueOnEmpty", "TQue<TPosition::A1, 1> q; pipe.InitBuffer(q, 1, 2048);\nauto a = q.DeQue<half>();",
       "queue:2"},
      {"L0cQueueAllocWithoutFree",
       "TQue<TPosition::CO1, 1> q; pipe.InitBuffer(q, 1, 4096);\nfor (int i = 0; i < 2; ++i)\nauto c = "
       "q.AllocTensor<float>();",
       "queue:3"},
      {"L0aQueueDoubleFree",
       "TQue<TPosition::A2, 1> q; pipe.InitBuffer(q, 1, 2048); auto a = "
       "q.AllocTensor<half>();\nq.FreeTensor(a);\nq.FreeTensor(a);",
       "queue:3"},
      {"L1QueueUseAfterFree",
       "TQue<TPosition::B1, 1> q; pipe.InitBuffer(q, 1, 2048); auto b = q.AllocTensor<half>(); "
       "q.FreeTensor(b);\nDataCopy(b, "
       "y, " +
           kNz + ");",
       "~queue:2"},
      {"L1QueueEnQueOnTheQueueOfL0",
       "TQue<TPosition::A1, 1> q; TQue<TPosition::A2, 1> p; pipe.InitBuffer(q, 1, 2048); pipe.InitBuffer(p, 1, "
       "2048);\nauto a "
       "= q.AllocTensor<half>();\np.EnQue(a);",
       "queue:3"},
      {"LoadDataBeforeL1IsThere",
       kInit + kLoadL1 + "\n" + kLoadL0 + flag("MTE1_M") + "Mmad(c0, a0, b0, mm);" + flag("M_FIX") + kOut,
       "synchronisation:3"},
      {"MmadBeforeL0IsThere", kToL1 + kLoadL0 + "\nMmad(c0, a0, b0, mm);" + flag("M_FIX") + kOut, "synchronisation:4"},
      {"FixpipeBeforeTheProductEnds", kToL0 + "Mmad(c0, a0, b0, mm);\n" + kOut, "synchronisation:5"},
      {"NextLoadBeforeLoadDataHasRead",
       kToL1 + kLoadL0 + "\nDataCopy(la, x[1024], " + kNz + ");" + flag("MTE1_M") + "Mmad(c0, a0, b0, mm);" +
           flag("M_FIX") + kOut,
       "synchronisation:4"},
      {"NextLoadDataBeforeMmadHasRead",
       kToL0 + "Mmad(c0, a0, b0, mm);\nLoadData(a0, lb, LoadData2DParams(0, 4, 1, 0, 0, false, 0));" + flag("M_FIX") +
           kOut,
       "synchronisation:5"},
      {"NextLoadDataOfTheSameBeforeMmadHasRead", kToL0 + "Mmad(c0, a0, b0, mm);\n" + kLoadL0 + flag("M_FIX") + kOut,
       "~synchronisation:5"},
      {"NextProductBeforeFixpipeHasRead", kToL0c + kOut + "\nmm.k = 16; Mmad(c0, a0, b0, mm);", "synchronisation:6"},
      {"TwoCopiesToOnePlaceOfL1",
       kInit + "DataCopy(la, x, " + kNz + ");\nDataCopy(la, y, " + kNz + "); DataCopy(lb, y, " + kNz + ");" +
           flag("MTE2_MTE1") + kLoadL0 + flag("MTE1_M") + "Mmad(c0, a0, b0, mm);" + flag("M_FIX") + kOut,
       "synchronisation:3"},
      {"WaitOfTheCubeForNoFlag", "WaitFlag<HardEvent::MTE1_M>(0);", "synchronisation:1"},
      {"SetTwiceOnTheCube", "SetFlag<HardEvent::M_FIX>(3);\nSetFlag<HardEvent::M_FIX>(3);", "synchronisation:2"},
      {"FixpipeAndCopyOfOneResult",
       kToL0c + kOut +
           "\nFixpipe<float, float, CFG_ROW_MAJOR>(w, c0, FixpipeParamsV220(32, "
           "32, 32, 32, false));\nGlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)wg, 8192);\nDataCopy(la[1024], "
           "h, " +
           kNz + ");",
       "~synchronisation:8"},
  };
}

// Places outside of tensors, and arguments that do not fit.
std::vector<Body> places_and_arguments() {
  return {
      {"CubeCoresOverwriteEachOther", "x = x[GetBlockIdx() * 1024];\n" + kToL0c + kOut, "gm:6", 2},
      {"FixpipeBeyondTheOutput",
       kToL0c + "Fixpipe<float, float, CFG_ROW_MAJOR>(z[4096], c0, FixpipeParamsV220(32, 32, 32, 32, false));", "gm:5"},
      {"RowsBeyondTheInput", kInit + "DataCopy(la, x[8192], " + kNz + ");", "gm:2"},
      {"TransposedLoadOfBytes",
       kToL1 + "LoadData(b2.Get<int8_t>(), b1.Get<int8_t>(), LoadData2DParams(0, 1, 1, 0, 0, true, 0));", "argument:3"},
      {"ColumnsOfFractalsThatOverwriteEachOther", kInit + "DataCopy(la, x, Nd2NzParams(1, 32, 32, 0, 32, 16, 1, 0));",
       "argument:2"},
      {"QuantisationThatDoesNotFit",
       kToL0c + "FixpipeParamsV220 f(32, 32, 32, 32, false); f.quantPre = F322F16;\nFixpipe<float, float, "
                "CFG_ROW_MAJOR>(z, c0, f);",
       "argument:6"},
      {"SourceStrideOfNoWholeFractals",
       kToL0c + "Fixpipe<float, float, CFG_ROW_MAJOR>(z, c0, FixpipeParamsV220(32, 20, 20, 32, false));", "argument:5"},
      {"ImageWithoutAStride",
       kToL1 + "LoadData3DParamsV2<half> p; p.l1H = 4; p.l1W = 4; p.channelSize = 16; p.kExtension = 16; p.mExtension "
               "= 16; "
               "p.filterW = 1; p.filterH = 1; p.strideW = 0;\nLoadData(a0, la, p);",
       "argument:4"},
  };
}

const std::string kAic = "if ASCEND_IS_AIC {\n", kAiv = "}\nif ASCEND_IS_AIV {\n";
// Line 2: the queues of a vector core; its half of a tile of floats.
const std::string kVector =
    "int s = GetSubBlockIdx(); TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; "
    "pipe.InitBuffer(in, 1, 2048); pipe.InitBuffer(out, 1, 2048);\n";

// Flags between the cores.
std::vector<Body> cross_core_flags() {
  return {
      {"FlagThatNobodySets", kAic + "int nothing = 0; (void)nothing;\n" + kAiv + "CrossCoreWaitFlag(3);\n}",
       "synchronisation:5"},
      {"FlagOfAnotherId", kAic + "CrossCoreSetFlag<2, PIPE_FIX>(4);\n" + kAiv + "CrossCoreWaitFlag(3);\n}",
       "synchronisation:5"},
      {"OnlyOneVectorCoreSets",
       kAic + "CrossCoreWaitFlag(1);\n" + kAiv + "if (GetSubBlockIdx() == 0) CrossCoreSetFlag<2, PIPE_MTE3>(1);\n}",
       "synchronisation:2"},
      {"SixteenSets", kAic + "for (int i = 0; i < 16; ++i)\nCrossCoreSetFlag<2, PIPE_FIX>(5);\n" + kAiv + "}",
       "synchronisation:3"},
      {"FlagIdBeyondTheLast", kAic + "CrossCoreSetFlag<2, PIPE_FIX>(16);\n" + kAiv + "}", "synchronisation:2"},
      {"SyncAllWithoutTheCubeCores", kAic + "int nothing = 0; (void)nothing;\n" + kAiv + "SyncAll<false>();\n}",
       "synchronisation:5"},
      {"BothWaitForEachOther",
       kAic + "CrossCoreWaitFlag(1); CrossCoreSetFlag<2, PIPE_FIX>(2);\n" + kAiv +
           "CrossCoreWaitFlag(2); CrossCoreSetFlag<2, PIPE_MTE3>(1);\n}",
       "synchronisation:2"},
  };
}

// Global memory that both kinds of cores use, and the Matmul object.
std::vector<Body> shared_tiles() {
  return {
      {"VectorReadsWhatTheCubeStillWrites",
       kAic + kToL0c + "Fixpipe<float, float, CFG_ROW_MAJOR>(w, c0, FixpipeParamsV220(32, 32, 32, 32, false));\n" +
           kAiv + kVector +
           "auto a = in.AllocTensor<float>();\nDataCopy(a, w[s * 512], 512);\nPipeBarrier<PIPE_ALL>(); DataCopy(z[s * "
           "512], a, 512);\n}",
       "gm:11"},
      {"FlagSetByAPipeThatDoesNotWrite",
       kAic + kToL0c +
           "Fixpipe<float, float, CFG_ROW_MAJOR>(w, c0, FixpipeParamsV220(32, 32, 32, 32, false)); "
           "CrossCoreSetFlag<2, "
           "PIPE_MTE2>(3);\n" +
           kAiv + kVector +
           "auto a = in.AllocTensor<float>(); CrossCoreWaitFlag(3);\nDataCopy(a, w[s * 512], "
           "512);\nPipeBarrier<PIPE_ALL>(); DataCopy(z[s * 512], a, 512);\n}",
       "gm:11"},
      {"CubeReadsWhatTheVectorStillWrites",
       kAiv.substr(2) + kVector +
           "auto o = out.AllocTensor<half>(); Duplicate(o, (half)1.0f, 512); out.EnQue(o); o = out.DeQue<half>(); "
           "GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)wg, 8192); DataCopy(h[s * 512], o, 512);\n}\n" +
           kAic + kInit + "GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)wg, 8192);\nDataCopy(la, h, " + kNz +
           ");\n}",
       "~gm:3"},
      {"VectorCoresWriteOneTile",
       kAiv.substr(2) + kVector +
           "auto o = out.AllocTensor<float>(); Duplicate(o, (float)s, 512); out.EnQue(o); o = "
           "out.DeQue<float>();\nDataCopy(z[s * 256], o, 512);\n}",
       "gm:4"},
      {"MatmulWithoutItsSecondMatrix",
       "TCubeTiling t; t.M = 16; t.N = 16; t.Ka = 16; t.Kb = 16; t.singleCoreM = 16; t.singleCoreN = 16; "
       "t.singleCoreK = 16; "
       "t.baseM = 16; t.baseN = 16; t.baseK = 16; t.usedCoreNum = 1; Matmul<MatmulType<TPosition::GM, "
       "CubeFormat::ND, half>, "
       "MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mat; "
       "REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mat, &t); "
       "mat.SetTensorA(x);\nmat.IterateAll(z);\nmat.End();",
       "memory:2"},
      {"MatmulBeyondItsInput",
       "TCubeTiling t; t.M = 256; t.N = 16; t.Ka = 64; t.Kb = 64; t.singleCoreM = 256; t.singleCoreN = 16; "
       "t.singleCoreK = "
       "64; t.baseM = 16; t.baseN = 16; t.baseK = 16; t.usedCoreNum = 1; Matmul<MatmulType<TPosition::GM, "
       "CubeFormat::ND, "
       "half>, MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, float>> "
       "mat; "
       "REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mat, &t); mat.SetTensorA(x); "
       "mat.SetTensorB(y);\nmat.IterateAll(z);\nmat.End();",
       "gm:2"},
  };
}

}  // namespace

const std::vector<Body>& wrong_cubes() {
  static const std::vector<Body> bodies =
      for_cores(Cores::kCube, kg::testing::joined({memories(), queues_and_order(), places_and_arguments()}));
  return bodies;
}

const std::vector<Body>& wrong_mixed() {
  static const std::vector<Body> bodies =
      for_cores(Cores::kMixed, kg::testing::joined({cross_core_flags(), shared_tiles()}));
  return bodies;
}

}  // namespace kg::npu::testing
