#pragma once

#include "kernel_operator.h"

// Shapes, strides and coordinates as tuples, and where a coordinate lies. A kernel has these names only if it includes
// the header that their pages ask for: many kernels call a structure of their own Shape or Layout.

namespace AscendC {

template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
__aicore__ inline constexpr Shape<Ts...> MakeShape(Ts const&... t) {
  return Shape<Ts...>(t...);
}
template <typename... Ts>
__aicore__ inline constexpr Stride<Ts...> MakeStride(Ts const&... t) {
  return Stride<Ts...>(t...);
}
template <typename... Ts>
__aicore__ inline constexpr Coord<Ts...> MakeCoord(Ts const&... t) {
  return Coord<Ts...>(t...);
}

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
  __aicore__ inline constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}
  __aicore__ inline constexpr Layout& layout() { return *this; }
  __aicore__ inline constexpr const Layout& layout() const { return *this; }
  __aicore__ inline constexpr ShapeType& GetShape() { return Std::get<0>(both()); }
  __aicore__ inline constexpr const ShapeType& GetShape() const { return Std::get<0>(both()); }
  __aicore__ inline constexpr StrideType& GetStride() { return Std::get<1>(both()); }
  __aicore__ inline constexpr const StrideType& GetStride() const { return Std::get<1>(both()); }

 private:
  __aicore__ inline constexpr Std::tuple<ShapeType, StrideType>& both() { return *this; }
  __aicore__ inline constexpr const Std::tuple<ShapeType, StrideType>& both() const { return *this; }
};

template <typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
  return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : Std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : Std::true_type {};

class LayoutIndex {
  template <typename CoordType, typename ShapeType, typename StrideType>
  __aicore__ friend inline constexpr auto Crd2Idx(const CoordType&, const ShapeType&, const StrideType&);

  template <typename T>
  static constexpr size_t kDimensions = 0;  // a number
  template <typename... Ts>
  static constexpr size_t kDimensions<Std::tuple<Ts...>> = sizeof...(Ts);

  template <size_t axis = 0, typename ShapeType>
  __aicore__ static inline constexpr auto size_of(const ShapeType& shape) {
    if constexpr (kDimensions<ShapeType> == 0)
      return shape + 0;
    else if constexpr (axis + 1 == kDimensions<ShapeType>)
      return size_of(Std::get<axis>(shape));
    else
      return size_of(Std::get<axis>(shape)) * size_of<axis + 1>(shape);
  }

  // The dimensions from axis on. A number in place of a tuple of coordinates counts elements, the first dimension
  // fastest; the last dimension takes what remains.
  template <size_t axis = 0, typename CoordType, typename ShapeType, typename StrideType>
  __aicore__ static inline constexpr auto of(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
    constexpr size_t dimensions = kDimensions<ShapeType>;
    static_assert(dimensions == kDimensions<StrideType>, "Crd2Idx: a shape and its stride have as many dimensions");
    if constexpr (dimensions == 0) {
      return coord * stride;
    } else if constexpr (kDimensions<CoordType> > 0) {
      static_assert(kDimensions<CoordType> == dimensions, "Crd2Idx: a coordinate has as many dimensions as its shape");
      const auto here = of(Std::get<axis>(coord), Std::get<axis>(shape), Std::get<axis>(stride));
      if constexpr (axis + 1 == dimensions)
        return here;
      else
        return here + of<axis + 1>(coord, shape, stride);
    } else if constexpr (axis + 1 == dimensions) {
      return of(coord, Std::get<axis>(shape), Std::get<axis>(stride));
    } else {
      const auto size = size_of(Std::get<axis>(shape));
      return of(coord % size, Std::get<axis>(shape), Std::get<axis>(stride)) +
             of<axis + 1>(coord / size, shape, stride);
    }
  }
};

template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
  return LayoutIndex::of(coord, shape, stride);
}
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ inline constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
  return Crd2Idx(coord, layout.GetShape(), layout.GetStride());
}

}  // namespace AscendC
