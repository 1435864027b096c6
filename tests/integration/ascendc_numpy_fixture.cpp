#include "ascendc_numpy_fixture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "npu/headers/kgnpu/number.h"

namespace kg::npu::testing {
namespace {

std::uint64_t mix(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t z = ((stream << 32) + i + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return z ^ z >> 31;
}

// Zeros, subnormals, ones, largest, infinities, NaN, and 2^23 + 1.
constexpr std::uint32_t kSpecials[16] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,
                                         0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x7F7FFFFF, 0xFF7FFFFF,
                                         0x7F800000, 0xFF800000, 0x7FC00000, 0x4B000001};

std::uint64_t sign_extended(std::uint64_t value, int bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
}

std::uint64_t without_nan_payload(const std::string& type, std::uint64_t bits) {
  if (type == "float" && (bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC00000;
  if (type == "half" && (bits & 0x7FFF) > 0x7C00) return 0x7E00;
  if (type == "bfloat16_t" && (bits & 0x7FFF) > 0x7F80) return 0x7FC0;
  return bits;
}

double value_of(const std::string& type, std::uint64_t bits) {
  return type == "half" ? kgnpu::half_value(static_cast<std::uint16_t>(bits))
                        : kgnpu::float_of_bits(static_cast<std::uint32_t>(bits));
}

// Finite, and small enough that no product of two overflows a float.
std::uint64_t calm(const std::string& type, std::uint64_t bits) {
  if (type == "half") return (bits & 0x7C00) == 0x7C00 ? bits ^ 0x4000 : bits;
  if (type == "bfloat16_t") return (bits & 0x807F) | ((bits >> 7 & 0x7F) + 64) << 7;
  if (type == "float") return (bits & 0x807FFFFF) | ((bits >> 23 & 0x7F) + 64) << 23;
  return bits;
}

}  // namespace

std::uint64_t input_bits(const std::string& type, Inputs inputs, std::uint64_t operand, std::uint64_t i) {
  const std::uint64_t random = mix(operand, i);
  if (inputs == Inputs::kMild) {
    if (type == "half")
      return kgnpu::half_bits(static_cast<float>(static_cast<std::int64_t>(random % 2001) - 1000) / 64);
    return kgnpu::bits_of_float(static_cast<float>(static_cast<std::int64_t>(random % 4001) - 2000) / 128);
  }
  if (type == "half" || type == "bfloat16_t" || type == "int16_t" || type == "uint16_t")
    return operand == 0 && i < 65536 ? i : random & 0xFFFF;
  if (type == "int8_t" || type == "uint8_t") return operand == 0 ? i & 0xFF : random & 0xFF;
  if (type == "float") {
    if (i < 256) return kSpecials[operand == 0 ? i / 16 : operand == 1 ? i % 16 : i * 7 % 16];
    if (i % 2 == 1) return random & 0xFFFFFFFF;
    return (random & 0x807FFFFF) | (96 + (random >> 40) % 64) << 23;
  }
  constexpr std::uint64_t kEdges[4] = {0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0, 0xFFFFFFFFFFFFFFFF};
  const bool wide = type == "int64_t";
  if (i < 4) return wide ? kEdges[(i + operand) % 4] : kEdges[(i + operand) % 4] >> 32;
  const std::uint64_t value = i % 3 == 0   ? random
                              : i % 3 == 1 ? sign_extended(random & 0xFFFFFFFF, 32)
                                           : sign_extended(random & 0xFFFF, 16);
  return wide ? value : value & 0xFFFFFFFF;
}

std::size_t bytes_of(const std::string& type) {
  return type == "float" || type == "int32_t" || type == "uint32_t" ? 4
         : type == "int64_t" || type == "uint64_t"                  ? 8
         : type == "int8_t" || type == "uint8_t"                    ? 1
                                                                    : 2;
}

std::uint64_t recipe_bits(const std::string& type, const std::string& recipe, std::uint64_t operand, std::uint64_t i) {
  const std::uint64_t random = mix(operand, i);
  const std::uint64_t all = bytes_of(type) == 8 ? ~0ULL : (1ULL << bytes_of(type) * 8) - 1;
  if (recipe == "raw") return bytes_of(type) <= 2 ? random & all : input_bits(type, Inputs::kTwo, operand, i);
  if (recipe == "wide") return i % 997 == 996 ? random & all : calm(type, random & all);
  if (recipe == "mild") {
    const std::uint64_t bits = input_bits(type == "half" ? "half" : "float", Inputs::kMild, operand, i);
    return type == "bfloat16_t" ? bits >> 16 : bits;
  }
  if (recipe == "ties") {  // -3 to 3, and both zeros
    const auto value = static_cast<float>(static_cast<int>(random % 7) - 3);
    const std::uint32_t sign = value == 0 && (random >> 32 & 1) != 0 ? 1 : 0;
    return type == "half" ? kgnpu::half_bits(value) | sign << 15 : kgnpu::bits_of_float(value) | sign << 31;
  }
  // Fixpipe's: a float between 1/512 and 1/2 of 19 bits, an offset of 9 bits from bit 37 on.
  if (recipe == "scales") return (0x3B000000 + random % 0x4000000) / 8192 * 8192 | (random >> 32 & 0x1FF) << 37;
  unsigned choices = 1, step = 1;
  EXPECT_EQ(std::sscanf(recipe.c_str(), "pick/%u/%u", &choices, &step), 2) << recipe;
  return random % choices * step;
}

std::vector<std::uint64_t> bits_of(const std::string& data, const std::string& type) {
  std::vector<std::uint64_t> bits;
  const std::size_t bytes = bytes_of(type);
  for (std::size_t at = 0; at + bytes <= data.size(); at += bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + at, bytes);
    bits.push_back(without_nan_payload(type, word));
  }
  return bits;
}

Fixture read_fixture(const std::string& file) {
  Fixture rows;
  std::ifstream in(KG_SOURCE_DIR "/tests/integration/" + file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, kind, number;
    Expected row;
    words >> name >> kind >> row.count;
    row.exact = kind == "exact";
    while (words >> number) row.numbers.push_back(std::stoull(number, nullptr, 16));
    rows[name] = row;
  }
  return rows;
}

void expect_numbers(const Fixture& fixture, const std::string& name, const std::string& type,
                    const std::vector<std::uint64_t>& got, double tolerance) {
  const auto row = fixture.find(name);
  ASSERT_NE(row, fixture.end()) << "run the reference with --write";
  const Expected& expected = row->second;
  ASSERT_EQ(got.size(), expected.count);
  if (expected.exact) {
    std::vector<std::uint64_t> sums(16);
    for (std::size_t i = 0; i < got.size(); ++i) sums[i * 16 / got.size()] += (got[i] + 1) * (mix(99, i) | 1);
    for (std::size_t part = 0; part < 16; ++part)
      EXPECT_EQ(sums[part], expected.numbers[part])
          << "elements " << part * got.size() / 16 << " on; the reference prints what numpy has: --show " << name;
    return;
  }
  ASSERT_EQ(expected.numbers.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double is = value_of(type, got[i]), wanted = value_of("float", expected.numbers[i]);
    if (wanted != wanted || std::isinf(wanted))
      EXPECT_TRUE(is == wanted || (is != is && wanted != wanted)) << i << ": " << is << " not " << wanted;
    else
      EXPECT_NEAR(is, wanted, tolerance * std::max(1.0, std::fabs(wanted))) << i;
  }
}

}  // namespace kg::npu::testing
