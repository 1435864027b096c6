#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Every call of the emulated NPU that computes numbers, for the comparison with numpy: ascendc_numpy_reference.py holds
// the same names, computes each independently and writes ascendc_numpy_fixture.txt.
namespace kg::npu::testing {

enum class Inputs {
  kOne,    // x: every pattern of 16-bit types
  kTwo,    // x and y: a million pairs of 16-bit types
  kThree,  // and c, which is also what z holds before the call
  kFew,    // x and y, fewer of 32 bits: the reference takes long
  kMild,   // x and y of moderate size, as sums want them
};
enum class Outputs { kEach, kBits, kRepeats, kBlocks, kPairs, kTile };  // how many a tile of n elements

struct NumpyCase {
  const char* name;
  const char* types;  // "half float>int32_t": of x, y and c; behind > of z
  Inputs inputs;
  const char* compute;  // sees x, y, c, z, work, scratch and n
  Outputs outputs = Outputs::kEach;
  double tolerance = 0;  // 0: bit by bit; else relative, and absolute below 1
};
std::span<const NumpyCase> numpy_cases();

// One case in one data type: "Add_half", "Cast_float_half".
struct TypedCase {
  const NumpyCase* row;
  std::string in, out, name;
};
std::vector<TypedCase> typed_cases();

}  // namespace kg::npu::testing
