#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "npu/headers/kgnpu/abi_special.h"
#include "npu/machine/core.h"

namespace kg::npu {

// One vector instruction that is not elementwise. First all operands are declared, then it is issued, which checks and
// records them, then it is computed:
//
//   run.reads(source, bytes, "the source tensor"); run.writes(...); run.issue(cycles);
//   run.put(target, type, i, run.get(source, type, j), defined);
class SpecialRun {
 public:
  SpecialRun(Core& core, const kgnpu::SpecialCall& call) : core(core), call(call) {}

  void reads(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address = false);
  void writes(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address = false);
  // Temporary space for the call, of which it takes up to `bytes`; its previous content is lost. Null: the call uses
  // the part that InitBuffer left over. The size is that of the call's rule, or at least `least`, which `how` gives.
  void scratch(const kgnpu::Local* tensor, std::int64_t bytes);
  void scratch(const kgnpu::Local* tensor, std::int64_t bytes, std::int64_t least, const std::string& how);
  void issue(double cycles);
  // Whether a shape with this many elements fits into UB at all, so that its sizes may be multiplied; reports if not.
  bool fits(std::initializer_list<std::int64_t> sizes);

  std::uint8_t* at(const kgnpu::Local& tensor, std::int64_t offset) const {
    return core.ub->data() + tensor.address + offset;
  }
  bool defined(const kgnpu::Local& tensor, std::int64_t offset, std::int64_t bytes) const {
    return core.ub->all_defined(tensor.address + offset, bytes);
  }
  void define(const kgnpu::Local& tensor, std::int64_t offset, std::int64_t bytes, bool value) {
    core.ub->set_defined(tensor.address + offset, bytes, value);
  }
  // Element i as a number, and back, rounded once to the nearest.
  double get(const kgnpu::Local& tensor, kgnpu::Type type, std::int64_t i) const;
  void put(const kgnpu::Local& tensor, kgnpu::Type type, std::int64_t i, double value, bool is_defined);
  // Copies bytes together with what is known about them.
  void copy(const kgnpu::Local& to, std::int64_t to_offset, const kgnpu::Local& from, std::int64_t from_offset,
            std::int64_t bytes);

  const kgnpu::Local& tensor(int k) const;  // ends the kernel if the call has no tensor there
  bool has(int k) const { return call.tensor[k] != nullptr; }
  // A count, an extent, a stride, or whether something is so. Ends the kernel if it is negative or so large that
  // products of two with a size in bytes would not fit 64 bits. Signed values and bits: call.number[k].
  std::int64_t number(int k) const;
  // A value, by the bits that the call gives for it.
  double scalar(int k, kgnpu::Type type) const;
  kgnpu::Type type(int k) const;  // a number that names a data type; ends the kernel if there is none such
  // An error after which the call cannot go on.
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    core.fail(FaultClass::kArgument, call.name, ": ", parts...);
  }
  template <typename... Parts>
  void error(FaultClass fault_class, const Parts&... parts) {
    core.error(fault_class, call.name, ": ", parts...);
  }

  Core& core;
  const kgnpu::SpecialCall& call;

 private:
  struct Range {
    const kgnpu::Local* tensor;
    std::int64_t bytes;
    const char* operand;
    bool any_address, writes;
  };
  void take_scratch(const kgnpu::Local* tensor, std::int64_t bytes);
  void declare(const kgnpu::Local& tensor, std::int64_t bytes, const char* operand, bool any_address, bool is_write);
  std::vector<Range> ranges_;
};

double element_at(const std::uint8_t* from, kgnpu::Type type);
void store_element(std::uint8_t* to, kgnpu::Type type, double value);

using SpecialFunction = std::uint64_t (*)(SpecialRun& run);
struct SpecialRow {
  kgnpu::Special op;
  SpecialFunction run;
};

// Cycles of `simple` instructions at 256 bytes a cycle and `slow` ones at 32 elements a cycle over n elements, each
// with its start-up: the time of a library call.
double library_cycles(double elements, kgnpu::Type type, double simple, double slow);

// The tables that kgnpu_special searches, one per source file.
std::span<const SpecialRow> gather_table();
std::span<const SpecialRow> transpose_table();
std::span<const SpecialRow> layout_table();
std::span<const SpecialRow> register_table();
std::span<const SpecialRow> sort_table();
std::span<const SpecialRow> broadcast_table();
std::span<const SpecialRow> softmax_table();
std::span<const SpecialRow> norm_table();
std::span<const SpecialRow> norm_grad_table();
std::span<const SpecialRow> norm_batch_table();
std::span<const SpecialRow> quant_table();

}  // namespace kg::npu
