#pragma once

#include "kgnpu/matmul.h"

// REGIST_MATMUL_OBJ: objects, each with its tiling behind it or without one.

namespace AscendC::kg_detail {

template <typename T, typename = void>
inline constexpr bool is_matmul = false;
template <typename T>
inline constexpr bool is_matmul<T, std::void_t<decltype(T::kg_is_matmul)>> = true;
template <typename T>
constexpr bool is_served() {
  if constexpr (is_matmul<T>) return T::kg_is_served;
  return false;
}

template <uint8_t number>
inline void regist() {}
template <uint8_t number, typename Object, typename... Rest>
inline void regist(Object& object, Rest&... rest);
template <uint8_t number, typename Object>
inline void regist_next(Object&) {}
template <uint8_t number, typename Object, typename Next, typename... Rest>
inline void regist_next(Object& object, Next& next, Rest&... rest) {
  if constexpr (is_matmul<Next>) {
    regist<number>(next, rest...);
  } else {
    if constexpr (std::is_null_pointer_v<std::remove_cv_t<Next>>)
      object.Init(static_cast<const TCubeTiling*>(nullptr));
    else
      object.Init(next);
    regist<number>(rest...);
  }
}
template <uint8_t number, typename Object, typename... Rest>
inline void regist(Object& object, Rest&... rest) {
  object.kg_register(number);
  object.SetSubBlockIdx(static_cast<uint8_t>(kgnpu_sub_block_index()));
  regist_next<number + 1>(object, rest...);
}
template <typename... Arguments>
inline void regist_matmul(Arguments&&... arguments) {
  regist<1>(arguments...);
}

template <typename T>
inline void serve_if(int& number, const ::kgnpu::MatmulWork& work) {
  if constexpr (is_matmul<T>)
    if (++number == work.served) T::kg_serve(work);
}
// On the cube core: the products of objects with callbacks, until no vector core is left that could ask for one.
template <typename... Arguments>
inline void serve_matmul(Arguments&&...) {
  if constexpr ((is_served<std::remove_reference_t<Arguments>>() || ...)) {
    ::kgnpu::MatmulWork work;
    for (;;) {
      kgnpu_matmul_receive(&work);
      if (work.served == 0) return;
      int number = 0;
      (serve_if<std::remove_reference_t<Arguments>>(number, work), ...);
      kgnpu_matmul_done();
    }
  }
}

}  // namespace AscendC::kg_detail

// In a mixed kernel the cube core serves its vector cores' objects from here on; the rest of the function does not
// apply to it.
#ifndef KG_MATMUL_REGISTERED
#define KG_MATMUL_REGISTERED
#define REGIST_MATMUL_OBJ(pipe, workspace, ...)                   \
  if (KG_CUBE_ONLY_KERNEL) {                                      \
    kgnpu_matmul_on_cube();                                       \
  } else if constexpr (::AscendC::g_coreType == ::AscendC::AIC) { \
    kgnpu_matmul_serves(__LINE__);                                \
    ::AscendC::kg_detail::serve_matmul(__VA_ARGS__);              \
    return;                                                       \
  }                                                               \
  ::AscendC::kg_detail::regist_matmul(__VA_ARGS__)
// Whether the source has defined ASCENDC_CUBE_ONLY (as nothing) where an object is registered.
#define KG_IS_EMPTY(x) KG_IS_EMPTY_TEXT(x)
#define KG_IS_EMPTY_TEXT(x) (sizeof(#x) == 1 || (#x)[0] == '1')
#define KG_CUBE_ONLY_KERNEL KG_IS_EMPTY(ASCENDC_CUBE_ONLY)
#endif
