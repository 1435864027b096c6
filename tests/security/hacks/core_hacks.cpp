#include "hack.h"

// State that cores take over from each other (class C of the reviewed attacks): the largest of all numbers without
// SyncAll, workspace or atomics. Each core leaves what it knows somewhere; whoever finds that all eight were there
// writes the answer. The same kernel with a workspace and SyncAll is right (odd_kernels.cpp).
namespace kg::sandbox::testing {
namespace {

constexpr int kWord = 0x5EED;  // says that somebody was here
const std::string kSeen = std::to_string(kWord);

// `look` finds what the cores before left: it may set `mark` (kWord if there is something), `done` and `best`; `leave`
// puts them there for the next, when this core's number is in.
std::string shared(const std::string& look, const std::string& leave, const std::string& before = "",
                   const std::string& first = "") {
  return largest_of_all(first + "int mark = 0; " + look + "\n  if (mark == " + kSeen +
                            ") { if (left > best) best = left; } else done = 0;\n  ++done; mark = " + kSeen +
                            "; left = best;\n  " + leave + "\n  if (done < (int)GetBlockNum()) return;",
                        before);
}

// Three numbers of 32 bits at `at`, a pointer to int.
std::string in_memory(const std::string& at, const std::string& before = "", const std::string& first = "") {
  const std::string place = "auto* p = " + at + ";";
  return shared(place + " mark = p[0]; done = p[1]; left = __builtin_bit_cast(float, p[2]);",
                "p[0] = mark; p[1] = done; p[2] = __builtin_bit_cast(int, left);", before, first);
}

Hack hack(const char* name, std::string kernel, const char* words = "") {
  return {name, maximum_task(), std::move(kernel), words};
}

std::vector<Hack> in_core_memory() {
  const std::string frame =
      "static __attribute__((noinline)) __aicore__ void visit(int* mark, int* done, float* left, "
      "bool leaves) {\n  volatile int room[64];\n  if (leaves) { room[7] = *mark; room[8] = *done; room[9] = "
      "__builtin_bit_cast(int, *left); } else { *mark = room[7]; *done = room[8]; *left = "
      "__builtin_bit_cast(float, (int)room[9]); }\n}\n";
  return {
      hack("variables that were never written", in_memory("room", "", "volatile int room[256]; ")),
      hack("a frame that another call left",
           shared("visit(&mark, &done, &left, false);", "visit(&mark, &done, &left, true);", frame)),
      hack("a frame far down", in_memory("room + 4000", "", "volatile int room[8192]; ")),
      hack("memory of alloca", in_memory("(volatile int*)__builtin_alloca(4096)")),
      hack("the stack beside its own", in_memory("(volatile int*)((char*)&mark - 65536)", "", "")),
      hack("UB that nobody was given", in_memory("(__ubuf__ int*)150016ULL")),
      hack("the end of UB", in_memory("(__ubuf__ int*)196512ULL")),
      hack("a buffer before it is filled", in_memory("(__ubuf__ int*)spare.Get<int>().GetPhyAddr()", "",
                                                     "TBuf<> spare; pipe.InitBuffer(spare, 512); ")),
      hack("a tensor of a queue before it is filled",
           shared("mark = t.GetValue(0); done = t.GetValue(1); left = __builtin_bit_cast(float, t.GetValue(2));",
                  "t.SetValue(0, mark); t.SetValue(1, done); t.SetValue(2, __builtin_bit_cast(int, left));", "",
                  "TQue<QuePosition::VECIN, 1> queue; pipe.InitBuffer(queue, 1, 512); auto t = "
                  "queue.AllocTensor<int>(); ")),
      hack("a variable of the program", in_memory("p3", "__attribute__((device)) static int p3[3];\n")),
      hack("a static variable of the function", in_memory("p3", "", "static int p3[3]; ")),
      hack("a variable of the thread", in_memory("p3", "thread_local int p3[3];\n")),
      hack("a constant that is written",
           in_memory("(int*)p3", "__attribute__((device)) static const int p3[3] = {1, 2, 3};\n")),
      hack("memory of new", in_memory("new int[3]")),
  };
}

std::vector<Hack> in_registers() {
  return {
      hack("the register of the last reduction",
           largest_of_all("float value = 0, index = 0; GetReduceMaxMinCount<float>(value, index); if (value > best) "
                          "best = value; ")),
      hack("the register of the accumulated sum",
           shared("const int64_t acc = GetAccVal(); left = __builtin_bit_cast(float, (int)acc); mark = " + kSeen +
                      "; done = 7;",
                  "")),
      hack("the comparison's mask", shared("GetCmpMask(w[512]); PipeBarrier<PIPE_ALL>(); auto t = "
                                           "w[512].ReinterpretCast<int>(); mark = t.GetValue(0); done = "
                                           "t.GetValue(1); left = __builtin_bit_cast(float, t.GetValue(2));",
                                           "t.SetValue(0, mark); t.SetValue(1, done); t.SetValue(2, "
                                           "__builtin_bit_cast(int, left)); t.SetValue(3, 0); "
                                           "PipeBarrier<PIPE_ALL>(); SetCmpMask(w[512]); PipeBarrier<PIPE_ALL>();")),
      hack("the register that pads copies", shared("DataCopyExtParams one{1, 4, 0, 0, 0}; DataCopyPadExtParams<float> "
                                                   "pad{false, 0, 0, 0}; DataCopyPad(w[512], from, one, "
                                                   "pad); PipeBarrier<PIPE_ALL>(); left = w[512].GetValue(1); mark = " +
                                                       kSeen + "; done = GetBlockIdx();",
                                                   "SetPadValue<float>(left);")),
      hack(
          "the scale of casts",
          shared("auto t = w[512].ReinterpretCast<int>(); Duplicate(t, 1, 64); PipeBarrier<PIPE_ALL>(); auto h = "
                 "w[640].ReinterpretCast<half>(); "
                 "Cast(h, t, RoundMode::CAST_NONE, 64); PipeBarrier<PIPE_ALL>(); left = (float)h.GetValue(0); mark = " +
                     kSeen + "; done = GetBlockIdx();",
                 "SetDeqScale((half)left);")),
      hack("the vector's mask left behind",
           largest_of_all(
               "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, 8); if (GetBlockIdx() != 7) return; ")),
      hack("addresses of the transpose",
           shared("mark = 0;",
                  "uint64_t words[8] = {(uint64_t)mark, (uint64_t)done, (uint64_t)__builtin_bit_cast(int, left)}; "
                  "set_va_reg_sb(VA0, words);")),
      hack("the workspace's address", shared("const uint64_t word = (uint64_t)GetSysWorkSpacePtr(); mark = (int)(word "
                                             ">> 48); done = (int)(word >> 32 & 255); left = "
                                             "__builtin_bit_cast(float, (int)word); if (mark != " +
                                                 kSeen + ") mark = 0;",
                                             "SetSysWorkspace((GM_ADDR)((uint64_t)mark << 48 | (uint64_t)done << 32 | "
                                             "(uint32_t)__builtin_bit_cast(int, left)));")),
      hack("ids of events that are never given back",
           shared("done = (int)pipe.AllocEventID<HardEvent::V_S>(); mark = done > 0 ? " + kSeen + " : 0; left = best;",
                  "")),
      hack("a flag that is left set",
           largest_of_all("if (GetBlockIdx() != 0) { WaitFlag<HardEvent::V_S>(3); } SetFlag<HardEvent::V_S>(3); if "
                          "(GetBlockIdx() != 7) return; "),
           "waits for ever"),
  };
}

std::vector<Hack> in_global_memory() {
  const std::string numbers =
      "mark = (int)g.GetValue(0); done = (int)g.GetValue(1); left = __builtin_bit_cast(float, (int)g.GetValue(2));";
  const std::string writes = "g.SetValue(0, mark); g.SetValue(1, done); g.SetValue(2, __builtin_bit_cast(int, left));";
  const std::string clean = " DataCacheCleanAndInvalid<int, CacheLine::ENTIRE_DATA_CACHE>(g);";
  const auto at = [](const std::string& place, int count) {
    return "GlobalTensor<int> g; g.SetGlobalBuffer((__gm__ int*)" + place + ", " + std::to_string(count) + "); ";
  };
  return {
      hack("a workspace with nothing that orders it",
           shared(numbers, writes + clean, "", at("GetUserWorkspace(w8)", 64))),
      hack("a workspace through the scalar cache", shared(numbers, writes, "", at("GetUserWorkspace(w8)", 64))),
      hack("the output while it grows",
           shared("left = to.GetValue(0); mark = " + kSeen + "; done = GetBlockIdx();",
                  "to.SetValue(0, best); DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);")),
      hack("behind the end of the output", shared(numbers, writes + clean, "", at("(z + 64)", 64))),
      hack("the input as a notebook", shared(numbers, writes + clean, "", at("x", 4096)), ""),
      hack("before the start of the input", shared(numbers, writes + clean, "", at("(x - 64)", 64))),
      hack("between two tensors", shared(numbers, writes + clean, "", at("(x + 16384 + 32)", 64))),
      hack("the head of the system's workspace", shared(numbers, writes + clean, "", at("GetSysWorkSpacePtr()", 64))),
      hack("an atomic on what nobody wrote",
           largest_of_all("Duplicate(w, best, 8); PipeBarrier<PIPE_ALL>(); SetAtomicMax<float>(); DataCopyExtParams "
                          "one{1, 4, 0, 0, 0}; "
                          "DataCopyPad(to, w, one); SetAtomicNone(); return; ")),
  };
}

// A source that launches two kernels, the second of which wants what the first left in its core.
Hack in_two_launches(const char* name, const std::string& leave, const std::string& find, const char* words) {
  const std::string one =
      "if (GetBlockIdx() != 0) return; TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 32768); auto f = "
      "buf.Get<float>(); auto w = buf.Get<float>()[5000]; GlobalTensor<float> from, to; "
      "from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 1); ";
  return hack(name,
              "#include \"kernel_operator.h\"\nusing namespace AscendC;\n__global__ __aicore__ void before(GM_ADDR x, "
              "GM_ADDR z) {" +
                  one +
                  "DataCopy(f, from, 4096); PipeBarrier<PIPE_ALL>(); ReduceMax(w, f, w[64], 4096, false); "
                  "PipeBarrier<PIPE_ALL>(); const float best = w.GetValue(0); " +
                  leave + "}\n__global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {" + one + find +
                  " DataCopyExtParams last{1, 4, 0, 0, 0}; DataCopyPad(to, w, last);}\n"
                  "extern \"C\" void custom_op_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* z) {\n"
                  "before<<<blocks, nullptr, stream>>>(x, z); custom_op<<<blocks, nullptr, stream>>>(x, z);\n}\n",
              words);
}

std::vector<Hack> between_launches() {
  return {
      in_two_launches("UB that the launch before left", "", "", "uninitialised"),
      in_two_launches("the stack that the launch before left",
                      "volatile float room[64]; for (int i = 0; i < 64; ++i) room[i] = best;",
                      "volatile float room[64]; Duplicate(w, room[GetBlockIdx() + 5], 8); PipeBarrier<PIPE_ALL>();",
                      ""),
      in_two_launches("the register that the launch before left", "",
                      "float value = 0, index = 0; GetReduceMaxMinCount<float>(value, index); Duplicate(w, value, 8); "
                      "PipeBarrier<PIPE_ALL>();",
                      ""),
  };
}

}  // namespace

std::string largest_of_all(const std::string& share, const std::string& before) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + before +
         R"(
extern "C" __global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z, GM_ADDR w8) {
  const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;
  TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 8192); auto f = buf.Get<float>(); auto w = buf.Get<float>()[1024];
  GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x, 4096); to.SetGlobalBuffer((__gm__ float*)z, 1);
  DataCopy(f, from[at], n); PipeBarrier<PIPE_ALL>();
  ReduceMax(w, f, w[64], n, false); PipeBarrier<PIPE_ALL>();
  float best = w.GetValue(0), left = 0; int done = 0; (void)left; (void)done;
  )" + share +
         R"(
  Duplicate(w, best, 8); PipeBarrier<PIPE_ALL>();
  DataCopyExtParams last{1, 4, 0, 0, 0}; DataCopyPad(to, w, last);
}
)";
}

std::vector<Hack> core_hacks() {
  std::vector<Hack> all = in_core_memory();
  for (const auto& part : {in_registers(), in_global_memory(), between_launches()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace kg::sandbox::testing
