#pragma once

// Arithmetic of the scalar unit that the device compiler has built in. Found by unqualified names from anywhere, yet
// not members of the global namespace: a kernel may be called sqrt, and its launcher then asks for ::sqrt.

namespace kgnpu_scalar {

inline float sqrt(float value) { return __builtin_sqrtf(value); }

}  // namespace kgnpu_scalar

using namespace kgnpu_scalar;
