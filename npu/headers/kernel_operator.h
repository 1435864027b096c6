#pragma once

// The header that an Ascend C kernel includes. Thin: it declares the calls, checks types, and calls the runtime.
// Precompiled by the toolchain; a kernel's own translation unit contains little more than its calls.

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kgnpu/std_calls.h"

// Every function from here on can be called from a kernel; functions that the user adds later need __aicore__.
#pragma clang force_cuda_host_device begin
#include "kgnpu/atomic.h"
#include "kgnpu/buffer_pool.h"
#include "kgnpu/cube.h"
#include "kgnpu/cube_output.h"
#include "kgnpu/data_copy.h"
#include "kgnpu/entry.h"
#include "kgnpu/high_level.h"
#include "kgnpu/language.h"
#include "kgnpu/library_data.h"
#include "kgnpu/library_flash.h"
#include "kgnpu/library_grad.h"
#include "kgnpu/library_layout.h"
#include "kgnpu/library_math.h"
#include "kgnpu/library_norm.h"
#include "kgnpu/library_norm_batch.h"
#include "kgnpu/library_quant.h"
#include "kgnpu/library_softmax.h"
#include "kgnpu/local_allocator.h"
#include "kgnpu/matmul.h"
#include "kgnpu/matmul_regist.h"
#include "kgnpu/names.h"
#include "kgnpu/pipe.h"
#include "kgnpu/raw.h"
#include "kgnpu/raw_copy.h"
#include "kgnpu/raw_cube.h"
#include "kgnpu/raw_reduce.h"
#include "kgnpu/scalar_math.h"
#include "kgnpu/sort.h"
#include "kgnpu/std_names.h"
#include "kgnpu/sync.h"
#include "kgnpu/system.h"
#include "kgnpu/tensor.h"
#include "kgnpu/tensor_list.h"
#include "kgnpu/tiling.h"
#include "kgnpu/unsupported.h"
#include "kgnpu/utils.h"
#include "kgnpu/vector_binary.h"
#include "kgnpu/vector_cast.h"
#include "kgnpu/vector_compare.h"
#include "kgnpu/vector_fused.h"
#include "kgnpu/vector_gather.h"
#include "kgnpu/vector_operators.h"
#include "kgnpu/vector_reduce.h"
#include "kgnpu/vector_scalar.h"
#include "kgnpu/vector_transpose.h"
#include "kgnpu/vector_unary.h"
#include "kgnpu/workspace.h"
#pragma clang force_cuda_host_device end
