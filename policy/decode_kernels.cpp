#include "policy/decode_kernels.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "policy/decode_kernels_sets.h"

namespace kg::policy {
namespace {

const DecodeKernels& choose() {
  const char* wanted = std::getenv("KGTRAIN_KERNELS");
  const std::string name = wanted != nullptr ? wanted : "";
  if (!name.empty() && name != "generic" && name != "avx2" && name != "avx512")
    throw Error("unknown kernels \"" + name + "\"", "environment variable KGTRAIN_KERNELS",
                "one of generic, avx2, avx512");
#if defined(__x86_64__)
  if ((name.empty() || name == "avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512_kernels();
  if ((name.empty() || name == "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2_kernels();
#endif
  if (!name.empty() && name != "generic")
    throw Error("this CPU cannot run the kernels \"" + name + "\"", "environment variable KGTRAIN_KERNELS", "unset it",
                Error::Kind::kEnvironment);
  return generic_kernels();
}

}  // namespace

const DecodeKernels& decode_kernels() {
  static const DecodeKernels& kernels = choose();
  return kernels;
}

}  // namespace kg::policy
