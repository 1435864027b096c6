#pragma once

#include <string>
#include <vector>

#include "ascendc_bodies.h"
#include "ascendc_mutations.h"

namespace kg::npu::testing {

// What became of mutants. A mutant is told apart if the compiler refuses it, if it has an error that its parent has
// not, or if an output differs, in one of several runs: other inputs, other orders of cores, other garbage in memory.
struct Tally {
  std::size_t made = 0, judged = 0;
  int compiler = 0, fault = 0, numbers = 0;  // told apart by
  // Not told apart, and rightly: a warning says what is left behind and the kernel's work is done; it does less or more
  // than its parent, inside the same tensors and in the same order, and nothing of that reaches an output; or argued
  // one by one (why_equivalent()).
  int warning = 0, less = 0, more = 0, argued = 0;
  std::vector<std::string> survivors;

  int told() const { return compiler + fault + numbers; }
  int missed() const { return static_cast<int>(survivors.size()); }
};

// Judges every `step`-th mutant of the parents, all of which are bodies for the same kind of core.
void judge_mutants(const std::vector<Body>& parents, std::size_t step, Tally& tally);

// Of all correct kernels. Prints what became of them.
Tally judge_mutants_of_all(std::size_t about);  // how many to judge, 0: all

// Why no judge can tell the mutant from its parent, or null.
const char* why_equivalent(const Body& parent, const Mutation& mutation);

}  // namespace kg::npu::testing
