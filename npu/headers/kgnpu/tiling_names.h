#pragma once

#include "library_tiling.h"  // beside this file: kernels and the host side have other include paths
#include "matmul_tiling_data.h"

// The library's tiling structures in the global namespace, as kernels and the programs that launch them name them.

#define KG_NAME(name, fields) using AscendC::tiling::name;
KG_LIBRARY_TILINGS(KG_NAME)
#undef KG_NAME
using AscendC::tiling::TCubeTiling;
