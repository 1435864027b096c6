#pragma once

#include <cstdint>
#include <string>

#include "dataset/cot/kernel_style.h"

namespace kg::dataset::cot {

// Measurements of a kernel.
struct Measured {
  std::uint64_t cycles = 0, baseline = 0;
  int rank = 1, ways = 1;  // by cycles, among those judged for this task
  std::string best;        // name of the fastest way
  std::uint64_t best_cycles = 0;
};

// Why the kernel is written like this, with its own numbers. Two or three sentences. `pick` chooses a wording.
std::string short_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts, std::uint64_t pick);
std::string long_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts,
                           const Measured& measured, std::uint64_t pick);
// For a DSL program: the decisions in the program itself.
std::string dsl_reasoning(const Instance& instance, const Facts& facts, std::uint64_t pick);

}  // namespace kg::dataset::cot
