#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/cell/cell.h"
#include "sandbox/cell/work_folder.h"
#include "sandbox/compiler/compile_outcome.h"
#include "sandbox/pytorch/python.h"

namespace kg::sandbox {

// Where an answer's Python runs and its binding is compiled: two cells, like those of kernels and of the compiler, that
// also see a Python with PyTorch. Every member throws Error if the sandbox or the host is at fault.
//
//   <cache>/pytorch/<key>/helper.pch   pytorch_npu_helper.hpp, precompiled
class ModuleHost {
 public:
  ModuleHost(Isolation isolation, const WorkFolder& work, const fs::path& cache, const std::string& python);

  // Compiles python_bind_src to work.kernel()/custom_ops_lib.so.
  CompileOutcome compile_binding(const std::string& source, int owner);

  // Runs module_runner.py with its first frame; `converse` takes its messages.
  JobOutcome run(std::string_view first_frame, const Allowance& allowance, std::uint64_t tensor_bytes,
                 std::function<std::string(std::string&&)> converse);

  const std::string& key() const { return key_; }  // everything besides the source that influences the result

 private:
  CompileOutcome compile(std::vector<std::string> words, int owner);
  void make_precompiled_header();

  const WorkFolder& work_;
  Python python_;
  fs::path compiler_, linker_, scripts_, frames_, precompiled_;
  std::string key_;
  std::unique_ptr<Cell> compilers_, modules_;
};

}  // namespace kg::sandbox
