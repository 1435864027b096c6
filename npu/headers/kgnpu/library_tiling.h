#pragma once

#include <stdint.h>

#include "library_tiling_fields.h"  // beside this file: kernels and the host side have other include paths

// Tiling structures of the high-level library. The host side fills them; in a kernel the calls read only the shape,
// since the way the work is split changes no number.

namespace AscendC::tiling {

#define KG_FIELD(type, name)                    \
  type name = 0;                                \
  void set_##name(type value) { name = value; } \
  type get_##name() const { return name; }
#define KG_STRUCTURE(name, fields) \
  struct name {                    \
    fields(KG_FIELD)               \
  };
KG_LIBRARY_TILINGS(KG_STRUCTURE)
#undef KG_STRUCTURE
#undef KG_FIELD

}  // namespace AscendC::tiling
