// At least five wrong kernels for each class of fault, with the class and the line that must be named.

#include "ascendc_wrong_bodies.h"

namespace kg::npu::testing {
namespace {

const std::string kInit = "pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(out, 1, 1024); pipe.InitBuffer(buf, 4096);\n";
// Puts the tensor o, filled, into z.
const std::string kOut = "out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o);\n";
const std::string kLoad =
    "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();\n";  // tensor a
const std::string kMake = "auto o = out.AllocTensor<float>(); ";

}  // namespace

const std::vector<Body>& wrong_queues() {
  static const std::vector<Body> bodies{
      {"DeQueOnEmpty", kInit + "auto a = in.DeQue<float>();", "queue:2"},
      {"DeQueAfterAllocOnly", kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 256);\na = in.DeQue<float>();",
       "queue:3"},
      {"DeQueTwice", kInit + kLoad + "auto b = in.DeQue<float>();", "queue:3"},
      {"EnQueBeyondDepth",
       "pipe.InitBuffer(in, 2, 1024);\nauto a = in.AllocTensor<float>(); in.EnQue(a);\nauto b = "
       "in.AllocTensor<float>();\nin.EnQue(b);",
       "queue:4"},
      {"AllocWithoutFreeBuffer", kInit + "auto a = in.AllocTensor<float>();\nauto b = in.AllocTensor<float>();",
       "queue:3"},
      {"AllocInALoopWithoutFree",
       "pipe.InitBuffer(in, 2, 1024);\nfor (int i = 0; i < 4; ++i) {\nauto a = in.AllocTensor<float>();\nDataCopy(a, "
       "x[i * 256], 256); in.EnQue(a); a = in.DeQue<float>(); }",
       "queue:3"},
      {"DoubleFree", kInit + kLoad + "in.FreeTensor(a);\nin.FreeTensor(a);", "queue:4"},
      {"FreeOfQueuedTensor", kInit + "auto a = in.AllocTensor<float>(); in.EnQue(a);\nin.FreeTensor(a);", "queue:3"},
      {"EnQueTwice", "pipe.InitBuffer(in, 2, 1024);\nauto a = in.AllocTensor<float>(); in.EnQue(a);\nin.EnQue(a);",
       "queue:3"},
      {"EnQueAfterFree", kInit + kLoad + "in.FreeTensor(a);\nin.EnQue(a);", "queue:4"},
      {"EnQueOfAnOldHandle", kInit + kLoad + "in.FreeTensor(a); auto b = in.AllocTensor<float>();\nin.EnQue(a);",
       "queue:4"},
      {"EnQueOfATBufTensor", kInit + "auto a = buf.Get<float>();\nin.EnQue(a);", "queue:3"},
      {"EnQueOnAnotherQueue", kInit + "auto a = in.AllocTensor<float>();\nout.EnQue(a);", "queue:3"},
      {"FreeOnAnotherQueue", kInit + kLoad + "out.FreeTensor(a);", "queue:3"},
      {"FreeOnAnotherQueueBetweenTheSamePipes",
       "TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 1024);\n" + kInit + kLoad +
           "q.FreeTensor(a);\nauto b = in.AllocTensor<float>(); DataCopy(b, y, 256); in.EnQue(b); b = "
           "in.DeQue<float>(); in.FreeTensor(b);",
       "~queue:4"},
      {"UseAfterFree", kInit + kMake + "Duplicate(o, 1.0f, 256); out.FreeTensor(o);\nAdds(o, o, 1.0f, 256);",
       "~queue:3"},
      {"CopyIntoFreed", kInit + kLoad + "in.FreeTensor(a);\nDataCopy(a, y, 256);", "~queue:4"},
      {"UseOfWhatSomebodyElseHasNow",
       kInit + kLoad + "in.FreeTensor(a); auto b = in.AllocTensor<float>();\nAdds(a, a, 1.0f, 256);", "queue:4"},
      {"UseAfterFreeRacesWithTheNextLoad",
       kInit + kLoad + kMake +
           "in.FreeTensor(a);\nAdds(o, a, 1.0f, 256); auto b = in.AllocTensor<float>();\nDataCopy(b, y, 256);\n" + kOut,
       "synchronisation:5 ~queue:4"},
      {"DeQueOfOtherPositions",
       "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 1, 1024);\nauto a = "
       "q.AllocTensor<float>(); DataCopy(a, x, 256); q.EnQue<TPosition::GM, TPosition::VECIN, float>(a);\na = "
       "q.DeQue<TPosition::VECOUT, TPosition::GM, float>();",
       "queue:3"},
      {"DeQueOfOtherPositionsThanTheQueues",
       "pipe.InitBuffer(in, 1, 1024); auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a);\na = "
       "in.DeQue<TPosition::VECOUT, TPosition::GM, float>();",
       "queue:2"},
      {"NoInitBuffer", "auto a = in.AllocTensor<float>();", "queue:1"},
      {"TooManyBuffers", "pipe.InitBuffer(in, 60, 32);\npipe.InitBuffer(out, 5, 32);", "queue:2"},
      {"NineLiveTensors",
       "TQue<QuePosition::VECIN, 9> q; pipe.InitBuffer(q, 9, 32);\nfor (int i = 0; i < 9; ++i)\nauto a = "
       "q.AllocTensor<float>();",
       "queue:3"},
  };
  return bodies;
}

const std::vector<Body>& wrong_buffers() {
  static const std::vector<Body> bodies{
      {"InitBufferOverflow", "pipe.InitBuffer(buf, 196609);", "ub:1"},
      {"BuffersTogetherOverflow", "pipe.InitBuffer(in, 2, 65536);\npipe.InitBuffer(out, 1, 65568);", "ub:2"},
      {"VectorBeyondTensor", kInit + "auto a = buf.Get<float>();\nDuplicate(a, 1.0f, 1100);", "~ub:3"},
      {"SliceBeyondTensor",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 1024);\nAdds(a[960], a[960], 1.0f, 128);", "~ub:3"},
      {"SliceStartsBehindTensor", kInit + "auto a = out.AllocTensor<float>();\nDuplicate(a[264], 1.0f, 8);", "ub:3"},
      {"NegativeOffset", kInit + "auto a = buf.Get<float>(); int before = -8;\nDuplicate(a[before], 1.0f, 8);", "ub:3"},
      {"HugeOffsetDoesNotWrap", kInit + "auto a = buf.Get<float>();\nDuplicate(a[0x40000000u], 1.0f, 8);", "ub:3"},
      {"MaskFormBeyondTensor", kInit + "auto a = out.AllocTensor<float>();\nDuplicate(a, 1.0f, 64, 5, 1, 8);", "ub:3"},
      {"StridesBeyondTensor",
       kInit + "auto a = out.AllocTensor<float>(); Duplicate(a, 1.0f, 256);\nAdds(a, a, 1.0f, 64, 2, {1, 1, 32, 8});",
       "ub:3"},
      {"MisalignedVector", kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 64);\nMuls(a[3], a[3], 2.0f, 8);",
       "ub:3"},
      {"MisalignedCopy", kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a[4], x, 64);", "ub:3"},
      {"CopyLargerThanTensor", kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 264);", "ub:3"},
      {"PadCopyLargerThanTensor",
       kInit + "auto a = in.AllocTensor<float>();\nDataCopyPad(a, x, {16, 68, 0, 0, 0}, {false, 0, 0, 0});", "ub:3"},
      {"StoreReadsBeyondTensor",
       kInit + kMake + "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 512);", "ub:3"},
      {"GetValueBeyondTensor", kInit + kLoad + "float v = a.GetValue(256); (void)v;", "ub:3"},
      {"SetValueBeyondTensor", kInit + kMake + "\no.SetValue(300, 1.0f);", "ub:3"},
      {"GetBeyondBuffer", kInit + "auto a = buf.Get<float>(2048);", "~ub:2"},
      {"UsesWhatItGotBeyondItsBuffer",
       "pipe.InitBuffer(buf, 4096); pipe.InitBuffer(in, 1, 1024); auto a = buf.Get<float>(2048);\nDuplicate(a, 1.0f, "
       "2048);",
       "ub:2"},
      {"SetSizeDoesNotMakeRoom",
       kInit + "auto a = out.AllocTensor<float>(); a.SetSize(1024);\nDuplicate(a, 1.0f, 1024);", "ub:3"},
      {"PartialOverlap", kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 256);\nAdds(a[8], a, 1.0f, 64);",
       "ub:3"},
      {"RepeatReadsWhatTheOneBeforeWrote",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 512);\nAdds(a[64], a, 1.0f, 256);", "ub:3"},
  };
  return bodies;
}

const std::vector<Body>& wrong_memory() {
  static const std::vector<Body> bodies{
      {"NeverAllocated", kInit + "LocalTensor<float> a;\nDuplicate(a, 1.0f, 8);", "memory:3"},
      {"CountTooSmall",
       kInit + kMake + "Duplicate(o, 1.0f, 128);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);",
       "memory:4"},
      {"CopyTooShort",
       kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, x, 248); in.EnQue(a); a = in.DeQue<float>();\n" + kMake +
           "Adds(o, a, 1.0f, 256);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);",
       "memory:5"},
      {"ThroughAnOperand",
       kInit + kLoad + kMake +
           "auto b = buf.Get<float>(); Add(o, a, b, 256);\nout.EnQue(o); o = "
           "out.DeQue<float>();\nDataCopy(z, o, 256);",
       "memory:5"},
      {"ThroughAReduction",
       kInit + kLoad + "auto b = buf.Get<float>(); Duplicate(b, 0.0f, 200);\n" + kMake +
           "Duplicate(o, 0.0f, 256); ReduceSum(o, b, b[512], 256);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, "
           "o, 8);",
       "memory:6"},
      {"AccumulatorNotZeroed",
       kInit + kLoad + kMake + "Axpy(o, a, 2.0f, 256);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);",
       "memory:5"},
      {"WorkspaceReadBeforeWritten",
       kInit + "auto a = in.AllocTensor<float>(); DataCopy(a, w, 256); in.EnQue(a); a = in.DeQue<float>();\n" + kMake +
           "Adds(o, a, 1.0f, 256);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);",
       "memory:5"},
      {"PadLanesReachTheOutput",
       kInit +
           "auto a = in.AllocTensor<float>(); DataCopyPad(a, x, {1, 20, 0, 0, 0}, {false, 0, 1, 0.0f}); in.EnQue(a); a "
           "= in.DeQue<float>();\n" +
           kMake + "Adds(o, a, 1.0f, 8);\nout.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 8);",
       "memory:5"},
      {"AtomicOnUnwrittenOutput",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nSetAtomicAdd<float>();\nDataCopy(z, "
           "o, 256);\nSetAtomicNone();",
       "memory:4"},
      {"GetValueDecidesABranch",
       kInit + kMake +
           "auto b = buf.Get<float>(); Duplicate(o, 0.0f, 256);\nif (b.GetValue(0) > 0)\nDuplicate(o, 1.0f, "
           "256);\n" +
           kOut,
       "memory:3"},
      {"GetValueIsAnAddress",
       kInit + "auto b = buf.Get<int32_t>(); auto f = buf.Get<float>();\nint at = b.GetValue(0) & 1023;\n" + kMake +
           "Duplicate(o, x.GetValue(at), 256);\n" + kOut,
       "memory:3"},
      {"GetValueIsAScalarOperand",
       kInit + kMake + "Duplicate(o, 0.0f, 256); auto b = buf.Get<float>();\nAdds(o, o, b.GetValue(5), 256);\n" + kOut,
       "memory:3"},
      {"WorkspaceGetValueIsALoopBound",
       kInit + kMake +
           "Duplicate(o, 0.0f, 256); w.SetValue(64, 0.0f);\nfor (int i = 0; i < (w.GetValue(0) > 0 ? 4 : 2); "
           "++i)\nAdds(o, o, 1.0f, 256);\n" +
           kOut,
       "memory:3"},
  };
  return bodies;
}

const std::vector<Body>& wrong_order() {
  static const std::vector<Body> bodies{
      {"ComputeBeforeLoadArrives",
       kInit + "auto a = in.AllocTensor<float>(); " + kMake + "\nDataCopy(a, x, 256);\nAdds(o, a, 1.0f, 256);\n" + kOut,
       "synchronisation:4"},
      {"StoreBeforeComputeEnds", kInit + kMake + "\nDuplicate(o, 1.0f, 256);\nDataCopy(z, o, 256);",
       "synchronisation:4"},
      {"NextLoadBeforeComputeHasRead",
       kInit + "auto a = buf.Get<float>();" + kMake +
           "DataCopy(a, x, 256); SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);\nAdds(o, a, 1.0f, "
           "256);\nDataCopy(a, y, 256);\n" +
           kOut,
       "synchronisation:4"},
      {"NextComputeBeforeStoreHasRead",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, "
           "256);\nDuplicate(o, 2.0f, 256);",
       "synchronisation:4"},
      {"LoadOverwritesWhatIsStored",
       kInit + "auto a = buf.Get<float>();\nDataCopy(a, x, 256); SetFlag<HardEvent::MTE2_MTE3>(0); "
               "WaitFlag<HardEvent::MTE2_MTE3>(0);\nDataCopy(z, a, 256);\nDataCopy(a, y, 256);",
       "synchronisation:5"},
      {"TwoLoadsToOnePlace",
       kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 256);\nDataCopy(a, y, "
               "256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);",
       "synchronisation:4"},
      {"TwoLoadsOfTheSame",
       kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, 256);\nDataCopy(a, x, "
               "256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);",
       "~synchronisation:4"},
      {"FillsWithTheSameWhatIsStored",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);\nDuplicate(o, 1.0f, "
           "256);",
       "~synchronisation:4"},
      {"FillsTwiceAndStoresTooEarly",
       kInit + kMake + "Duplicate(o, 1.0f, 256);\nDuplicate(o, 1.0f, 256);\nDataCopy(z, o, 256);", "synchronisation:4"},
      {"WritesTheSameAndThenAnotherOverWhatIsStored",
       kInit + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nDataCopy(z, o, 256);\nAdds(o, o, 0.0f, "
           "256);\nMuls(o, o, 2.0f, 256);",
       "synchronisation:4 synchronisation:5"},
      {"WaitWithoutSet", "WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);", "synchronisation:1"},
      {"WaitForAnotherId", "SetFlag<HardEvent::MTE2_V>(0);\nWaitFlag<HardEvent::MTE2_V>(1);", "synchronisation:2"},
      {"WaitForTheOppositeEvent", "SetFlag<HardEvent::MTE2_V>(0);\nWaitFlag<HardEvent::V_MTE2>(0);",
       "synchronisation:2"},
      {"WaitTwiceForOneSet",
       "SetFlag<HardEvent::MTE3_V>(2);\nWaitFlag<HardEvent::MTE3_V>(2);\nWaitFlag<HardEvent::MTE3_V>(2);",
       "synchronisation:3"},
      {"SetTwice", "SetFlag<HardEvent::V_MTE3>(1);\nSetFlag<HardEvent::V_MTE3>(1);\nWaitFlag<HardEvent::V_MTE3>(1);",
       "synchronisation:2"},
      {"EventIdBeyondSeven", "SetFlag<HardEvent::V_MTE3>(8);", "synchronisation:1"},
      {"FlagOfTheWrongPipes",
       kInit +
           "auto a = buf.Get<float>();\nDataCopy(a, x, 256); SetFlag<HardEvent::MTE2_MTE3>(0); "
           "WaitFlag<HardEvent::MTE2_MTE3>(0);\nAdds(a, a, 1.0f, 256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);",
       "synchronisation:4"},
      {"FlagSetBeforeTheCopy",
       kInit + "auto a = buf.Get<float>();\nSetFlag<HardEvent::MTE2_V>(0); DataCopy(a, x, 256); "
               "WaitFlag<HardEvent::MTE2_V>(0);\nAdds(a, a, 1.0f, 256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);",
       "synchronisation:4"},
      {"BarrierOfTheWrongPipe",
       kInit + "auto a = buf.Get<float>();\nDataCopy(a, x, 256); PipeBarrier<PIPE_V>();\nAdds(a, a, 1.0f, "
               "256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256);",
       "synchronisation:4"},
      {"ReadsBackWhatItStores",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 512); PipeBarrier<PIPE_ALL>();\nDataCopy(w, a, "
               "256);\nDataCopy(a[512], w, 256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z, a[512], 256);",
       "synchronisation:4"},
      {"StoresTwiceToOnePlace",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 256); Duplicate(a[256], 2.0f, 256); "
               "PipeBarrier<PIPE_ALL>();\nDataCopy(z, a, 256);\nDataCopy(z, a[256], 256);",
       "synchronisation:4"},
      {"SyncAllNotOnEveryCore", "if (GetBlockIdx() != 2)\n  SyncAll();", "synchronisation:2", 4},
      {"SyncAllMoreOftenOnOneCore", "SyncAll();\nif (GetBlockIdx() == 1)\n  SyncAll();", "synchronisation:3", 4},
      {"SyncAllBeyondTheCores", "\nSyncAll();", "synchronisation:2", 49},
  };
  return bodies;
}

const std::vector<Body>& wrong_global() {
  // A tensor of this core's number, stored.
  const std::string mine = kInit + kMake +
                           "Duplicate(o, (float)GetBlockIdx() + 1, 256); out.EnQue(o); o = "
                           "out.DeQue<float>();\n";
  static const std::vector<Body> bodies{
      {"ReadOutOfBounds", kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x[4096 + 128], 256);", "gm:3"},
      {"ReadBeforeTheStart", kInit + "auto a = in.AllocTensor<float>(); int at = -64;\nDataCopy(a, x[at], 64);",
       "gm:3"},
      {"WriteOutOfBounds", mine + "DataCopy(z[8192], o, 256);", "gm:3"},
      {"StridedReadOutOfBounds",
       kInit + "auto a = in.AllocTensor<float>();\nDataCopy(a, x, DataCopyParams{8, 2, 80, 0});", "gm:3"},
      {"PadWriteOutOfBounds", mine + "DataCopyPad(z[4096 - 8], o, {4, 128, 0, 512, 0});", "gm:3"},
      {"ScalarReadOutOfBounds", "float v = x.GetValue(100000);\nz.SetValue(0, v);", "gm:1"},
      {"ScalarWriteOutOfBounds", "\nz.SetValue(100000, 1.0f);", "gm:2"},
      {"CoresOverwriteEachOther", mine + "DataCopy(z, o, 256);", "gm:3", 4},
      {"RangesOverlapByAPart", mine + "DataCopy(z[GetBlockIdx() * 248], o, 256);", "gm:3", 4},
      {"ReadsWhatAnotherCoreWrites",
       mine + "DataCopy(w[GetBlockIdx() * 256], o, 256); PipeBarrier<PIPE_ALL>();\nauto a = in.AllocTensor<float>();\n"
              "DataCopy(a, w[(GetBlockIdx() + 1) % 4 * 256], 256);\nPipeBarrier<PIPE_ALL>(); DataCopy(z[GetBlockIdx() "
              "* 256], a, 256);",
       "gm:5", 4},
      {"WritesWhatAnotherCoreReads",
       mine + "auto a = in.AllocTensor<float>(); if (GetBlockIdx() == 0) DataCopy(a, x, 256);\nif (GetBlockIdx() == "
              "1)\nDataCopy(x, o, 256);\nif (GetBlockIdx() == 0) { in.EnQue(a); a = in.DeQue<float>(); "
              "PipeBarrier<PIPE_ALL>(); DataCopy(z, a, 256); }",
       "gm:5", 2},
      {"AddsToWhatAnotherCoreWrites",
       mine +
           "if (GetBlockIdx() == 0) DataCopy(z, o, 256);\nSetAtomicAdd<float>(); if (GetBlockIdx() != 0)\nDataCopy(z, "
           "o, 256);\nSetAtomicNone();",
       "gm:5", 3},
      {"ZeroesAfterOthersHaveAdded",
       kInit + kMake +
           "Duplicate(o, GetBlockIdx() == 1 ? 0.0f : 1.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nif "
           "(GetBlockIdx() != 1) SetAtomicAdd<float>();\nDataCopy(z, o, 256);\nSetAtomicNone();",
       "gm:4", 2},
  };
  return bodies;
}

const std::vector<Body>& wrong_caches() {
  static const std::vector<Body> bodies{
      {"CoresShareALine", "if (GetBlockIdx() < 4)\nz.SetValue(GetBlockIdx(), 1.0f + GetBlockIdx());", "cache:2", 4},
      {"RangesMeetInsideALine", "for (int i = 0; i < 24; ++i)\nz.SetValue(GetBlockIdx() * 24 + i, 1.0f * i + 1);",
       "cache:2", 2},
      {"CopySharesALineWithSetValue",
       kInit + kMake +
           "Duplicate(o, 3.0f, 256); out.EnQue(o); o = out.DeQue<float>();\nif (GetBlockIdx() == 0) "
           "DataCopy(z, o, 8);\nif (GetBlockIdx() == 1)\nz.SetValue(9, 1.0f);",
       "cache:5", 2},
      {"CopyReadsBeforeTheCacheIsWritten",
       kInit + "w.SetValue(0, 1.0f);\nauto a = in.AllocTensor<float>();\nDataCopy(a, w, 64);", "cache:4"},
      {"OtherCoreReadsBeforeTheCacheIsWritten",
       kInit + "if (GetBlockIdx() == 0) w.SetValue(0, 1.0f);\nSyncAll();\nauto a = "
               "in.AllocTensor<float>();\nDataCopy(a, w, "
               "64);",
       "cache:5", 2},
      {"GetValueAfterACopyOut",
       kInit + "float before = z.GetValue(0);\n" + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = "
           "out.DeQue<float>(); DataCopy(z, o, 256);\nPipeBarrier<PIPE_ALL>();\nz.SetValue(1000, z.GetValue(0));",
       "cache:5"},
      {"GetValueAfterAnotherCoreWrote",
       kInit + "float before = z.GetValue(0);\nSyncAll();\n" + kMake +
           "Duplicate(o, 1.0f, 256); out.EnQue(o); o = out.DeQue<float>(); if (GetBlockIdx() == 0) DataCopy(z, o, "
           "256);\nSyncAll();\nif (GetBlockIdx() == 1)\nz.SetValue(1000, z.GetValue(0));",
       "cache:7", 2},
      {"CopyOverwritesWhatTheCacheHolds",
       kInit + kMake +
           "Duplicate(o, 5.0f, 256); out.EnQue(o); o = out.DeQue<float>(); z.SetValue(3, "
           "1.0f);\nDataCopy(z, o, 256);",
       "cache:3"},
      {"LineFetchedBeforeOthersWrote",
       kInit + "if (GetBlockIdx() == 1) z.SetValue(10, 7.0f);\nSyncAll();\n" + kMake +
           "Duplicate(o, 3.0f, 256); out.EnQue(o); o = out.DeQue<float>(); if (GetBlockIdx() == 0) DataCopy(z, o, 8);",
       "cache:2", 2},
  };
  return bodies;
}

const std::vector<Body>& wrong_others() {
  static const std::vector<Body> bodies{
      {"BlockCountAboveItsLimit", kInit + "auto a = buf.Get<float>();\nDataCopy(a, x, DataCopyParams{4096, 0, 0, 0});",
       "argument:3"},
      {"BlockLenAboveItsLimit",
       kInit + "auto a = buf.Get<float>();\nDataCopyPad(z, a, DataCopyExtParams{1, 2097152, 0, 0, 0});",
       "argument:3 ub:3"},
      {"PaddingAboveItsLimit",
       kInit + "auto a = in.AllocTensor<float>();\nDataCopyPad(a, x, {1, 32, 0, 0, 0}, {true, 0, 9, 0.0f});",
       "argument:3"},
      {"DestinationBlockStrideZero",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 64);\nAdds(a[256], a, 1.0f, 64, 1, {0, 1, 8, 8});",
       "argument:3"},
      {"CompareOfPartOfARepeat",
       kInit + "auto a = buf.Get<float>(); Duplicate(a, 1.0f, 128);\nauto m = "
               "a[128].ReinterpretCast<uint8_t>();\nCompareScalar(m, a, 1.0f, CMPMODE::EQ, 100);",
       "argument:4"},
      {"NullPointer", kInit + "__gm__ float* p = nullptr;\n*(volatile __gm__ float*)p = 1;", "gm:3"},
      {"PointerBehindItsTensor",
       kInit + "auto a = buf.Get<float>();\nvolatile __ubuf__ float* p = a.GetPhyAddr() + 60000; *p = 1;", "ub:3"},
      {"GlobalPointerBehindItsTensor", kInit + "z.SetValue(0, 1.0f);\n*((volatile __gm__ float*)zg + 100000) = 1;",
       "gm:3"},
      {"DivisionByZero", "volatile int zero = 0;\nz.SetValue(0, 1.0f);\nvolatile int q = 7 / zero;", "trap:3"},
      {"StackOverflow",
       "#define DEEP(name, more) auto name = [&]() __attribute__((noinline)) { volatile float big[60000]; for (int i "
       "= 59999; i >= 0; --i) big[i] = 1; return (float)big[7] + more; };\n"
       "z.SetValue(0, 1.0f);\nDEEP(one, 0) DEEP(two, one()) DEEP(three, two())\n"
       "z.SetValue(1, three());",
       "trap:3"},
      {"Assertion", kInit + "ASSERT(GetBlockNum() == 7);", "assert:2"},
      {"AssertionInALoop", "for (int i = 0; i < 4; ++i)\n  ASSERT(i < 3);", "assert:2"},
      {"AssertionOnOneCore", "\nASSERT(GetBlockIdx() != 2);", "assert:2", 4},
      {"AssertionAboutAValue", "float first = x.GetValue(0);\nASSERT(first == 2.0f);", "assert:2"},
      {"AssertionOfTheFramework", "int tiles = GetBlockNum() - 1;\nascendc_assert(tiles > 0);", "assert:2"},
      {"AssertionWithText", kInit + "ASSERT(buf.Get<float>().GetSize() == 4096 && \"4096 elements\");", "assert:2"},
      {"EndlessComputing", kInit + "auto a = buf.Get<float>();\nfor (;;) Duplicate(a, 1.0f, 64);", "limit:3"},
      {"EndlessCopying",
       kInit + "auto a = buf.Get<float>();\nfor (;;) { DataCopy(a, x, 256); PipeBarrier<PIPE_ALL>(); }", "limit:3"},
      {"EndlessReading", "float s = 0;\nfor (int i = 0;; i = (i + 1) & 4095) s += x.GetValue(i);", "limit:2"},
      {"CountsDownPastZero",
       kInit + "auto a = buf.Get<float>();\nfor (uint32_t i = 3; i >= 0; --i) Duplicate(a, 1.0f, 8);", "limit:3"},
      {"WaitsForAValueThatNobodyWrites",
       "\nwhile (w.GetValue(0) != 1.0f) DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(w);", "limit:2"},
  };
  return bodies;
}

}  // namespace kg::npu::testing
