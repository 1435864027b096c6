#include "npu/headers/kgnpu/number.h"

// The conversions that clang calls for `half` in a kernel's own code, under the names of the compiler's support
// library. In integer arithmetic, so that a host with other instructions or another library computes the same bits.

extern "C" {
float __gnu_h2f_ieee(uint16_t bits) { return kgnpu::half_value(bits); }
uint16_t __gnu_f2h_ieee(float value) { return kgnpu::half_bits(value); }
}
