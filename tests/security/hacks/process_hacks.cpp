#include "hack.h"
#include "tests/joined.h"

namespace kg::sandbox::testing {
namespace {

// A source with <<<>>>: `host` is the body of the function that launches, `kernel` that of the kernel.
std::string direct(const std::string& host, const std::string& kernel = "", const std::string& before = "") {
  return "#include \"kernel_operator.h\"\n" + before +
         "using namespace AscendC;\n__global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {" + kernel +
         "}\nextern \"C\" void custom_op_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* z) {\n" + host +
         "\n}\n";
}
constexpr const char* kLaunch = "custom_op<<<blocks, nullptr, stream>>>(x, z);";

// the host function of a source that launches itself
std::vector<Hack> host_functions() {
  return {
      {"host function writes the outputs", relu_task(),
       direct(std::string(kLaunch) +
              " for (int i = 0; i < 4096; ++i) ((float*)z)[i] = ((float*)x)[i] > 0 ? ((float*)x)[i] : 0;"),
       ""},
      {"host function writes the outputs first", relu_task(),
       direct("for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch)), ""},
      {"host function copies the outputs", identity_task(),
       direct(std::string(kLaunch) + " memcpy(z, x, 4096 * 4);", "", "#include <string.h>\n"), ""},
      {"host function reads the inputs", sum_task(),
       direct("float s = 0; for (int i = 0; i < 4096; ++i) s += ((float*)x)[i]; if (s > 0) " + std::string(kLaunch)),
       ""},
      {"host function forges the report", relu_task(),
       direct(std::string(kLaunch) + " for (int i = 3; i < 64; ++i) write(i, \"\\x08\\x01\", 2); _exit(0);", "",
              "#include <unistd.h>\n"),
       "malformed"},
      {"host function forges a launch", relu_task(),
       // LaunchPlan.launches, field 1: kernel, field 1, and block_dim, field 2
       direct("static const char plan[] = \"\\x0a\\x0f\\x0a\\x0bkgnpu_entry\\x10\\x01\"; for (int i = 3; i < 64; ++i) "
              "write(i, plan, sizeof(plan) - 1); _exit(0); " +
                  std::string(kLaunch),
              "", "#include <unistd.h>\n"),
       "does not have"},
      {"host function opens its memory", relu_task(),
       direct("mprotect(z, 16384, 3); for (int i = 0; i < 4096; ++i) ((float*)z)[i] = 1; " + std::string(kLaunch), "",
              "#include <sys/mman.h>\n"),
       ""},
      {"host function calls by number", relu_task(),
       direct("syscall(1, 3, \"\\x08\\x01\", 2); " + std::string(kLaunch), "", "#include <unistd.h>\n"), ""},
      {"host function finds functions by name", relu_task(),
       direct("((int (*)())dlsym(nullptr, \"_exit\"))(); " + std::string(kLaunch), "", "#include <dlfcn.h>\n"),
       "no result"},
      {"host function writes all over its process", relu_task(),
       direct(std::string(kLaunch) + " for (volatile long* p = (volatile long*)&blocks;; ++p) *p = 1;"), "bad access"},
      {"code that the device's compiler does not see", identity_task(),
       direct(kLaunch, "\n#ifndef __CUDA__\nif (GetBlockIdx() == 0) memcpy((void*)z, (void*)x, 16384);\n#endif\n",
              "#include <string.h>\n"),
       ""},
      {"a kernel that the device's compiler does not see", identity_task(),
       direct("other<<<blocks, nullptr, stream>>>(x, z); custom_op<<<blocks, nullptr, stream>>>(x, z);", "",
              "#include <string.h>\n#ifndef __CUDA__\ntemplate <int n> void copy(GM_ADDR x, GM_ADDR z) { "
              "memcpy((void*)z, (void*)x, n); }\n#define other copy<16384>\n#else\n"
              "template <int n> __aicore__ void none(GM_ADDR x, GM_ADDR z) {}\n#define other none<1>\n#endif\n"),
       "does not have"},
      {"an entry among the kernels that are launched", relu_task(),
       direct(kLaunch, "",
              "struct E { void (*call)(const void*); unsigned long bytes; };\n__attribute__((device, used, "
              "section(\"kgnpu_\" \"launches\"))) static const E e = {(void (*)(const void*))0x1000, 0};\n"),
       "were never written"},
      {"host object before the launch", relu_task(),
       direct(kLaunch, "", "struct Early { Early() { n = 1; } int n; };\nstatic Early early;\n"), ""},
      {"launches on the host's own memory", relu_task(),
       direct("static uint8_t mine[16384]; custom_op<<<blocks, nullptr, stream>>>(mine, mine);",
              "GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)z, 8); g.SetValue(0, 1.0f);"),
       ""},
      {"launches on the tensors the other way round", identity_task(),
       direct(
           "custom_op<<<blocks, nullptr, stream>>>(z, x);",
           "GlobalTensor<float> a, b; a.SetGlobalBuffer((__gm__ float*)x, 8); b.SetGlobalBuffer((__gm__ float*)z, 8); "
           "a.SetValue(0, b.GetValue(0));"),
       ""},
      {"launches nothing", relu_task(), direct("if (blocks == 77) " + std::string(kLaunch)), "without launching"},
      {"launches no blocks", relu_task(), direct("custom_op<<<0, nullptr, stream>>>(x, z);"), "no blocks"},
  };
}

// the process that emulates the device
std::vector<Hack> emulating_process() {
  const std::string paste = "#define J2(a, b) a##b\n#define J(a, b) J2(a, b)\n";
  return {
      {"the runtime's names", relu_task(), bare("kgnpu_own_stack[0] = 0;"), "kgnpu_own_stack"},
      {"the runtime's names from pieces", relu_task(),
       bare("J(kgnpu_, pipe_open)();", paste + "extern \"C\" __aicore__ void J(kgnpu_, pipe_open)();\n"), "## forms"},
      {"copies past the device's clock", identity_task(),
       bare("if (GetBlockIdx() == 0) memmove(z, x, 4096 * 4);",
            "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"),
       "memmove"},
      {"ends the process with success", relu_task(), bare("_exit(0);", "extern \"C\" __aicore__ void _exit(int);\n"),
       "_exit"},
      {"jumps over the checks", relu_task(),
       bare("volatile long* p = (volatile long*)__builtin_frame_address(0); for (int i = 1; i < 32; ++i) p[i] = 0;"),
       ""},
      {"a wild pointer into the launcher", relu_task(), bare("*(volatile long*)0x555555560000 = 0;"),
       "outside the core's own variables"},
      {"an entry of its own", relu_task(),
       bare("", "extern \"C\" __attribute__((visibility(\"default\"))) __aicore__ int kgnpu_entry() { return 0; }\n"),
       "kgnpu_entry"},
      {"no kernel at all", relu_task(),
       "#include \"kernel_operator.h\"\n#define custom_op nothing\nextern \"C\" __global__ __aicore__ void "
       "custom_op(GM_ADDR x, GM_ADDR z) {}\n",
       ""},
      {"another signature", relu_task(),
       "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void custom_op(GM_ADDR z) {}\n",
       "takes 1 parameters"},
  };
}

// the tiling function of a project; kernel and host of a whole operator
std::vector<Hack> tiling_functions() {
  return {
      {"tiling computes the operator", relu_task(), "", "cannot read the values",
       "HostileTilingData data; const gert::Tensor* t = context->GetInputTensor(0); const float* v = "
       "t->GetData<float>(); if (v == nullptr) return ge::GRAPH_FAILED; for (int i = 0; i < 4096; ++i) "
       "data.set_none(v[i] > 0);"},
      {"tiling ends with success", relu_task(), "", "no result", "_exit(0);"},
      {"tiling forges a plan", relu_task(), "", "malformed",
       "for (int i = 3; i < 64; ++i) write(i, \"\\x12\\xff\\xff\", 3); _exit(0);"},
      {"tiling forges a prologue", relu_task(), "", "",
       // HostPlan.prologue, field 3, and can_launch, field 6
       "static const char plan[] = \"\\x12\\x07hostile\\x1a\\x2f#undef __asm\\nextern \\\"C\\\" int f() "
       "__asm(\\\"_exit\\\");\\n\\x30\\x01\"; for (int i = 3; i < 64; ++i) write(i, plan, sizeof(plan) - 1); "
       "_exit(0);"},
      {"tiling for a workspace of two to the sixty-two", relu_task(), "", "",
       "context->GetWorkspaceSizes(1)[0] = 1ull << 62; context->SetBlockDim(8); return ge::GRAPH_SUCCESS;"},
      {"tiling data of a gigabyte", relu_task(), "", "",
       "context->GetRawTilingData()->SetDataSize(1u << 30); context->SetBlockDim(8); return ge::GRAPH_SUCCESS;"},
      {"tiling that changes the shapes", relu_task(), "", "",
       "const_cast<gert::StorageShape*>(context->GetOutputShape(0))->MutableStorageShape().SetDim(0, 0); "
       "context->SetBlockDim(8); return ge::GRAPH_SUCCESS;"},
      {"tiling for 65536 blocks", relu_task(), "", "", "context->SetBlockDim(65536); return ge::GRAPH_SUCCESS;"},
      {"tiling for no blocks", relu_task(), "", "", "context->SetBlockDim(0); return ge::GRAPH_SUCCESS;"},
  };
}

}  // namespace

std::vector<Hack> process_hacks() {
  return kg::testing::joined({host_functions(), emulating_process(), device_hacks(), tiling_functions()});
}

}  // namespace kg::sandbox::testing
