#pragma once

#include <stddef.h>

#include <type_traits>
#include <utility>

// AscendC::Std::tuple, as its page declares it: one element in each class of a chain. The standard library's cannot be
// assigned on the device.

namespace AscendC::Std {

template <typename... Tps>
class tuple;

template <>
class tuple<> {};

template <typename Tp, typename... Tps>
class tuple<Tp, Tps...> : public tuple<Tps...> {
  using Rest = tuple<Tps...>;

 public:
  constexpr tuple() : Rest(), kg_value() {}
  constexpr tuple(const Tp& val, const Tps&... params) : Rest(params...), kg_value(val) {}
  // Of references there is only the form above.
  template <typename First = Tp,
            typename = std::enable_if_t<!std::is_reference_v<First> && (!std::is_reference_v<Tps> && ...)>>
  constexpr tuple(Tp&& val, Tps&&... params) : Rest(static_cast<Tps&&>(params)...), kg_value(static_cast<Tp&&>(val)) {}

  template <typename Head, typename... Args>
  constexpr tuple& operator=(const tuple<Head, Args...>& t) {
    static_assert(sizeof...(Args) == sizeof...(Tps), "a tuple is assigned from one of as many elements");
    kg_value = t.kg_value;
    if constexpr (sizeof...(Tps) > 0) static_cast<Rest&>(*this) = static_cast<const tuple<Args...>&>(t);
    return *this;
  }

  Tp kg_value;
};

template <typename T>
struct tuple_size;
template <typename... Tps>
struct tuple_size<tuple<Tps...>> : std::integral_constant<size_t, sizeof...(Tps)> {};
template <typename T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;

template <size_t n, typename T>
struct tuple_element;
template <size_t n, typename Head, typename... Rest>
struct tuple_element<n, tuple<Head, Rest...>> : tuple_element<n - 1, tuple<Rest...>> {};
template <typename Head, typename... Rest>
struct tuple_element<0, tuple<Head, Rest...>> {
  using type = Head;
};
template <size_t n, typename T>
using tuple_element_t = typename tuple_element<n, T>::type;

template <size_t n, typename Head, typename... Rest>
constexpr auto& get(tuple<Head, Rest...>& t) {
  static_assert(n <= sizeof...(Rest), "Std::get: the tuple has fewer elements");
  if constexpr (n == 0)
    return t.kg_value;
  else
    return get<n - 1>(static_cast<tuple<Rest...>&>(t));
}
template <size_t n, typename Head, typename... Rest>
constexpr auto& get(const tuple<Head, Rest...>& t) {
  static_assert(n <= sizeof...(Rest), "Std::get: the tuple has fewer elements");
  if constexpr (n == 0)
    return t.kg_value;
  else
    return get<n - 1>(static_cast<const tuple<Rest...>&>(t));
}
template <size_t n, typename... Tps>
constexpr tuple_element_t<n, tuple<Tps...>>&& get(tuple<Tps...>&& t) {
  return static_cast<tuple_element_t<n, tuple<Tps...>>&&>(get<n>(t));
}

template <typename... Tps>
constexpr tuple<std::decay_t<Tps>...> make_tuple(Tps&&... args) {
  return tuple<std::decay_t<Tps>...>(static_cast<Tps&&>(args)...);
}
template <typename... Tps>
constexpr tuple<Tps&...> tie(Tps&... args) {
  return tuple<Tps&...>(args...);
}

}  // namespace AscendC::Std

// For structured bindings.
namespace std {
template <typename... Tps>
struct tuple_size<AscendC::Std::tuple<Tps...>> : integral_constant<size_t, sizeof...(Tps)> {};
template <size_t n, typename... Tps>
struct tuple_element<n, AscendC::Std::tuple<Tps...>> {
  using type = AscendC::Std::tuple_element_t<n, AscendC::Std::tuple<Tps...>>;
};
}  // namespace std
