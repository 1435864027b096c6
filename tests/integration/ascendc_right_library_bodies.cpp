// Correct kernels for vector cores that sort, gather, transpose, normalise, and that are written in many styles.

#include "ascendc_right_bodies.h"
#include "tests/joined.h"

namespace kg::npu::testing {
namespace {

const std::string kInit = "pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(out, 1, 1024); pipe.InitBuffer(buf, 4096);\n";
const std::string kLoad =
    "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();\n";
const std::string kMake = "auto o = out.AllocTensor<float>();\n";
const std::string kOut = "\nout.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o);\n";

// 256 elements of x become 256 of z: a and o are there, t is scratch of 1024 floats, u of 2048.
std::string through(const std::string& compute) {
  return kInit + "TBuf<> big; pipe.InitBuffer(big, 8192);\n" + kLoad + kMake +
         "auto t = buf.Get<float>(); auto u = big.Get<float>();\n" + compute + kOut + "in.FreeTensor(a);\n";
}

// Indices 0 to 255 as `n` and `idx`, at the start of t.
const std::string kIndices =
    "auto n = t.ReinterpretCast<int32_t>(); auto idx = t.ReinterpretCast<uint32_t>(); CreateVecIndex(n, (int32_t)0, "
    "256);\n";
// Scores and indices of the records r to o: the index adds thousandths.
const std::string kRecordsOut =
    "auto i2 = t[256]; Extract(o, i2.ReinterpretCast<uint32_t>(), r, 8);\n"
    "Cast(i2, i2.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 256); Muls(i2, i2, 0.001f, 256); Add(o, o, i2, "
    "256);";

// Sorting and the largest elements.
std::vector<Body> sorts() {
  return {
      {"SortsGroupsOf32", through(kIndices + "auto r = u; Sort32(r, a, idx, 8);\n" + kRecordsOut), ""},
      {"SortsAll",
       through(kIndices + "auto r = u; LocalTensor<float> tmp = u[1024]; Sort<float, true>(r, a, idx, tmp, 8);\n" +
               kRecordsOut),
       ""},
      {"MergesFourSortedLists",
       through(kIndices +
               "auto s = u[1024]; Sort32(s, a, idx, 8); auto r = u; uint16_t len[4] = {64, 64, 64, 64};\n"
               "for (int i = 0; i < 4; ++i) { uint16_t two[4] = {32, 32, 0, 0}; MrgSort(r[i * 128], "
               "MrgSortSrcList<float>(s[i * 128], s[i * 128 + 64], s, s), MrgSort4Info(two, false, 3, 1)); }\n"
               "MrgSort(s, MrgSortSrcList<float>(r, r[128], r[256], r[384]), MrgSort4Info(len, false, 15, 1));\n"
               "DataCopy(r, s, 512);\n" +
               kRecordsOut),
       ""},
      {"LargestEight",
       through(kIndices +
               "auto v = t[512]; auto vi = t[768].ReinterpretCast<int32_t>(); LocalTensor<bool> none; TopkTiling "
               "tiling; TopKInfo sh; sh.outter = 1; sh.inner = 256; sh.n = 256;\n"
               "TopK<float, true>(v, vi, a, n, none, 8, tiling, sh);\nDuplicate(o, 0.0f, 256); Adds(o, v, 1.0f, 8); "
               "Cast(v, vi, RoundMode::CAST_NONE, 8); Add(o[8], o[8], v, 8);"),
       ""},
  };
}

// Gathering, compacting, transposing, selecting.
std::vector<Body> gathers() {
  return {
      {"GathersBackwards",
       through(
           "auto n = t.ReinterpretCast<int32_t>(); ArithProgression(n, (int32_t)1020, (int32_t)-4, 256);\nGather(o, "
           "a, t.ReinterpretCast<uint32_t>(), 0, 256);"),
       ""},
      {"GathersUnderAMask",
       through("Duplicate(o, 0.0f, 256); auto n = t.ReinterpretCast<int32_t>(); ArithProgression(n, (int32_t)128, "
               "(int32_t)4, 256);\nGather(o, a, t.ReinterpretCast<uint32_t>(), 0, (uint64_t)32, 3, 8);"),
       ""},
      {"KeepsEveryOtherElement",
       through("uint64_t kept = 0; GatherMaskParams p; p.repeatTimes = 4; p.src0RepeatStride = 8;\nGatherMask(t, a, 2, "
               "false, 0, p, kept); Duplicate(o, 0.0f, 256); Adds(o, t, 1.0f, 128);"),
       ""},
      {"CompactsWhatIsLarge",
       through(
           "auto m = t[512].ReinterpretCast<uint8_t>(); CompareScalar(m, a, 3.0f, CMPMODE::GT, 256); uint64_t kept = "
           "0; GatherMaskParams p; p.repeatTimes = 1; p.src0RepeatStride = 8; p.src1RepeatStride = 1;\n"
           "GatherMask(t, a, m.ReinterpretCast<uint32_t>(), true, 256, p, kept); Duplicate(o, -1.0f, 256); Adds(o, "
           "t, 1.0f, (int32_t)kept);"),
       ""},
      {"OneElementFillsABlock", through("Brcb(t, a, 4, {1, 8}); Adds(o, t, 1.0f, 256);"), ""},
      {"TransposesHalves",
       through("auto h = t.ReinterpretCast<half>(); auto g = t[512].ReinterpretCast<half>(); Cast(h, a, "
               "RoundMode::CAST_RINT, 256); Transpose(g, h); Cast(o, g, RoundMode::CAST_NONE, 256);"),
       ""},
      {"TransposesByAddressLists",
       through("LocalTensor<float> d[16], s[16]; for (int i = 0; i < 16; ++i) { s[i] = a[i * 8]; d[i] = o[i * 8]; }\n"
               "TransDataTo5HDParams p; TransDataTo5HD<float>(d, s, p); Adds(o[128], a[128], 1.0f, 128);"),
       ""},
      {"SelectsByCompare",
       through("Muls(t, a, -1.0f, 256); auto m = u.ReinterpretCast<uint8_t>(); Compare(m, t, a, CMPMODE::LT, "
               "256);\nSelect(o, m, a, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, 256);"),
       ""},
      {"IndexOfTheLargest",
       through("ReduceMax(t, a, t[512], 256, true); int at = t.ReinterpretCast<int32_t>().GetValue(1); Duplicate(o, "
               "(float)at, 256); Adds(o, a[8], t.GetValue(0), 8);"),
       ""},
  };
}

std::vector<Body> norms() {
  return {
      {"SoftmaxOfTheLibrary",
       through(
           "auto tmp = big.Get<uint8_t>(); SoftMaxShapeInfo sh{4, 64, 4, 60};\nDuplicate(o, 0.0f, 256); "
           "SoftMax<float>(t, "
           "a, tmp, SoftMaxTilingFunc(4, 64, 4, 8192), sh);\nfor (int i = 0; i < 4; ++i) Adds(o[i * 64], t[i * 64], "
           "1.0f, 60);"),
       ""},
      {"SoftmaxWithSumAndMaximum",
       through("auto tmp = big.Get<uint8_t>(); SoftMaxShapeInfo sh{4, 64, 4, 64}; auto s = t; auto m = "
               "t[512];\nSoftMax<float>(o, s, m, a, tmp, SoftMaxTilingFunc(4, 64, 4, 8192), sh); Add(o, o, s, 32); "
               "Add(o[32], "
               "o[32], m, 32);"),
       ""},
      {"LayerNormOfTheLibrary",
       through(
           "auto tmp = big.Get<uint8_t>(); LayerNormTiling sh; sh.bLength = 1; sh.sLength = 4; sh.hLength = 64; "
           "sh.originalHLength = 64;\nauto g = t; auto b = t[64]; auto mean = t[512]; auto var = t[768]; Adds(g, a, "
           "0.5f, 64); Muls(b, a, 0.25f, 64);\nLayerNorm(o, mean, var, a, g, b, tmp, 1e-5f, sh); Add(o, o, mean, 4); "
           "Add(o[8], o[8], var, 4);"),
       ""},
      {"RmsNormOfTheLibrary",
       through("auto tmp = big.Get<uint8_t>(); RmsNormTiling sh; sh.bLength = 1; sh.sLength = 8; sh.hLength = 32; "
               "sh.originalHLength = 32;\nDuplicate(t, 2.0f, 32); RmsNorm(o, a, t, tmp, 1e-6f, sh);"),
       ""},
      {"BroadcastOfTheLibrary",
       through("auto tmp = big.Get<uint8_t>(); const uint32_t to[2] = {8, 32}, from[2] = {8, 1};\nBroadCast<float, 2, "
               "1>(o, a, to, from, tmp);"),
       ""},
      {"MeansOfRows",
       through("auto tmp = big.Get<uint8_t>(); MeanParams sh; sh.outter = 4; sh.inner = 64; sh.n = 60;\nDuplicate(o, "
               "0.0f, 256); Mean<float>(t, a, tmp, sh); Adds(o, t, 1.0f, 4);"),
       ""},
      {"RunningSums", through("auto tmp = big.Get<uint8_t>(); CumSum<float>(o, t, a, tmp, {4, 64}); Add(o, o, t, 64);"),
       ""},
      {"SoftmaxOfRowsByHand",
       through("WholeReduceMax(t, a, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); Brcb(t[64], t, 1, {1, 8});\n"
               "Sub(o, a, t[64], 64, 4, {1, 1, 0, 8, 8, 1}); Exp(o, o, 256);\nWholeReduceSum(t, o, 64, 4, 1, 1, 8); "
               "Brcb(t[64], t, 1, {1, 8}); Div(o, o, t[64], 64, 4, {1, 1, 0, 8, 8, 1});"),
       ""},
      {"LayerNormByHand",
       through(
           "ReduceSum(t, a, u, 256); float mean = t.GetValue(0) / 256; Adds(o, a, -mean, 256);\nMul(t, o, o, 256); "
           "ReduceSum(t, t, u, 256); float rstd = 1.0f / sqrt(t.GetValue(0) / 256 + 1e-5f); Muls(o, o, rstd, 256);"),
       ""},
      {"SumsByHalving",
       through(
           "Adds(t, a, 0.0f, 256); for (int n = 128; n >= 8; n /= 2) Add(t, t, t[n], n);\nfloat s = 0; for (int i = "
           "0; i < 8; ++i) s += t.GetValue(i); Duplicate(o, s, 256);"),
       ""},
  };
}

// Tails, and tiles that overlap in time.
std::vector<Body> flows() {
  return {
      {"TailByPaddedCopies",
       kInit +
           "for (int i = 0; i < 4; ++i) { int n = i == 3 ? 235 : 256; uint32_t bytes = n * sizeof(float);\n"
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x[i * 256], {1, bytes, 0, 0, 0}, {false, 0, 0, 0.0f}); "
           "in.EnQue(a); a = in.DeQue<float>();\nauto o = out.AllocTensor<float>(); Adds(o, a, 1.0f, n); out.EnQue(o); "
           "in.FreeTensor(a);\no = out.DeQue<float>(); DataCopyPad(z[i * 256], o, {1, bytes, 0, 0, 0}); "
           "out.FreeTensor(o); }",
       ""},
      {"CoresWithATail",
       kInit +
           "int from = GetBlockIdx() * 144, n = GetBlockIdx() == 6 ? 1003 - from : 144; uint32_t bytes = n * "
           "sizeof(float);\nauto a = in.AllocTensor<float>(); DataCopyPad(a, x[from], {1, bytes, 0, 0, 0}, {true, 0, "
           "0, 0.0f}); in.EnQue(a); a = in.DeQue<float>();\nauto o = out.AllocTensor<float>(); Muls(o, a, 2.0f, n); "
           "out.EnQue(o); o = out.DeQue<float>(); DataCopyPad(z[from], o, {1, bytes, 0, 0, 0}); out.FreeTensor(o); "
           "in.FreeTensor(a);",
       "", 7},
      {"CopiesOneTileAhead",
       "TQue<QuePosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 1024); pipe.InitBuffer(out, 2, 1024);\nauto a = "
       "q.AllocTensor<float>(); DataCopy(a, x, 256); q.EnQue(a);\nfor (int i = 0; i < 6; ++i) { if (i + 1 < 6) { auto "
       "b = q.AllocTensor<float>(); DataCopy(b, x[i * 256 + 256], 256); q.EnQue(b); }\na = q.DeQue<float>(); auto o = "
       "out.AllocTensor<float>(); Adds(o, a, 1.0f, 256); out.EnQue(o); q.FreeTensor(a);\no = out.DeQue<float>(); "
       "DataCopy(z[i * 256], o, 256); out.FreeTensor(o); }",
       ""},
      {"OneBufferWithFlagsBothWays",
       kInit +
           "auto t = buf.Get<float>(); auto u = t[512];\nSetFlag<HardEvent::V_MTE2>(0); "
           "SetFlag<HardEvent::MTE3_V>(0);\n"
           "for (int i = 0; i < 8; ++i) { WaitFlag<HardEvent::V_MTE2>(0); DataCopy(t, x[i * 256], 256); "
           "SetFlag<HardEvent::MTE2_V>(0);\nWaitFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE3_V>(0); Muls(u, t, "
           "3.0f, 256); SetFlag<HardEvent::V_MTE2>(0); SetFlag<HardEvent::V_MTE3>(0);\n"
           "WaitFlag<HardEvent::V_MTE3>(0); DataCopy(z[i * 256], u, 256); SetFlag<HardEvent::MTE3_V>(0); "
           "}\nWaitFlag<HardEvent::V_MTE2>(0); WaitFlag<HardEvent::MTE3_V>(0);",
       ""},
      {"EventIdsOfTheFramework",
       kInit + "auto t = buf.Get<float>(); TEventID loaded = GetTPipePtr()->AllocEventID<HardEvent::MTE2_V>(), done = "
               "GetTPipePtr()->AllocEventID<HardEvent::V_MTE3>();\nDataCopy(t, x, 256); "
               "SetFlag<HardEvent::MTE2_V>(loaded); "
               "WaitFlag<HardEvent::MTE2_V>(loaded); Abs(t, t, 256);\nSetFlag<HardEvent::V_MTE3>(done); "
               "WaitFlag<HardEvent::V_MTE3>(done); DataCopy(z, t, 256);\n"
               "GetTPipePtr()->ReleaseEventID<HardEvent::MTE2_V>(loaded); "
               "GetTPipePtr()->ReleaseEventID<HardEvent::V_MTE3>(done);",
       ""},
  };
}

// Other ways to write the same call.
std::vector<Body> spellings() {
  return {
      {"OneQueueInAndOut",
       "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 2, 1024);\nfor (int i = 0; i < 4; ++i) "
       "{ "
       "auto a = q.AllocTensor<float>(); DataCopy(a, x[i * 256], 256); q.EnQue<TPosition::GM, TPosition::VECIN, "
       "float>(a);\n"
       "a = q.DeQue<TPosition::GM, TPosition::VECIN, float>(); Muls(a, a, 2.0f, 256); q.EnQue<TPosition::VECOUT, "
       "TPosition::GM, float>(a);\na = q.DeQue<TPosition::VECOUT, TPosition::GM, float>(); DataCopy(z[i * 256], a, "
       "256); "
       "q.FreeTensor(a); }",
       ""},
      {"TensorsByReference",
       kInit + "LocalTensor<float> a; in.AllocTensor<float>(a); DataCopy(a, x, 256); in.EnQue(a); in.DeQue<float>(a);\n"
               "LocalTensor<float> o; out.AllocTensor<float>(o); Relu(o, a, 256); out.EnQue(o); out.DeQue<float>(o); "
               "DataCopy(z, o, 256); out.FreeTensor(o); in.FreeTensor(a);",
       ""},
      {"CounterModeOverSeveralCalls",
       through("Duplicate(o, 0.0f, 256); SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(200);\nAdds<float, "
               "false>(t, a, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); Mul<float, false>(o, t, a, MASK_PLACEHOLDER, 1, "
               "{1, 1, 1, 8, 8, 8});\nSetMaskNorm(); SetVectorMask<float>(32); Adds<float, false>(o[224], a, 1.0f, "
               "MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); ResetMask();"),
       ""},
      {"CounterModeInTightBuffers",
       "pipe.InitBuffer(in, 1, 800); pipe.InitBuffer(out, 1, 800); auto a = in.AllocTensor<float>(); DataCopy(a, x, "
       "200); in.EnQue(a); a = in.DeQue<float>();\nauto o = out.AllocTensor<float>(); SetMaskCount(); "
       "SetVectorMask<float, MaskMode::COUNTER>(200); Adds<float, false>(o, a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, "
       "8}); SetMaskNorm(); ResetMask();\nout.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 200); "
       "out.FreeTensor(o); in.FreeTensor(a);",
       ""},
      {"RawIntrinsics",
       through("__ubuf__ float* from = (__ubuf__ float*)a.GetPhyAddr(); __ubuf__ float* to = (__ubuf__ "
               "float*)o.GetPhyAddr(); set_vector_mask((uint64_t)-1, (uint64_t)-1);\nvadd(to, from, from, 4, 1, 1, 1, "
               "8, 8, "
               "8); pipe_barrier(PIPE_V); vmuls(to, to, 0.5f, 4, 1, 1, 8, 8);"),
       ""},
      {"HalvesAndBack",
       kInit +
           "GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)yg, 8192); auto a = in.AllocTensor<half>(); "
           "DataCopy(a, h, 256); in.EnQue(a); a = in.DeQue<half>();\n" +
           kMake + "Cast(o, a, RoundMode::CAST_NONE, 256); Maxs(o, o, -100.0f, 256); Mins(o, o, 100.0f, 256);" + kOut +
           "in.FreeTensor(a);",
       ""},
  };
}

// Patterns of access.
std::vector<Body> patterns() {
  return {
      {"SumsOverCoresThroughTheWorkspace",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopy(a, x[GetBlockIdx() * 256], 256); in.EnQue(a); a = "
           "in.DeQue<float>();\nauto t = buf.Get<float>(); ReduceSum(t, a, t[512], 256); in.FreeTensor(a);\n"
           "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopyPad(w[GetBlockIdx() * 8], t, {1, 4, "
           "0, 0, 0});\nSyncAll();\nif (GetBlockIdx() == 0) { a = in.AllocTensor<float>(); DataCopyPad(a, w, {4, 4, "
           "28, "
           "0, 0}, {false, 0, 0, 0.0f}); in.EnQue(a); a = in.DeQue<float>();\nauto o = out.AllocTensor<float>(); "
           "Add(o, a, "
           "a[8], 1); Add(o, o, a[16], 1); Add(o, o, a[24], 1); out.EnQue(o); o = out.DeQue<float>();\nDataCopyPad(z, "
           "o, {1, 4, 0, 0, 0}); out.FreeTensor(o); in.FreeTensor(a); }",
       "", 4},
      {"HistogramByAtomics",
       kInit + kMake +
           "Duplicate(o, 0.0f, 256);\nif (GetBlockIdx() == 0) { out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, "
           "o, 256); }\nSyncAll();\nDuplicate(o, 1.0f, 8); SetFlag<HardEvent::V_MTE3>(0); "
           "WaitFlag<HardEvent::V_MTE3>(0); SetAtomicAdd<float>();\nfor (int i = 0; i < 16; ++i) { int at = "
           "(int)x.GetValue(GetBlockIdx() * 16 + i); DataCopyPad(z[(at & 31) * 8], o, {1, 4, 0, 0, 0}); "
           "}\nSetAtomicNone(); out.FreeTensor(o);",
       "", 4},
      {"RowsByIndex",
       kInit + kMake +
           "for (int i = 0; i < 4; ++i) { int row = (int)x.GetValue(i * 3) & 15; auto a = in.AllocTensor<float>(); "
           "DataCopy(a, y[row * 64], 64); in.EnQue(a);\na = in.DeQue<float>(); Adds(o[i * 64], a, 1.0f, 64); "
           "in.FreeTensor(a); }" +
           kOut,
       ""},
      {"SinglesToScatteredPlaces",
       through("for (int i = 0; i < 256; i += 8) Adds(o[i], a[i], 1.0f, 8);\nSetFlag<HardEvent::V_MTE3>(0); "
               "WaitFlag<HardEvent::V_MTE3>(0); for (int i = 0; i < 32; ++i) DataCopyPad(z[1024 + i * 37 % 32], o[i * "
               "8], {1, 4, 0, 0, 0});"),
       ""},
      {"ColumnsToRows",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopy(a, x, DataCopyParams(16, 1, 3, 1)); in.EnQue(a); a = "
           "in.DeQue<float>();\n" +
           kMake + "Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 8, 16, {1, 1, 1, 2}); " + kOut + "in.FreeTensor(a);",
       ""},
      {"EveryCoreTakesEveryNthTile",
       kInit +
           "for (int i = GetBlockIdx(); i < 10; i += GetBlockNum()) { auto a = in.AllocTensor<float>(); DataCopy(a, "
           "x[i * 256], 256); in.EnQue(a); a = in.DeQue<float>();\nauto o = out.AllocTensor<float>(); Sub(o, a, a, "
           "256); "
           "Axpy(o, a, 2.0f, 256); out.EnQue(o); in.FreeTensor(a); o = out.DeQue<float>();\nDataCopy(z[i * 256], o, "
           "256); "
           "out.FreeTensor(o); }",
       "", 3},
      {"IntegersAndBits",
       through(
           "auto n = t.ReinterpretCast<int32_t>(); Cast(n, a, RoundMode::CAST_FLOOR, 256); ShiftLeft(n, n, (int32_t)3, "
           "256); auto b = t.ReinterpretCast<int16_t>(); And(b, b, b, 512);\nNot(b[512], b, 512); Cast(o, n, "
           "RoundMode::CAST_NONE, 256); Cast(u, t[256].ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 256); Add(o, "
           "o, u, 256);"),
       ""},
  };
}

}  // namespace

const std::vector<Body>& right_library_bodies() {
  static const std::vector<Body> all =
      kg::testing::joined({sorts(), gathers(), norms(), flows(), spellings(), patterns()});
  return all;
}

}  // namespace kg::npu::testing
