#include "sandbox/compiler/find_tools.h"

#include <cstdlib>
#include <string_view>

#include "base/child_process.h"
#include "base/program_data.h"
#include "sandbox/cell/host.h"

namespace kg::sandbox {

fs::path find_compiler() {
  return find_program("KGTRAIN_CLANG",
                      {"clang++", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++-14"});
}

std::string compiler_version(const fs::path& compiler) {
  if (compiler.empty()) return "none";
  const FinishedChild child = run_child({.words = {compiler.string(), "--version"},
                                         .input = ChildCommand::kNothing,
                                         .output = ChildCommand::kPipe,
                                         .errors = ChildCommand::kNothing});
  return child.output.substr(0, child.output.find('\n'));  // lines below name folders
}

// GNU ld starts five times faster than lld and a kernel is one small object.
fs::path find_linker() { return find_program("KGTRAIN_LINKER", {"ld.bfd", "ld.lld", "ld"}); }

fs::path find_warm_compiler() {
  const char* chosen = std::getenv("KGTRAIN_WARM_COMPILER");
  if (chosen != nullptr && std::string_view(chosen) == "off") return {};
  const fs::path beside = program_folder() / "kgtrain-compiler";
  return fs::exists(beside) ? beside : fs::path();
}

fs::path find_kernel_passes(const fs::path& compiler) {
#ifdef KG_LLVM_PREFIX  // prefix of the libraries it was built with
  if (!compiler.string().starts_with(KG_LLVM_PREFIX "/")) return {};
  for (const fs::path& folder : {program_folder(), program_folder().parent_path() / "lib/kgtrain"})
    if (const fs::path pass = folder / "kgtrain-kernel-passes.so"; fs::exists(pass)) return pass;
#endif
  return {};
}

fs::path header_folder() {
  const char* chosen = std::getenv("KGTRAIN_ASCENDC_INCLUDE");
  if (chosen != nullptr && fs::exists(fs::path(chosen) / "kernel_operator.h")) return fs::canonical(chosen);
  return program_data("npu", "npu/headers", "kernel_operator.h");
}

}  // namespace kg::sandbox
