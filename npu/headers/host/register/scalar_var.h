#pragma once

#include <cstdint>

// The value of an output before the kernel runs (OpParamDef::InitValue).

namespace ops {

enum class ScalarType : uint32_t {
  UINT64 = 0,
  INT64 = 1,
  UINT32 = 2,
  INT32 = 3,
  UINT16 = 4,
  INT16 = 5,
  UINT8 = 6,
  INT8 = 7,
  FLOAT32 = 8,
  FLOAT16 = 9,
  INVALID_DTYPE = static_cast<uint32_t>(-1)
};

union ScalarNum {
  uint64_t value_u64;
  int64_t value_i64;
  float value_f32;
  ScalarNum() : value_u64(0) {}
  explicit ScalarNum(uint64_t value) : value_u64(value) {}
  explicit ScalarNum(int64_t value) : value_i64(value) {}
  explicit ScalarNum(float value) : value_u64(0) { value_f32 = value; }
};

struct ScalarVar {
  ScalarType scalar_type = ScalarType::INVALID_DTYPE;
  ScalarNum scalar_num;
  ScalarVar() = default;
  ScalarVar(ScalarType type, uint64_t num) : scalar_type(type), scalar_num(num) {}
  ScalarVar(ScalarType type, int64_t num) : scalar_type(type), scalar_num(num) {}
  ScalarVar(ScalarType type, int num) : ScalarVar(type, static_cast<int64_t>(num)) {}
  ScalarVar(ScalarType type, unsigned int num) : ScalarVar(type, static_cast<uint64_t>(num)) {}
  ScalarVar(ScalarType type, float num) : scalar_type(type), scalar_num(num) {}
  ScalarVar(ScalarType type, double num) : ScalarVar(type, static_cast<float>(num)) {}
  bool operator==(const ScalarVar& other) const {
    return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
  }
};

}  // namespace ops
