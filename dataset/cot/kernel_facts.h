#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/code.h"

namespace kg::dataset::cot {

// Numbers about a lowered kernel, for the reasoning.
struct Facts {
  int launched = 0;       // cores
  std::int64_t tile = 0;  // elements of the longest copy
  std::int64_t tile_bytes = 0;
  std::int64_t ub_bytes = 0, work_bytes = 0;
  std::int64_t longest = 0;  // size of the longest tile in bytes
  std::int64_t slot = 0;     // strided: floats per slot
  int queues = 0, double_buffered = 0;
  int copies_in = 0, copies_out = 0, vector_calls = 0, orders = 0;  // in the text; orders: barriers or flags
  bool pads = false;                                                // some copy is not in whole blocks
  bool casts = false;                                               // stored and computed types differ
  std::vector<std::string> calls;                                   // vector calls in order
  std::vector<std::string> plan;                                    // by the program's statements: "t1: Exp, Adds"
};

// For the kernel that `program` was lowered to.
Facts facts_of(const dsl::Form& form, const dsl::Code& code, const std::string& program);

}  // namespace kg::dataset::cot
