#pragma once

#include "tiling/library_tiling.h"
#include "tiling/matmul_tiling.h"

// The kernel's tiling structures for the host program beside it.

#define KG_NAME(name, fields) using AscendC::tiling::name;
KG_LIBRARY_TILINGS(KG_NAME)
#undef KG_NAME
using AscendC::tiling::TCubeTiling;
