#include "policy/generation/decode_kernels.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "policy/generation/decode_kernels_sets.h"

namespace kg::policy {
namespace {

std::vector<const DecodeKernels*> find_usable() {
  std::vector<const DecodeKernels*> sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    if (__builtin_cpu_supports("avx512bf16")) sets.push_back(&avx512_bf16_kernels());
    sets.push_back(&avx512_kernels());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(&avx2_kernels());
#endif
  sets.push_back(&generic_kernels());
  return sets;
}

const DecodeKernels& choose() {
  const char* wanted = std::getenv("KGTRAIN_KERNELS");
  const std::string name = wanted != nullptr ? wanted : "";
  std::string names;
  for (const DecodeKernels* set : usable_kernels()) {
    if (name.empty() || name == set->name) return *set;
    names += (names.empty() ? "" : ", ") + std::string(set->name);
  }
  throw Error("this CPU cannot run kernels \"" + name + "\"", "environment variable KGTRAIN_KERNELS",
              "one of " + names + ", or unset it", Error::Kind::kEnvironment);
}

}  // namespace

const std::vector<const DecodeKernels*>& usable_kernels() {
  static const std::vector<const DecodeKernels*> sets = find_usable();
  return sets;
}

const DecodeKernels& decode_kernels() {
  static const DecodeKernels& kernels = choose();
  return kernels;
}

}  // namespace kg::policy
