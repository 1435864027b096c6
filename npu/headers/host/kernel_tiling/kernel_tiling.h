#pragma once

// The kernel's tiling structures for the host program beside it.

#include "../../kgnpu/tiling_names.h"
#include "tiling/library_tiling.h"
#include "tiling/matmul_tiling.h"
