#pragma once

#include <cstdint>
#include <string>

#include "dataset/cot/kernel_style.h"

namespace kg::dataset::cot {

// What was measured of a kernel.
struct Measured {
  std::uint64_t cycles = 0, baseline = 0;
  int rank = 1, ways = 1;  // by cycles, among those that were judged for this task
  std::string best;        // name of the fastest way
  std::uint64_t best_cycles = 0;
};

// Why the kernel is as it is, with its own numbers. Short: two or three sentences. `pick` chooses among ways to say it.
std::string short_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts, std::uint64_t pick);
std::string long_reasoning(const Instance& instance, const KernelStyle& style, const Facts& facts,
                           const Measured& measured, std::uint64_t pick);
// Of a DSL program: what the program itself decides.
std::string dsl_reasoning(const Instance& instance, const Facts& facts, std::uint64_t pick);

}  // namespace kg::dataset::cot
