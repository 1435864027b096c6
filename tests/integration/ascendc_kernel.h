#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/machine/gm_traffic.h"
#include "proto/sandbox.pb.h"

// Compiles kernels with the real clang and the real header, and runs them on the emulated NPU in a forked child.
namespace kg::npu::testing {

struct Compiled {
  bool ok = false;
  std::string object;
  std::string messages;
};

// The result is kept for the life of the test program.
Compiled compile_kernel(const std::string& source, const std::string& entry_point);

// Without any check of the source and with the headers' insides in reach: what a way around the checks would give.
Compiled compile_unchecked(const std::string& source, const std::string& entry_point);

// The compiler's messages about a source without entry point, in full and without an object; the source is called
// kernel.cpp in check_folder(). `before` is put in front of it as the toolchain does (prologue()).
std::string check_kernel(const std::string& source, const std::string& before = "");
std::string check_folder();

// Of an element type as kernels name it.
proto::DType dtype_of(const std::string& type);
proto::Tensor tensor(const std::string& name, proto::DType dtype, const std::vector<double>& values);
std::vector<double> values_of(const proto::Tensor& tensor);
void add_output(proto::RunCase& run_case, const std::string& name, proto::DType dtype, std::int64_t count);

struct RunOptions {
  std::uint32_t block_dim = 1;
  std::uint64_t seed = 0;
  std::uint64_t cycle_limit = 0;
  L2Before l2 = {};
  std::uint8_t garbage = 0xFF;
  bool want_timeline = false;
};
// Fails the test if the kernel does not compile.
proto::CaseResult run_kernel(const std::string& source, const std::string& entry_point, const proto::RunCase& run_case,
                             const RunOptions& options = {});

// "class:line class:line", errors only or warnings only.
std::string errors_of(const proto::CaseResult& result);
std::string warnings_of(const proto::CaseResult& result);

// A kernel `k(x, y, z)` over n elements of one core: x and y are loaded, `compute` (which sees x, y, z, work and n)
// fills z, z is stored. The compute text starts at line 20.
std::string vector_kernel(const std::string& in_type, const std::string& out_type, int n, const std::string& compute);

}  // namespace kg::npu::testing
