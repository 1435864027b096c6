#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kg::sandbox {

// How a kernel's source becomes an object that npu/launch runs: prologue + source + epilogue, clang++ with
// compile_flags(), `-c`. Nothing is linked: the scalar unit's loader does that (npu/scalar/image.h).

// Flags for compiling a kernel, without input, output and precompiled header. `include_folder` holds kernel_operator.h,
// `compiler_headers` comes from compiler_headers() (language.h).
std::vector<std::string> compile_flags(const std::string& include_folder, const std::string& compiler_headers = {});

// More flags for the passes that refuse numbers the scalar unit does not have and keep address spaces in addresses.
std::vector<std::string> pass_flags(const std::string& pass);

// More flags that make a precompiled header of precompiled_source() (language.h) instead of an object.
std::vector<std::string> precompile_flags();

// A kernel is compiled once for vector cores; if its source names anything of the cube side, a second time for cube
// cores, into a second object at npu::cube_half(path of the first).
enum class CoreType : std::uint8_t { kVector, kCube };
bool has_cube_half(const std::string& source);

// Text put before the user's source: sets the kind of core it is compiled for. Keeps the line numbers.
std::string prologue(CoreType type, bool with_cube_half);
// Text appended to the user's source: exports a launcher that knows the entry point's parameters.
std::string epilogue(const std::string& entry_point);

// A source whose host function launches the kernel (sandbox/programs/direct_launch.h) has this prologue. It is compiled
// like any kernel, without an epilogue; then with these flags as plain C++ for this machine, with the epilogue that
// exports its host function, to a shared object at npu::host_function_object(path of the kernel's object).
std::string direct_prologue(CoreType type, bool with_cube_half);
std::vector<std::string> plain_flags(const std::string& include_folder);
// `streams`: bits of the host function's parameters that are control and stream; 0: their types tell.
std::string host_function_epilogue(const std::string& host_function, std::uint64_t streams);

}  // namespace kg::sandbox
