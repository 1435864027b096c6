#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_facts.h"
#include "dsl/emit_project.h"

namespace kg::dataset::cot {

// One way to write a kernel.
struct KernelStyle {
  enum class Order { kQueues, kBarriers, kFlags };
  enum class Names { kPlain, kSample, kMembers, kTerse };  // xGm; as in the AddCustom sample; x_gm_; gx
  std::string name;
  Order order = Order::kQueues;
  bool single_buffer = false;
  int tile_part = 1;  // divides the compiler's choice
  Names names = Names::kPlain;
  bool commented = false;
  bool strided = false;  // strided_form.h
  Writing writing = {};
  bool compact() const { return order != Order::kQueues; }
};

struct LoweredKernel {
  std::string refusal;  // not empty: the DSL's compiler refuses it
  std::string program;  // DSL
  std::string source;   // Ascend C
  std::uint64_t workspace_bytes = 0;
  Facts facts;
  std::vector<dsl::ProjectPart> project;  // queues only
};

// All styles that give different kernels for this instance: at least eight.
std::vector<KernelStyle> styles_of(const Instance& instance);
// A style by its name in styles_of.
std::vector<std::string> style_names();

LoweredKernel lower_kernel(const Instance& instance, const KernelStyle& style);

}  // namespace kg::dataset::cot
