#pragma once

#include <stdint.h>

#include "library_tiling_fields.h"  // beside this file: tests include it too

// Tiling structures of the high-level library, in the global namespace as in the device's kernel_tiling.h. The host
// side fills them; here the calls read only the shape, since the way the work is split changes no number.

#define KG_FIELD(type, name) type name = 0;
#define KG_STRUCTURE(name, fields) \
  struct name {                    \
    fields(KG_FIELD)               \
  };
KG_LIBRARY_TILINGS(KG_STRUCTURE)
#undef KG_STRUCTURE
#undef KG_FIELD
