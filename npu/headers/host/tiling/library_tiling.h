#pragma once

#include <type_traits>

#include "../../kgnpu/library_tiling.h"
#include "register/tilingdata_base.h"

// Tiling data of the high-level library, field by field as the kernel's headers declare them: as classes beside the
// plain structures, which programs take that launch a kernel themselves.

namespace optiling {

#define KG_CLASS(name, fields)                           \
  class name : public ::optiling::TilingDef {            \
   public:                                               \
    name() : ::optiling::TilingDef(#name) {}             \
    bool kg_is_library() const override { return true; } \
    fields(TILING_DATA_FIELD_DEF)                        \
  };
KG_LIBRARY_TILINGS(KG_CLASS)
#undef KG_CLASS

}  // namespace optiling

// A function of a call's tiling data is published twice: for the class and for the structure.
namespace AscendC {
template <typename Tiling, typename... Published>
using kg_published = std::enable_if_t<(std::is_base_of_v<Published, Tiling> || ...), int>;
}  // namespace AscendC
#define KG_TILING(name) \
  template <typename Tiling, ::AscendC::kg_published<Tiling, ::optiling::name, ::AscendC::tiling::name> = 0>
