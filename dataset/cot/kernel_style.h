#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/instance.h"
#include "sandbox/dsl/emit_project.h"

namespace kg::dataset::cot {

// One way to write the same kernel.
struct KernelStyle {
  enum class Order { kQueues, kBarriers, kFlags };
  enum class Names { kPlain, kSample, kMembers, kTerse };  // xGm; as the AddCustom sample; x_gm_; gx
  std::string name;
  Order order = Order::kQueues;
  bool single_buffer = false;
  int tile_part = 1;  // of the compiler's choice
  Names names = Names::kPlain;
  bool commented = false;
  bool strided = false;  // strided_form.h
  Writing writing = {};
  bool compact() const { return order != Order::kQueues; }
};

// The numbers of a lowered kernel, for the reasoning.
struct Facts {
  int launched = 0;       // cores
  std::int64_t tile = 0;  // elements of the longest copy
  std::int64_t tile_bytes = 0;
  std::int64_t ub_bytes = 0, work_bytes = 0;
  std::int64_t longest = 0;  // bytes of a tile
  std::int64_t slot = 0;     // strided: floats of a slot
  int queues = 0, double_buffered = 0;
  int copies_in = 0, copies_out = 0, vector_calls = 0, orders = 0;  // in the text; orders: barriers or flags
  bool pads = false;                                                // a copy is not whole blocks
  bool casts = false;                                               // stored and computed type differ
  std::vector<std::string> calls;                                   // vector calls in order
  std::vector<std::string> plan;                                    // by the program's statements: "t1: Exp, Adds"
};

struct LoweredKernel {
  std::string refusal;  // not empty: the DSL's compiler says no
  std::string program;  // DSL
  std::string source;   // Ascend C
  std::uint64_t workspace_bytes = 0;
  Facts facts;
  std::vector<sandbox::dsl::ProjectPart> project;  // queues only
};

// All that make different kernels of this instance: at least eight.
std::vector<KernelStyle> styles_of(const Instance& instance);
// By name, as styles_of has it.
std::vector<std::string> style_names();

LoweredKernel lower_kernel(const Instance& instance, const KernelStyle& style);

}  // namespace kg::dataset::cot
