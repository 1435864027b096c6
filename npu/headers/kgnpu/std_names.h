#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "kgnpu/scalar_math.h"
#include "kgnpu/std_tuple.h"

// The part of the standard library in AscendC::Std.

namespace AscendC::Std {

using kgnpu_scalar::abs, kgnpu_scalar::max, kgnpu_scalar::min, kgnpu_scalar::sqrt;
using std::add_const, std::add_const_t, std::add_cv, std::add_cv_t, std::add_lvalue_reference,
    std::add_lvalue_reference_t, std::add_rvalue_reference, std::add_rvalue_reference_t, std::conditional,
    std::conditional_t, std::decay, std::decay_t, std::enable_if, std::enable_if_t, std::false_type,
    std::integral_constant, std::is_array, std::is_array_v, std::is_base_of, std::is_base_of_v, std::is_const,
    std::is_convertible, std::is_convertible_v, std::is_floating_point, std::is_floating_point_v, std::is_integral,
    std::is_integral_v, std::is_pointer, std::is_pointer_v, std::is_reference, std::is_reference_v, std::is_same,
    std::is_same_v, std::remove_const, std::remove_const_t, std::remove_cv, std::remove_cv_t, std::remove_pointer,
    std::remove_pointer_t, std::remove_reference, std::remove_reference_t, std::remove_volatile, std::remove_volatile_t,
    std::true_type;
using std::forward, std::move, std::declval, std::index_sequence, std::make_index_sequence;

template <size_t value>
using Int = integral_constant<size_t, value>;

}  // namespace AscendC::Std
