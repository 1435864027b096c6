#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::npu {

// The emulated NPU as the rest of the sandbox sees it. The toolchain compiles `source + epilogue(entry_point)` with
// clang++ and compile_flags() to a shared object; the isolated process loads it and calls launch().

// Flags for compiling a kernel, without input, output and precompiled header. `include_folder` holds kernel_operator.h,
// `compiler_headers` comes from compiler_headers() (language.h).
std::vector<std::string> compile_flags(const std::string& include_folder, const std::string& compiler_headers = {});

// Further flags for the pass that shows the runtime what kernels do through their own pointers (sandbox/compiler).
std::vector<std::string> pass_flags(const std::string& pass);

// Further flags that make a precompiled header of precompiled_source() (language.h) instead of an object.
std::vector<std::string> precompile_flags();

// A kernel is compiled once for vector cores; and if its source names anything of the cube side, a second time for cube
// cores, to a second shared object at cube_half(path of the first).
enum class CoreType : std::uint8_t { kVector, kCube };
bool has_cube_half(const std::string& source);
std::string cube_half(const std::string& shared_object);

// Text in front of the user's source: says for which kind of core it is compiled. Keeps the line numbers.
std::string prologue(CoreType type, bool with_cube_half);
// Text appended to the user's source: exports a launcher that knows the entry point's parameters.
std::string epilogue(const std::string& entry_point);

// A source whose host function launches the kernel (sandbox/direct_launch.h) stands behind this prologue. It is
// compiled as any kernel, without an epilogue; then with these flags as plain C++, with the epilogue that exports its
// host function, to a second shared object at host_function_object(path of the first).
std::string direct_prologue();
std::vector<std::string> plain_flags(const std::string& include_folder);
std::string host_function_epilogue(const std::string& host_function);
std::string host_function_object(const std::string& shared_object);

struct Launch {
  std::string shared_object;
  std::string entry_point;
  std::uint32_t block_dim = 1;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t core_order_seed = 0;  // 0: index order
  std::uint64_t cycle_limit = 0;      // 0: none
  std::uint8_t garbage = 0xFF;        // what fresh memory holds; 0xFF is NaN in every floating type
  bool want_timeline = false;
};

// Runs in the isolated process: allocates and poisons outputs, runs all cores, checks, times, and collects the outputs.
// Parameters of the entry point are inputs, outputs, then workspace and tiling if the signature has them. A fault of
// the kernel is in the result.
proto::CaseResult launch(const Launch& launch, const proto::RunCase& run_case);

}  // namespace kg::npu
