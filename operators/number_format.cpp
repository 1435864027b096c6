#include "operators/number_format.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace kg::operators {
namespace {

template <typename T>
double load(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

template <typename T>
void store(void* data, std::size_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
T to_integer(double value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(value);
  // The upper bound as fp64 may be one above the type's maximum, which saturates all the same.
  if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

struct FloatFormat {
  int mantissa_bits;     // stored
  int minimum_exponent;  // smallest exponent of normal numbers
  double maximum;
};

FloatFormat format_of(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT16:
      return {10, -14, 65504.0};
    case proto::BFLOAT16:
      return {7, -126, 3.3895313892515355e38};
    case proto::FLOAT32:
      return {23, -126, std::numeric_limits<float>::max()};
    case proto::FLOAT64:
      return {52, -1022, std::numeric_limits<double>::max()};
    default:
      KG_CHECK(false);
      return {};
  }
}

}  // namespace

bool is_floating(proto::DType dtype) {
  return dtype == proto::FLOAT16 || dtype == proto::BFLOAT16 || dtype == proto::FLOAT32 || dtype == proto::FLOAT64;
}

double unit_in_last_place(proto::DType dtype, double value) {
  if (!is_floating(dtype)) return 0.0;
  const FloatFormat format = format_of(dtype);
  int exponent = format.minimum_exponent;
  if (value != 0.0 && std::isfinite(value)) exponent = std::max(std::ilogb(value), format.minimum_exponent);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

double round_to(proto::DType dtype, double value) {
  if (!is_floating(dtype)) {
    char bytes[8];
    write_element(dtype, bytes, 0, value);
    return read_element(dtype, bytes, 0);
  }
  if (!std::isfinite(value) || dtype == proto::FLOAT64) return value;
  const FloatFormat format = format_of(dtype);
  // One rounding, from fp64 to the type's grid; going through fp32 would round twice.
  const double grid = unit_in_last_place(dtype, value);
  const double rounded = std::nearbyint(value / grid) * grid;
  if (std::abs(rounded) > format.maximum) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded == 0.0 ? std::copysign(0.0, value) : rounded;
}

double read_element(proto::DType dtype, const void* data, std::size_t index) {
  switch (dtype) {
    case proto::FLOAT32:
      return load<float>(data, index);
    case proto::FLOAT64:
      return load<double>(data, index);
    case proto::FLOAT16:
      return static_cast<double>(static_cast<float>(
          Eigen::numext::bit_cast<Eigen::half>(static_cast<std::uint16_t>(load<std::uint16_t>(data, index)))));
    case proto::BFLOAT16:
      return static_cast<double>(static_cast<float>(
          Eigen::numext::bit_cast<Eigen::bfloat16>(static_cast<std::uint16_t>(load<std::uint16_t>(data, index)))));
    case proto::INT8:
      return load<std::int8_t>(data, index);
    case proto::UINT8:
    case proto::BOOL:
      return load<std::uint8_t>(data, index);
    case proto::INT16:
      return load<std::int16_t>(data, index);
    case proto::UINT16:
      return load<std::uint16_t>(data, index);
    case proto::INT32:
      return load<std::int32_t>(data, index);
    case proto::UINT32:
      return load<std::uint32_t>(data, index);
    case proto::INT64:
      return load<std::int64_t>(data, index);
    case proto::UINT64:
      return load<std::uint64_t>(data, index);
    default:
      KG_CHECK_EQ(static_cast<int>(dtype), -1);
      return 0;
  }
}

void write_element(proto::DType dtype, void* data, std::size_t index, double value) {
  switch (dtype) {
    case proto::FLOAT32:
      return store(data, index, static_cast<float>(value));
    case proto::FLOAT64:
      return store(data, index, value);
    // round_to leaves a value that the narrow type holds exactly, so that these casts do not round.
    case proto::FLOAT16:
      return store(data, index,
                   Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(static_cast<float>(round_to(dtype, value)))));
    case proto::BFLOAT16:
      return store(data, index,
                   Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(static_cast<float>(round_to(dtype, value)))));
    case proto::INT8:
      return store(data, index, to_integer<std::int8_t>(value));
    case proto::UINT8:
      return store(data, index, to_integer<std::uint8_t>(value));
    case proto::BOOL:
      return store(data, index, static_cast<std::uint8_t>(value != 0.0));
    case proto::INT16:
      return store(data, index, to_integer<std::int16_t>(value));
    case proto::UINT16:
      return store(data, index, to_integer<std::uint16_t>(value));
    case proto::INT32:
      return store(data, index, to_integer<std::int32_t>(value));
    case proto::UINT32:
      return store(data, index, to_integer<std::uint32_t>(value));
    case proto::INT64:
      return store(data, index, to_integer<std::int64_t>(value));
    case proto::UINT64:
      return store(data, index, to_integer<std::uint64_t>(value));
    default:
      KG_CHECK_EQ(static_cast<int>(dtype), -1);
  }
}

}  // namespace kg::operators
