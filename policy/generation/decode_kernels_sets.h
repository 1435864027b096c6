#pragma once

#include "policy/generation/decode_kernels.h"

namespace kg::policy {

const DecodeKernels& generic_kernels();
const DecodeKernels& avx2_kernels();         // x86-64 with AVX2 and FMA
const DecodeKernels& avx512_kernels();       // x86-64-v4
const DecodeKernels& avx512_bf16_kernels();  // and AVX-512 BF16

}  // namespace kg::policy
