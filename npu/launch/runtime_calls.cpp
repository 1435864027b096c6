// The border between a kernel and the runtime. A kernel's call arrives with numbers in registers. Each is converted to
// the parameter's type: a number stays a number, a structure is copied out of the kernel's
// memory, and so are the tensors and texts that it points to. So the runtime only ever sees its own memory, and
// its results are copied back. A pointer out of the kernel's memory, or a number that the headers never
// pass, ends the kernel.

#include "npu/launch/runtime_calls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "npu/headers/kgnpu/abi_queue.h"
#include "npu/launch/call_rules.h"
#include "npu/launch/call_structures.h"
#include "npu/machine/core.h"
#include "npu/machine/print.h"

namespace kg::npu {
namespace {

using scalar::Machine;

// One argument of a function with a parameter P.
template <typename P>
class Argument {
 public:
  Argument(CallFrame&, std::uint64_t given) : value_(static_cast<P>(given)) {}
  P value() { return value_; }
  bool is_there() const { return true; }
  void give_back(CallFrame&) {}

 private:
  P value_;
};
template <>
class Argument<const char*> {
 public:
  Argument(CallFrame& frame, std::uint64_t given) : text_(reinterpret_cast<const char*>(given)) { frame.bring(text_); }
  const char* value() { return text_; }
  bool is_there() const { return true; }
  void give_back(CallFrame&) {}

 private:
  const char* text_;
};
template <typename T>
class Argument<T*> {
 public:
  Argument(CallFrame& frame, std::uint64_t given) : address_(given) {
    if (given == 0) return;
    frame.copy_in(given, object_.get());
    bring(frame, object_.get());
  }
  T* value() { return address_ == 0 ? nullptr : &object_.get(); }
  bool is_there() const { return address_ != 0; }
  void give_back(CallFrame& frame) {
    if constexpr (!std::is_const_v<T>) {
      if (address_ == 0) return;
      std::uint8_t* const to = frame.machine().writable(address_, sizeof(T));
      if (to == nullptr)
        refuse_call(frame.machine(),
                    "a call of the API that fills an object which is a constant; declare it as a variable");
      std::memcpy(to, &object_.get(), sizeof(T));
    }
  }

 private:
  std::uint64_t address_;
  Room<std::remove_const_t<T>> object_;
};

template <auto function>
struct Call;
template <typename R, typename... P, R (*function)(P...)>
struct Call<function> {
  static_assert(sizeof...(P) <= 8, "arguments beyond the registers");

  static void make(Machine& machine) { make(machine, std::index_sequence_for<P...>()); }
  template <std::size_t... i>
  static void make(Machine& machine, std::index_sequence<i...>) {
    CallFrame frame(machine);
    std::tuple<Argument<P>...> arguments{Argument<P>(frame, machine.argument(static_cast<int>(i)))...};
    if constexpr (!Rule<function>::kMayBeAbsent) frame.check((std::get<i>(arguments).is_there() && ...));
    frame.check(Rule<function>::holds(std::get<i>(arguments).value()...));
    if constexpr (std::is_void_v<R>)
      function(std::get<i>(arguments).value()...);
    else
      // Narrow numbers travel sign-extended.
      machine.give(static_cast<std::uint64_t>(static_cast<std::int64_t>(function(std::get<i>(arguments).value()...))));
    if (Core& self = core(); self.device->foreign) self.device->foreign->end_call(self);
    (std::get<i>(arguments).give_back(frame), ...);
  }
};

// --- Functions whose types do not describe their arguments.

void read_tiling(Machine& machine) {
  CallFrame frame(machine);
  Argument<const char*> type(frame, machine.argument(3));
  const std::uint64_t bytes = machine.argument(1);
  kgnpu_read_tiling(machine.writable(machine.argument(0), bytes), bytes, machine.argument(2), type.value(),
                    static_cast<int>(machine.argument(4)), static_cast<std::uint32_t>(machine.argument(5)));
}

void set_image(Machine& machine) {
  CallFrame frame(machine);
  std::array<std::uint8_t, 4> pad;
  frame.copy_in(machine.argument(2), pad);
  kgnpu_set_image(static_cast<std::uint16_t>(machine.argument(0)), static_cast<std::uint16_t>(machine.argument(1)),
                  pad.data(), static_cast<int>(machine.argument(3)));
}

void set_addresses(Machine& machine) {
  CallFrame frame(machine);
  std::array<std::uint64_t, 8> addresses;
  frame.copy_in(machine.argument(1), addresses);
  kgnpu_set_addresses(static_cast<int>(machine.argument(0)), addresses.data());
}

void dump(Machine& machine) {
  CallFrame frame(machine);
  Argument<const kgnpu::Local*> tensor(frame, machine.argument(0));
  const auto type = static_cast<int>(machine.argument(2)), dimensions = static_cast<int>(machine.argument(6));
  std::array<std::uint32_t, 8> shape{};
  frame.check(type >= 0 && is_known(static_cast<kgnpu::Type>(type)) && dimensions >= 0);
  if (static_cast<std::size_t>(dimensions) > shape.size()) {  // ShapeInfo::shapeDim is the kernel's to set
    core().line = static_cast<int>(machine.argument(7));
    core().error(FaultClass::kArgument, "DumpTensor: its ShapeInfo has ", dimensions,
                 " dimensions; a tensor has at most 8");
    return;
  }
  for (int i = 0; i < dimensions; ++i)
    frame.copy_in(machine.argument(5) + 4 * static_cast<std::uint64_t>(i), shape[static_cast<std::size_t>(i)]);
  kgnpu_dump(tensor.value(), machine.argument(1), type, static_cast<std::uint32_t>(machine.argument(3)),
             static_cast<std::uint32_t>(machine.argument(4)), shape.data(), dimensions,
             static_cast<int>(machine.argument(7)));
}

// Copies of whole structures, which the compiler makes for assignments; one instruction per word.
void copy_bytes(Machine& machine) {
  const std::uint64_t to = machine.argument(0), from = machine.argument(1), bytes = machine.argument(2);
  machine.charge_copy(bytes);
  const std::uint8_t* const source = machine.readable(from, bytes);
  std::uint8_t* const target = machine.writable(to, bytes);
  if (source != nullptr && target != nullptr) {
    std::memmove(target, source, bytes);
    return;
  }
  constexpr std::uint64_t kWord = 8;
  std::uint8_t word[kWord];
  const std::uint64_t words = (bytes + kWord - 1) / kWord;
  const bool backwards = to > from && to - from < bytes;  // or it would read what it has just written
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t at = (backwards ? words - 1 - i : i) * kWord, part = std::min(kWord, bytes - at);
    machine.load(from + at, part, word);
    machine.store(to + at, part, word);
  }
}

void fill_bytes(Machine& machine) {
  const std::uint64_t to = machine.argument(0), bytes = machine.argument(2);
  machine.charge_copy(bytes);
  const auto value = static_cast<std::uint8_t>(machine.argument(1));
  if (std::uint8_t* const target = machine.writable(to, bytes)) {
    std::memset(target, value, bytes);
    return;
  }
  constexpr std::uint64_t kWord = 8;
  std::uint8_t word[kWord];
  std::memset(word, value, kWord);
  for (std::uint64_t done = 0; done < bytes; done += kWord)
    machine.store(to + done, std::min(kWord, bytes - done), word);
}

using Table = std::unordered_map<std::string, scalar::RuntimeCall>;

#define KG_CALL(name) {#name, Call<&name>::make}

// Of cube cores and of the Matmul object.
const Table& cube_table() {
  static const Table calls = {
      KG_CALL(kgnpu_copy_nd_to_nz),     KG_CALL(kgnpu_copy_to_table),      KG_CALL(kgnpu_load_fractals),
      KG_CALL(kgnpu_load_image),        KG_CALL(kgnpu_set_image_padding),  KG_CALL(kgnpu_set_image_boundary),
      KG_CALL(kgnpu_set_image_repeat),  KG_CALL(kgnpu_fill_matrix),        KG_CALL(kgnpu_mmad),
      KG_CALL(kgnpu_fixpipe),           KG_CALL(kgnpu_set_nd_para),        KG_CALL(kgnpu_nd_para),
      KG_CALL(kgnpu_set_fixpipe_scale), KG_CALL(kgnpu_set_fixpipe_scales), KG_CALL(kgnpu_matmul),
      KG_CALL(kgnpu_matmul_wait),       KG_CALL(kgnpu_matmul_on_cube),     KG_CALL(kgnpu_matmul_serves),
      KG_CALL(kgnpu_matmul_post),       KG_CALL(kgnpu_matmul_receive),     KG_CALL(kgnpu_matmul_room),
      KG_CALL(kgnpu_matmul_block),      KG_CALL(kgnpu_matmul_in_l0c),      KG_CALL(kgnpu_matmul_write),
      KG_CALL(kgnpu_matmul_done),
  };
  return calls;
}

const Table& table() {
  static const Table calls = {
      KG_CALL(kgnpu_block_index),
      KG_CALL(kgnpu_block_count),
      KG_CALL(kgnpu_sub_block_index),
      KG_CALL(kgnpu_sub_block_count),
      KG_CALL(kgnpu_task_ratio),
      KG_CALL(kgnpu_system_cycle),
      KG_CALL(kgnpu_set_system_workspace),
      KG_CALL(kgnpu_system_workspace),
      KG_CALL(kgnpu_pipe_open),
      KG_CALL(kgnpu_pipe_close),
      KG_CALL(kgnpu_pipe_reset),
      KG_CALL(kgnpu_init_buffer),
      KG_CALL(kgnpu_buffer_get),
      KG_CALL(kgnpu_queue_alloc),
      KG_CALL(kgnpu_queue_free),
      KG_CALL(kgnpu_queue_enqueue),
      KG_CALL(kgnpu_queue_dequeue),
      KG_CALL(kgnpu_queue_enqueue_between),
      KG_CALL(kgnpu_queue_dequeue_between),
      KG_CALL(kgnpu_queue_waiting),
      KG_CALL(kgnpu_queue_idle),
      KG_CALL(kgnpu_pool_open),
      KG_CALL(kgnpu_pool_buffer),
      KG_CALL(kgnpu_pool_reset),
      KG_CALL(kgnpu_set_flag),
      KG_CALL(kgnpu_wait_flag),
      KG_CALL(kgnpu_barrier),
      KG_CALL(kgnpu_event_fetch),
      KG_CALL(kgnpu_event_alloc),
      KG_CALL(kgnpu_event_release),
      KG_CALL(kgnpu_sync_cores),
      KG_CALL(kgnpu_cross_core_set),
      KG_CALL(kgnpu_cross_core_wait),
      KG_CALL(kgnpu_core_signal),
      KG_CALL(kgnpu_core_await),
      KG_CALL(kgnpu_group_arrive),
      KG_CALL(kgnpu_group_wait),
      KG_CALL(kgnpu_whole_tiling),
      KG_CALL(kgnpu_atomic),
      KG_CALL(kgnpu_atomic_mode),
      KG_CALL(kgnpu_atomic_type),
      KG_CALL(kgnpu_spill_init),
      KG_CALL(kgnpu_spill_at),
      KG_CALL(kgnpu_narrowed),
      KG_CALL(kgnpu_vector),
      KG_CALL(kgnpu_vector_first),
      KG_CALL(kgnpu_library),
      KG_CALL(kgnpu_set_mask),
      KG_CALL(kgnpu_set_mask_mode),
      KG_CALL(kgnpu_reduce_result),
      KG_CALL(kgnpu_copy_in),
      KG_CALL(kgnpu_copy_out),
      KG_CALL(kgnpu_copy_local),
      KG_CALL(kgnpu_local_load),
      KG_CALL(kgnpu_local_store),
      KG_CALL(kgnpu_global_load),
      KG_CALL(kgnpu_global_store),
      KG_CALL(kgnpu_clean_cache),
      KG_CALL(kgnpu_local_pointer),
      KG_CALL(kgnpu_beyond_variable),
      KG_CALL(kgnpu_assert_failed),
      KG_CALL(kgnpu_special),
      KG_CALL(kgnpu_local_at),
      KG_CALL(kgnpu_matrix_at),
      KG_CALL(kgnpu_memory_at),
      KG_CALL(kgnpu_stack_buffer),
      KG_CALL(kgnpu_fill_global),
      KG_CALL(kgnpu_merged_lengths),
      KG_CALL(kgnpu_gathered),
      KG_CALL(kgnpu_address),
      KG_CALL(kgnpu_set_pad_value),
      KG_CALL(kgnpu_pad_value),
      KG_CALL(kgnpu_trap),
      {"kgnpu_read_tiling", read_tiling},
      {"kgnpu_set_image", set_image},
      {"kgnpu_set_addresses", set_addresses},
      {"kgnpu_dump", dump},
      {"kgnpu_print", print_call},
      {"memcpy", copy_bytes},
      {"memmove", copy_bytes},
      {"memset", fill_bytes},
  };
  return calls;
}

}  // namespace

scalar::RuntimeCall find_runtime_call(const std::string& name) {
  for (const Table* calls : {&table(), &cube_table()})
    if (const auto found = calls->find(name); found != calls->end()) return found->second;
  return nullptr;
}

}  // namespace kg::npu
