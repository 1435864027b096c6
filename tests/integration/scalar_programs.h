#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Random programs of the scalar unit's instructions, for its interpreter and for any other machine of the ISA.
namespace kg::npu::scalar::testing {

// A program is a row of trials. Each loads the registers x4 to x31 and f0 to f31 from `input`, does a few random
// instructions, and appends all these registers to the output.
struct ScalarProgram {
  std::vector<std::uint32_t> code;  // at kCodeStart; what begins at word `entry` is a function of `input`'s address
  std::size_t entry = 0;
  std::string input;  // at most the stack of the scalar unit
  std::size_t trials = 0;
  std::vector<std::vector<std::uint32_t>> bodies;  // the instructions of each trial
};
constexpr std::size_t kRegistersOfTrial = 28 + 32;  // words of 8 bytes
constexpr std::uint64_t kOutputStart = 0x6000'0000;

// The same for the same seed. `input_address`: where the words before `entry`, which run the program under Linux and
// write its output to standard output, find the input.
ScalarProgram random_program(std::uint64_t seed, std::size_t trials, std::uint64_t input_address);

// A relocatable object with a function k, and an executable for Linux whose input is at `input_address`.
std::string object_of(const ScalarProgram& program);
std::string executable_of(const ScalarProgram& program, std::uint64_t input_address);

}  // namespace kg::npu::scalar::testing
