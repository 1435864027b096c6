#include "ascendc_right_bodies.h"

#include "tests/joined.h"

namespace kg::npu::testing {
namespace {

const std::string kInit = "pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(out, 1, 1024); pipe.InitBuffer(buf, 4096);\n";
const std::string kLoad =
    "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();\n";
const std::string kMake = "auto o = out.AllocTensor<float>();\n";
const std::string kOut = "\nout.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o);\n";
const std::string kDone = "in.FreeTensor(a);\n";

// 256 elements of x become 256 of z: a and o are there, t is scratch of 1024 floats.
std::string through(const std::string& compute) {
  return kInit + kLoad + kMake + "auto t = buf.Get<float>();\n" + compute + kOut + kDone;
}

// Without a barrier, without a value, where neither is needed.
std::vector<Body> unordered_and_unset() {
  return {
      {"NoBarrierBetweenVectorInstructions", kInit + kMake + "Duplicate(o, 1.0f, 256); Adds(o, o, 1.0f, 256);" + kOut,
       ""},
      {"ScalarReadsWithoutFlags",
       kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); float s = a.GetValue(3);\n" + kMake +
           "Duplicate(o, s, 256);" + kOut + kDone,
       ""},
      {"ScalarWritesThenVectorReads",
       kInit + kMake + "Duplicate(o, 0.0f, 256); o.SetValue(5, 2.0f); Adds(o, o, 1.0f, 256);" + kOut, ""},
      {"ScalarWritesThenStore", kInit + kMake + "for (int i = 0; i < 256; ++i) o.SetValue(i, i * 0.5f);" + kOut, ""},
      {"UninitialisedLanesStayInside",
       through("Duplicate(t, 1.0f, 100); Adds(t, t, 1.0f, 256); Adds(o, a, 0.0f, 256); Adds(o, t, 1.0f, 96);"), ""},
      {"JoinedMasksWhoseLastLanesArePadding",
       through("Duplicate(t, 1.0f, 100); auto m = t[512].ReinterpretCast<uint8_t>(), n = "
               "t[520].ReinterpretCast<uint8_t>();\nCompareScalar(m, t, 0.5f, CMPMODE::GT, 128); CompareScalar(n, t, "
               "2.0f, CMPMODE::LT, 128);\nauto m2 = m.ReinterpretCast<uint16_t>(), n2 = "
               "n.ReinterpretCast<uint16_t>();\nAnd(m2, m2, n2, 8); Not(n2, m2, 8); Or(m2, m2, n2, 8);\nAdds(o, a, "
               "0.0f, 256); Select(o, m, t, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 100);"),
       ""},
      // One block: were it taken for a kernel of cube and vector cores, a second vector core would write beyond z.
      {"CopyInsideUbIsNoCubeWork",
       "pipe.InitBuffer(buf, 4096); auto from = buf.GetWithOffset<float>(256, 0), to = buf.GetWithOffset<float>(256, "
       "1024);\nDataCopy(from, x, 256); PipeBarrier<PIPE_ALL>(); DataCopy(to, from, 256); "
       "PipeBarrier<PIPE_ALL>();\nDataCopy(z[GetBlockIdx() * 65536], to, 256);",
       ""},
      {"UninitialisedScalarIsNotUsed", through("float unused = t.GetValue(7); (void)unused; Adds(o, a, 1.0f, 256);"),
       ""},
      {"UninitialisedScalarDecidesNothing",
       through("if (t.GetValue(7) > 0) { int nothing = 0; (void)nothing; } Adds(o, a, 1.0f, 256);"), ""},
  };
}

// Cores that share memory, counts that are rounded, calls that do nothing.
std::vector<Body> shared_and_rounded() {
  return {
      {"ManyCoresWriteTheSameBytes", kInit + kMake + "Duplicate(o, 4.0f, 256);" + kOut, "", 8},
      {"LastTileShiftedBack",
       kInit +
           "int at = GetBlockIdx() == 3 ? 1000 - 256 : GetBlockIdx() * 256;\nauto a = in.AllocTensor<float>(); "
           "DataCopy(a, x[at], 256); in.EnQue(a); a = in.DeQue<float>();\n" +
           kMake +
           "Adds(o, a, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z[at], o, 256); "
           "out.FreeTensor(o);\n" +
           kDone,
       "", 4},
      {"ReadUpToTheRoundedEnd",
       "pipe.InitBuffer(in, 1, 1024); auto a = in.AllocTensor<float>(); DataCopy(a, x[4032], 72); in.EnQue(a); a = "
       "in.DeQue<float>(); in.FreeTensor(a);",
       ""},
      {"PaddingReachesIntoTheNextCore",
       kInit + kMake +
           "Duplicate(o, 1.0f + GetBlockIdx(), 256); out.EnQue(o); o = out.DeQue<float>();\n"
           "DataCopyPad(z[GetBlockIdx() * 101], o, {1, 404, 0, 0, 0}); PipeBarrier<PIPE_ALL>();\n"
           "auto a = in.AllocTensor<float>(); DataCopy(a, z[GetBlockIdx() * 101], 104); in.EnQue(a); a = "
           "in.DeQue<float>();\nAdds(a, a, 1.0f, 104); auto t = buf.Get<float>(); Adds(t, a, 0.0f, 96);\n"
           "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopyPad(z[1024 + GetBlockIdx() * 100], "
           "t, {1, "
           "384, 0, 0, 0});\nout.FreeTensor(o); in.FreeTensor(a);",
       "", 4},
      {"NeighboursShareAUnit",
       kInit + kMake +
           "Duplicate(o, 1.0f + GetBlockIdx(), 256); out.EnQue(o); o = out.DeQue<float>();\n"
           "DataCopyPad(z[GetBlockIdx() * 3], o, {1, 12, 0, 0, 0}); out.FreeTensor(o);",
       "", 8},
      {"CountOfNoWholeUnitIsRoundedDown", through("Duplicate(o, 0.0f, 256); DataCopy(o, a, 63);"), ""},
      {"MaskBeyondTheTypeIsClipped", through("Adds(o, a, 1.0f, 128, 4, {1, 1, 8, 8});"), ""},
      {"RepeatZeroDoesNothing", through("Adds(o, a, 1.0f, 256); Adds(o, a, 2.0f, 64, 0, {1, 1, 8, 8});"), ""},
      {"CountZeroDoesNothing", through("Adds(o, a, 1.0f, 256); Muls(o, a, 2.0f, 0);"), ""},
      {"CastUnderItself",
       kInit +
           "auto h = in.AllocTensor<half>(); DataCopy(h[256], x.GetPhyAddr() == nullptr ? GlobalTensor<half>() : [&] { "
           "GlobalTensor<half> g; g.SetGlobalBuffer((__gm__ half*)xg, 8192); return g; }(), 256); in.EnQue(h); h = "
           "in.DeQue<half>();\nauto f = h.ReinterpretCast<float>(); Cast(f, h[256], RoundMode::CAST_NONE, 256);\n" +
           kMake + "Adds(o, f, 0.0f, 256);" + kOut + "in.FreeTensor(h);",
       ""},
      {"AccumulatesInPlaceWithRepeatStrideZero",
       through("Duplicate(o, 0.0f, 256); Add(o, o, a, 64, 4, {1, 1, 1, 0, 0, 8});"), ""},
      {"RedundantBarriers",
       through("PipeBarrier<PIPE_V>(); PipeBarrier<PIPE_V>(); Adds(o, a, 1.0f, 256); PipeBarrier<PIPE_ALL>(); "
               "PipeBarrier<PIPE_ALL>();"),
       ""},
      {"LeakedTensor", kInit + kLoad + kMake + "Adds(o, a, 1.0f, 256);" + kOut, ""},
  };
}

// Order by flags.
std::vector<Body> flags() {
  return {
      {"ManualFlags",
       kInit + "auto t = buf.Get<float>(); DataCopy(t, x, 256); event_t e = "
               "static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));\n"
               "SetFlag<HardEvent::MTE2_V>(e); WaitFlag<HardEvent::MTE2_V>(e); Adds(t, t, 1.0f, 256);\n"
               "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(z, t, 256);",
       ""},
      {"RawIntrinsicFlags",
       kInit + "auto t = buf.Get<float>(); DataCopy(t, x, 256); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); "
               "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\nMuls(t, t, 2.0f, 256); pipe_barrier(PIPE_ALL); DataCopy(z, "
               "t, 256);",
       ""},
      {"PingPongWithFlags",
       kInit + "auto t = buf.Get<float>();\nSetFlag<HardEvent::MTE3_MTE2>(0); SetFlag<HardEvent::MTE3_MTE2>(1);\n"
               "for (int i = 0; i < 8; ++i) { int p = i & 1; auto u = t[p * 256];\nWaitFlag<HardEvent::MTE3_MTE2>(p); "
               "DataCopy(u, x[i * 256], 256); SetFlag<HardEvent::MTE2_V>(p); WaitFlag<HardEvent::MTE2_V>(p);\n"
               "Muls(u, u, 3.0f, 256); SetFlag<HardEvent::V_MTE3>(p); WaitFlag<HardEvent::V_MTE3>(p); DataCopy(z[i * "
               "256], u, 256); SetFlag<HardEvent::MTE3_MTE2>(p); }\nWaitFlag<HardEvent::MTE3_MTE2>(0); "
               "WaitFlag<HardEvent::MTE3_MTE2>(1);",
       ""},
      {"AllocatedEventIds",
       kInit +
           "auto t = buf.Get<float>(); auto e = GetTPipePtr()->AllocEventID<HardEvent::MTE2_V>(); DataCopy(t, x, 256); "
           "SetFlag<HardEvent::MTE2_V>(e); WaitFlag<HardEvent::MTE2_V>(e);\n"
           "GetTPipePtr()->ReleaseEventID<HardEvent::MTE2_V>(e); Adds(t, t, 1.0f, 256); PipeBarrier<PIPE_ALL>(); "
           "DataCopy(z, "
           "t, 256);",
       ""},
  };
}

// Order by queues.
std::vector<Body> queues() {
  return {
      {"DoubleBuffering",
       "TQue<QuePosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 1024); pipe.InitBuffer(out, 2, 1024);\nfor (int i = 0; i "
       "< 8; "
       "++i) { auto a = q.AllocTensor<float>(); DataCopy(a, x[i * 256], 256); q.EnQue(a);\na = q.DeQue<float>(); auto "
       "o = "
       "out.AllocTensor<float>(); Adds(o, a, 1.0f, 256); out.EnQue(o); q.FreeTensor(a);\no = out.DeQue<float>(); "
       "DataCopy(z[i * "
       "256], o, 256); out.FreeTensor(o); }",
       ""},
      {"LoadsAheadThroughADeepQueue",
       "TQue<QuePosition::VECIN, 4> q; pipe.InitBuffer(q, 4, 1024); pipe.InitBuffer(out, 2, 1024);\nfor (int i = 0; i "
       "< 4; "
       "++i) { auto a = q.AllocTensor<float>(); DataCopy(a, x[i * 256], 256); q.EnQue(a); }\nfor (int i = 0; i < 4; "
       "++i) { auto "
       "a = q.DeQue<float>(); auto o = out.AllocTensor<float>(); Muls(o, a, 2.0f, 256); out.EnQue(o); q.FreeTensor(a); "
       "o = "
       "out.DeQue<float>(); DataCopy(z[i * 256], o, 256); out.FreeTensor(o); }",
       ""},
      {"BoundQueue",
       "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 2, 1024); auto a = "
       "q.AllocTensor<float>(); "
       "DataCopy(a, x, 256); q.EnQue(a); a = q.DeQue<float>(); DataCopy(z, a, 256); q.FreeTensor(a);",
       ""},
      {"BoundQueueInALoop",
       "TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> q; pipe.InitBuffer(q, 2, 1024);\nfor (int i = 0; i < 6; ++i) "
       "{ auto a = "
       "q.AllocTensor<float>(); DataCopy(a, x[i * 256], 256); q.EnQue(a); a = q.DeQue<float>(); DataCopy(z[i * 256], "
       "a, 256); "
       "q.FreeTensor(a); }",
       ""},
      {"InPlaceThroughOneBuffer",
       kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>(); Muls(a, a, "
               "2.0f, "
               "256);\nSetFlag<HardEvent::V_MTE3>(1); WaitFlag<HardEvent::V_MTE3>(1); DataCopy(z, a, 256); "
               "PipeBarrier<PIPE_ALL>(); "
               "in.FreeTensor(a);",
       ""},
  };
}

// Order of accesses to global memory, on one core and on many.
std::vector<Body> through_global_memory() {
  return {
      {"ReadsBackWhatItStoredBehindAFlag",
       through("Adds(t, a, 1.0f, 256); SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(w, t, "
               "256);\n"
               "SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0); DataCopy(t[512], w, "
               "256);\nSetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0); Adds(o, t[512], 1.0f, 256);"),
       ""},
      {"StoresTwiceWithABarrier",
       kInit + kMake +
           "Duplicate(o, 0.0f, 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); "
           "PipeBarrier<PIPE_MTE3>();\nauto t = buf.Get<float>(); Duplicate(t, 1.0f, 256); "
           "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(z, t, 128); out.FreeTensor(o);",
       ""},
      {"SyncAllOnEveryCore",
       kInit + kMake +
           "Duplicate(o, 1.0f + GetBlockIdx(), 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(w[GetBlockIdx() * "
           "256], o, 256); out.FreeTensor(o);\nSyncAll();\nauto a = in.AllocTensor<float>(); DataCopy(a, "
           "w[(GetBlockIdx() "
           "+ 1) % 4 * 256], 256); in.EnQue(a); a = in.DeQue<float>();\no = out.AllocTensor<float>(); Adds(o, a, 0.0f, "
           "256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z[GetBlockIdx() * 256], o, 256); out.FreeTensor(o); "
           "in.FreeTensor(a);",
       "", 4},
      {"ThreeRoundsOfSyncAll",
       "for (int i = 0; i < 3; ++i) { if (GetBlockIdx() == i) { z.SetValue(i * 16, 1.0f + i); "
       "DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(z); }\nSyncAll(); }",
       "", 4},
      {"AtomicAddFromManyCores",
       kInit + kMake +
           "Duplicate(o, 0.0f, 256); out.EnQue(o); o = out.DeQue<float>(); if (GetBlockIdx() == 0) DataCopy(z, o, "
           "256); out.FreeTensor(o);\nSyncAll();\no = out.AllocTensor<float>(); Duplicate(o, 1.0f, 256); out.EnQue(o); "
           "o = "
           "out.DeQue<float>(); SetAtomicAdd<float>(); DataCopy(z, o, 256); SetAtomicNone(); out.FreeTensor(o);",
       "", 8},
      {"AtomicMaxTwiceFromOneCore",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); "
           "PipeBarrier<PIPE_ALL>(); Muls(o, o, 0.5f, 128); SetFlag<HardEvent::V_MTE3>(0); "
           "WaitFlag<HardEvent::V_MTE3>(0); SetAtomicMax<float>(); DataCopy(z, o, 256); DataCopy(z, o, 128); "
           "SetAtomicNone(); out.FreeTensor(o);",
       ""},
      {"CoresReadTheSameInput",
       kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();\n" + kMake +
           "Muls(o, a, 1.0f + GetBlockIdx(), 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z[GetBlockIdx() * "
           "256], o, 256); "
           "out.FreeTensor(o); in.FreeTensor(a);",
       "", 16},
      {"MoreBlocksThanCores",
       kInit + kMake +
           "Duplicate(o, 1.0f + GetBlockIdx(), 64); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z[GetBlockIdx() * "
           "64], o, 64); out.FreeTensor(o);",
       "", 60},
  };
}

std::vector<Body> scalars() {
  return {
      {"SetValueOnLinesOfItsOwn", "for (int i = 0; i < 32; ++i) z.SetValue(GetBlockIdx() * 32 + i, i * 1.0f);", "", 4},
      {"SetValueWhatTheOthersSetToo", "z.SetValue(0, 3.0f);", "", 4},
      {"SetValueCleanedBeforeTheCopy",
       kInit +
           "for (int i = 0; i < 64; ++i) w.SetValue(i, i * 2.0f);\nDataCacheCleanAndInvalid<float, "
           "CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(w);\nauto a = in.AllocTensor<float>(); DataCopy(a, "
           "w, "
           "64); in.EnQue(a); a = in.DeQue<float>();\n" +
           kMake +
           "Adds(o, a, 0.0f, 64); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 64); out.FreeTensor(o); "
           "in.FreeTensor(a);",
       ""},
      {"GetValueAfterItsOwnSetValue", "z.SetValue(0, 1.0f); z.SetValue(16, z.GetValue(0) + 1.0f);", ""},
      {"GetValueCleanedAfterACopyOut",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>(); w.SetValue(512, 0.0f);\nDataCopy(w, o, "
           "256); "
           "out.FreeTensor(o); PipeBarrier<PIPE_ALL>(); DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, "
           "DcciDst::CACHELINE_OUT>(w); z.SetValue(0, w.GetValue(0));",
       ""},
      {"GetValueOfAFreshlyCopiedOut",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(w, o, 256); out.FreeTensor(o); "
           "z.SetValue(0, w.GetValue(100));",
       ""},
      {"CoresReadScalarsOfOneLine", "z.SetValue(GetBlockIdx() * 16, x.GetValue(GetBlockIdx()));", "", 8},
      {"ScalarLoopOverManyLines", "for (int i = 0; i < 4096; ++i) z.SetValue(i, x.GetValue(i) + y.GetValue(i));", ""},
      {"PartialSumsThroughTheWorkspace",
       "w.SetValue(GetBlockIdx() * 16, 1.0f + GetBlockIdx()); DataCacheCleanAndInvalid<float, "
       "CacheLine::SINGLE_CACHE_LINE, "
       "DcciDst::CACHELINE_OUT>(w[GetBlockIdx() * 16]);\nSyncAll();\nif (GetBlockIdx() == 0) { float s = 0; for (int i "
       "= 0; i < "
       "GetBlockNum(); ++i) s += w.GetValue(i * 16); z.SetValue(0, s); }",
       "", 8},
      {"LocalScalars", through("float s = 0; for (int i = 0; i < 256; ++i) s += a.GetValue(i); Duplicate(o, s, 256);"),
       ""},
      {"PointersIntoTheBuffer",
       through("Adds(o, a, 0.0f, 256); PipeBarrier<PIPE_ALL>(); __ubuf__ float* p = (__ubuf__ float*)o.GetPhyAddr(); "
               "for (int i = 0; "
               "i < 256; ++i) p[i] = p[i] * 2;"),
       ""},
      {"PointerIntoGlobalMemory", kInit + kMake + "float v = *((__gm__ float*)xg + 5); Duplicate(o, v, 256);" + kOut,
       ""},
      {"ScalarHalf", through("half h = (half)((float)(half)a.GetValue(1) * 2.0f); Duplicate(o, (float)h, 256);"), ""},
  };
}

std::vector<Body> copies() {
  return {
      {"StridedCopyIn",
       through("DataCopy(t, a, DataCopyParams{4, 2, 6, 0}); Adds(o, a, 0.0f, 256); Adds(o, t, 1.0f, 64);"), ""},
      {"StridedCopyFromGlobal",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopy(a, x, DataCopyParams{8, 4, 4, 0}); in.EnQue(a); a = "
           "in.DeQue<float>();\n" +
           kMake + "Adds(o, a, 1.0f, 256);" + kOut + kDone,
       ""},
      {"StridedCopyToGlobal",
       kInit + kMake +
           "Duplicate(o, 2.0f, 256); out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, DataCopyParams{8, 4, 0, 4}); "
           "out.FreeTensor(o);",
       ""},
      {"PadWithValues",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x, {1, 200, 0, 0, 0}, {true, 0, 6, -1.0f}); in.EnQue(a); "
           "a = "
           "in.DeQue<float>();\n" +
           kMake + "Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 56); in.FreeTensor(a);" + kOut,
       ""},
      {"PadWithoutValues",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x, {1, 200, 0, 0, 0}, {false, 0, 0, 0}); in.EnQue(a); a = "
           "in.DeQue<float>();\n" +
           kMake + "Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 56); in.FreeTensor(a);" + kOut,
       ""},
      {"PadRows",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x, {5, 36, 4, 0, 0}, {true, 0, 7, 0.0f}); in.EnQue(a); a "
           "= "
           "in.DeQue<float>();\n" +
           kMake +
           "Duplicate(o, 0.0f, 256); Adds(o, a, 1.0f, 80); out.EnQue(o); o = out.DeQue<float>(); "
           "DataCopyPad(z, o, {5, 36, 0, 28, 0}); out.FreeTensor(o); in.FreeTensor(a);",
       ""},
      {"CopyInsideUb", through("DataCopy(t, a, 256); Adds(o, t, 1.0f, 256);"), ""},
      {"UnalignedGlobalOffsets",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x[3], {1, 44, 0, 0, 0}, {false, 0, 0, 0}); in.EnQue(a); a "
           "= "
           "in.DeQue<float>();\n" +
           kMake +
           "Adds(o, a, 1.0f, 11); out.EnQue(o); o = out.DeQue<float>(); DataCopyPad(z[5], o, {1, 44, "
           "0, 0, 0}); out.FreeTensor(o); in.FreeTensor(a);",
       ""},
  };
}

std::vector<Body> vectors() {
  return {
      {"Binary",
       through(
           "Adds(o, a, 3.0f, 256); Sub(t, o, a, 256); Mul(o, o, t, 256); Div(t, o, a, 256); Max(o, o, t, 256); Min(t, "
           "t, a, 256); Sub(o, o, t, 256);"),
       ""},
      {"MaskAndRepeat",
       through("Mul(o, a, a, 64, 4, {1, 1, 1, 8, 8, 8}); uint64_t m[2] = {0x5555555555555555ULL, 0}; Adds(o, a, "
               "1.0f, m, 4, {1, 1, 8, 8});"),
       ""},
      {"CounterMode",
       through("SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(256); Adds<float, false>(o, a, 2.0f, "
               "MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); SetMaskNorm(); ResetMask();"),
       ""},
      {"BlockStrideZeroBroadcasts", through("Add(o, a, a, 64, 4, {1, 1, 0, 8, 8, 0});"), ""},
      {"Unary",
       through(
           "Abs(o, a, 256); Exp(t, a, 64); Ln(o, o, 256); Sqrt(o, o, 256); Rsqrt(t, a, 256); Reciprocal(t, t, 256); "
           "Relu(t, t, 256); Add(o, t, a, 256);"),
       ""},
      {"Scalars",
       through(
           "Adds(o, a, 1.0f, 256); Muls(o, o, 2.0f, 256); Maxs(o, o, 3.0f, 256); Mins(o, o, 90.0f, 256); LeakyRelu(o, "
           "o, 0.1f, 256); Axpy(o, a, 0.5f, 256);"),
       ""},
      {"Casts",
       through("auto h = t.ReinterpretCast<half>(); auto n = t[512].ReinterpretCast<int32_t>(); Cast(h, a, "
               "RoundMode::CAST_RINT, "
               "256); Cast(o, h, RoundMode::CAST_NONE, 256); Cast(n, o, RoundMode::CAST_FLOOR, 256); Cast(o, n, "
               "RoundMode::CAST_NONE, 256);"),
       ""},
      {"Integers",
       through("auto n = t.ReinterpretCast<int32_t>(); Cast(n, a, RoundMode::CAST_RINT, 256); Add(n, n, n, 256); "
               "ShiftRight(n, n, (int32_t)1, 256); Cast(o, n, RoundMode::CAST_NONE, 256);"),
       ""},
      {"CompareSelect",
       through("auto m = t.ReinterpretCast<uint8_t>(); CompareScalar(m, a, 100.0f, CMPMODE::GT, 256); Select(o, m, "
               "a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 256);"),
       ""},
      {"ReduceSum", through("ReduceSum(t, a, t[512], 256); float s = t.GetValue(0); Duplicate(o, s, 256);"), ""},
      {"ReduceMaxWithIndex", through("ReduceMax(t, a, t[512], 256, true); Duplicate(o, t.GetValue(0), 256);"), ""},
      {"WholeReduce", through("Duplicate(o, 0.0f, 256); WholeReduceSum(t, a, 64, 4, 1, 1, 8); Adds(o, t, 1.0f, 4);"),
       ""},
      {"BlockReduce", through("Duplicate(o, 0.0f, 256); BlockReduceSum(t, a, 4, 64, 1, 1, 8); Adds(o, t, 1.0f, 32);"),
       ""},
      {"Library",
       through("Sigmoid(o, a, 256); Tanh(t, a, 256); Add(o, o, t, 256); Gelu(t, a, 256); Add(o, o, t, 256);"), ""},
      {"SoftmaxByHand",
       through("ReduceMax(t, a, t[512], 256); Adds(o, a, -t.GetValue(0), 256); Exp(o, o, 256); ReduceSum(t, o, t[512], "
               "256); Muls(o, "
               "o, 1.0f / t.GetValue(0), 256);"),
       ""},
  };
}

}  // namespace

const std::vector<Body>& right_bodies() {
  static const std::vector<Body> all =
      kg::testing::joined({unordered_and_unset(), shared_and_rounded(), flags(), queues(), through_global_memory(),
                           scalars(), copies(), vectors()});
  return all;
}

}  // namespace kg::npu::testing
