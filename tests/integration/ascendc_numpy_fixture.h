#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ascendc_numpy_cases.h"

// What the comparison with numpy shares: the recipe of the inputs, which the reference programs have too, and the
// committed results.
namespace kg::npu::testing {

std::size_t bytes_of(const std::string& type);

// The bits of element i of operand x (0), y (1) or c (2).
std::uint64_t input_bits(const std::string& type, Inputs inputs, std::uint64_t operand, std::uint64_t i);
// The same for a program, by the name of a recipe: raw, wide (no infinity, NaN or overflow of a product but for one in
// 997), mild, ties (few values), scales (of Fixpipe), pick/N/S (one of N multiples of S).
std::uint64_t recipe_bits(const std::string& type, const std::string& recipe, std::uint64_t operand, std::uint64_t i);

// The elements of an output, NaN without payload.
std::vector<std::uint64_t> bits_of(const std::string& data, const std::string& type);

// "name exact count checksum x 16" or "name close count value ..." (bits of float).
struct Expected {
  bool exact = true;
  std::size_t count = 0;
  std::vector<std::uint64_t> numbers;
};
using Fixture = std::map<std::string, Expected>;
Fixture read_fixture(const std::string& file);

// Bit by bit, or within a tolerance: relative, and absolute below 1.
void expect_numbers(const Fixture& fixture, const std::string& name, const std::string& type,
                    const std::vector<std::uint64_t>& got, double tolerance);

}  // namespace kg::npu::testing
