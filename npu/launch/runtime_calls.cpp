// The wall between a kernel and the runtime. A kernel's call arrives with numbers in registers. Each is turned into
// what the function takes by the function's own type: a number as it is, a structure by a copy out of the kernel's
// memory, the tensors and texts that a structure points to likewise. So the runtime only ever sees its own memory, and
// what it fills in is copied back. A pointer that leads out of the kernel's memory, and a number that is none of an
// enumeration's, end the kernel.

#include "npu/launch/runtime_calls.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <set>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "npu/headers/kgnpu/abi.h"
#include "npu/headers/kgnpu/abi_cube.h"
#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/headers/kgnpu/abi_pool.h"
#include "npu/headers/kgnpu/abi_queue.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/machine/core.h"
#include "npu/machine/print.h"
#include "npu/scalar/machine.h"

namespace kg::npu {
namespace {

using scalar::Machine;

[[noreturn]] void refuse(const Machine& machine, const std::string& what) {
  Core& self = core();
  self.line = machine.line();
  self.error(FaultClass::kTrap, what);
  end_kernel();
}

constexpr std::uint64_t kMostText = 512;

// Room for a T that is filled before it is read: most calls need little of a frame, and it is made ten million times.
template <typename T>
class Room {
 public:
  T& get() { return *reinterpret_cast<T*>(bytes_); }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  alignas(T) std::byte bytes_[sizeof(T)];
};

// The memory of one call: copies of what its arguments point to.
class Frame {
 public:
  explicit Frame(Machine& machine) : machine_(machine) {}
  Machine& machine() { return machine_; }

  template <typename T>
  void copy_in(std::uint64_t address, T& to) {
    const std::uint8_t* const from = machine_.readable(address, sizeof(T));
    if (from == nullptr)
      refuse(machine_,
             "a call of the API with an object (a tensor, a queue, a pipe) that is no variable of the kernel; "
             "declare it in the kernel or its class");
    std::memcpy(static_cast<void*>(&to), from, sizeof(T));
  }

  // A tensor that a structure points to.
  void bring(const kgnpu::Local*& tensor) {
    const auto address = reinterpret_cast<std::uint64_t>(tensor);
    if (address == 0) return;
    kgnpu::Local& copy = tensors_[used_++].get();
    copy_in(address, copy);
    tensor = &copy;
  }
  // The lists of 16 blocks that a transpose takes.
  void bring_list(const kgnpu::Local*& list) {
    const auto address = reinterpret_cast<std::uint64_t>(list);
    auto& copy = lists_[lists_used_++].get();
    copy_in(address, copy);
    list = copy.data();
  }
  // A text: printable, and no longer than a name or an assertion is.
  // Kept for the process, since timelines and faults keep pointers to names.
  void bring(const char*& text) {
    static std::set<std::string> kept;
    auto address = reinterpret_cast<std::uint64_t>(text);
    std::string copy;
    for (; copy.size() < kMostText; ++address) {
      const std::uint8_t* const letter = machine_.readable(address, 1);
      if (letter == nullptr || *letter == 0) break;
      copy += *letter >= 0x20 && *letter < 0x7F ? static_cast<char>(*letter) : '?';
    }
    text = kept.insert(std::move(copy)).first->c_str();
  }
  // Numbers that a call reads as an array, from an address that travels as a number.
  template <typename T, std::size_t n>
  std::uint64_t bring_array(std::uint64_t address, Room<std::array<T, n>>& to) {
    copy_in(address, to.get());
    return reinterpret_cast<std::uint64_t>(to.get().data());
  }
  void check(bool valid) {
    if (!valid) refuse(machine_, "a call of the API with a number that its headers never give it");
  }

  Room<std::array<float, 16>> scales;
  Room<std::array<std::int16_t, 16>> offsets;

 private:
  static constexpr std::size_t kMostTensors = 8;

  Machine& machine_;
  std::array<Room<kgnpu::Local>, kMostTensors> tensors_;
  std::array<Room<std::array<kgnpu::Local, 16>>, 2> lists_;
  std::size_t used_ = 0, lists_used_ = 0;
};

bool known(kgnpu::Type type) { return type <= kgnpu::Type::kNone; }

// What a structure holds besides numbers: checked, and its pointers made the runtime's own.
void bring(Frame&, kgnpu::Local&) {}
void bring(Frame&, kgnpu::Handle&) {}
void bring(Frame&, kgnpu::QueueSpec&) {}
void bring(Frame&, kgnpu::BufPool& pool) {
  std::uint8_t flag;
  std::memcpy(&flag, &pool.is_open, 1);
  pool.is_open = flag != 0;
}
void bring(Frame& frame, kgnpu::VectorCall& call) {
  frame.check(call.op < kgnpu::Op::kCount && known(call.dst_type) && known(call.src_type) &&
              call.masking <= kgnpu::Masking::kMaskRegister && call.sources <= 3);
  frame.bring(call.dst);
  for (auto& source : call.src) frame.bring(source);
}
void bring(Frame& frame, kgnpu::CopyCall& call) {
  const int bytes = call.element_bytes;
  frame.check((bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && known(static_cast<kgnpu::Type>(call.type)));
  frame.bring(call.name);
  frame.bring(call.local);
  frame.bring(call.local_from);
}
void bring(Frame& frame, kgnpu::NdToNzCall& call) { frame.bring(call.local); }
void bring(Frame& frame, kgnpu::LoadFractalsCall& call) {
  frame.bring(call.name);
  frame.bring(call.dst);
  frame.bring(call.src);
}
void bring(Frame& frame, kgnpu::LoadImageCall& call) {
  frame.bring(call.dst);
  frame.bring(call.src);
}
void bring(Frame& frame, kgnpu::MmadCall& call) {
  frame.check(known(call.c_type) && known(call.a_type) && call.start <= kgnpu::MatrixStart::kBiasTable);
  frame.bring(call.c);
  frame.bring(call.a);
  frame.bring(call.b);
  frame.bring(call.bias);
}
void bring(Frame& frame, kgnpu::FixpipeCall& call) {
  frame.check(known(call.dst_type) && known(call.src_type));
  frame.bring(call.local);
  frame.bring(call.src);
  frame.bring(call.scales);
}
void bring(Frame& frame, kgnpu::FillCall& call) { frame.bring(call.dst); }
void bring(Frame& frame, kgnpu::TableCopyCall& call) {
  frame.check(known(call.dst_type) && known(call.src_type));
  frame.bring(call.dst);
  frame.bring(call.src);
}
void bring(Frame& frame, kgnpu::MatmulCall& call) {
  for (kgnpu::MatrixPlace* place : {&call.a, &call.b, &call.c, &call.bias}) {
    frame.check(known(place->type) && place->format <= kgnpu::MatrixFormat::kNdAlign);
    frame.bring(place->local);
  }
}
void bring(Frame& frame, kgnpu::SpecialCall& call) {
  frame.check(call.op < kgnpu::Special::kCount && known(call.type) && known(call.type2) &&
              call.masking <= kgnpu::Masking::kMaskRegister);
  frame.bring(call.name);
  if (call.op == kgnpu::Special::kVnchwconv) {
    frame.bring_list(call.tensor[0]);
    frame.bring_list(call.tensor[1]);
    for (std::size_t i = 2; i < std::size(call.tensor); ++i) call.tensor[i] = nullptr;
    return;
  }
  for (auto& tensor : call.tensor) frame.bring(tensor);
  if (call.op == kgnpu::Special::kSetDeqScale && call.number[3] != 0) {
    call.number[0] =
        static_cast<std::int64_t>(frame.bring_array(static_cast<std::uint64_t>(call.number[0]), frame.scales));
    call.number[1] =
        static_cast<std::int64_t>(frame.bring_array(static_cast<std::uint64_t>(call.number[1]), frame.offsets));
  }
}

// One argument of a function that takes a P.
template <typename P>
class Argument {
 public:
  Argument(Frame&, std::uint64_t given) : value_(static_cast<P>(given)) {}
  P value() { return value_; }
  void give_back(Frame&) {}

 private:
  P value_;
};
template <>
class Argument<const char*> {
 public:
  Argument(Frame& frame, std::uint64_t given) : text_(reinterpret_cast<const char*>(given)) { frame.bring(text_); }
  const char* value() { return text_; }
  void give_back(Frame&) {}

 private:
  const char* text_;
};
template <typename T>
class Argument<T*> {
 public:
  Argument(Frame& frame, std::uint64_t given) : address_(given) {
    if (given == 0) return;
    frame.copy_in(given, object_.get());
    bring(frame, object_.get());
  }
  T* value() { return address_ == 0 ? nullptr : &object_.get(); }
  void give_back(Frame& frame) {
    if constexpr (!std::is_const_v<T>) {
      if (address_ == 0) return;
      std::uint8_t* const to = frame.machine().writable(address_, sizeof(T));
      if (to == nullptr)
        refuse(frame.machine(), "a call of the API that fills an object which is a constant; declare it as a variable");
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
    Frame frame(machine);
    std::tuple<Argument<P>...> arguments{Argument<P>(frame, machine.argument(static_cast<int>(i)))...};
    if constexpr (std::is_void_v<R>)
      function(std::get<i>(arguments).value()...);
    else
      // Narrow numbers travel sign-extended.
      machine.give(static_cast<std::uint64_t>(static_cast<std::int64_t>(function(std::get<i>(arguments).value()...))));
    (std::get<i>(arguments).give_back(frame), ...);
  }
};

// --- Functions whose types do not say what they take.

void read_tiling(Machine& machine) {
  Frame frame(machine);
  Argument<const char*> type(frame, machine.argument(3));
  const std::uint64_t bytes = machine.argument(1);
  kgnpu_read_tiling(machine.writable(machine.argument(0), bytes), bytes, machine.argument(2), type.value(),
                    static_cast<int>(machine.argument(4)));
}

void set_image(Machine& machine) {
  Frame frame(machine);
  std::array<std::uint8_t, 4> pad;
  frame.copy_in(machine.argument(2), pad);
  kgnpu_set_image(static_cast<std::uint16_t>(machine.argument(0)), static_cast<std::uint16_t>(machine.argument(1)),
                  pad.data(), static_cast<int>(machine.argument(3)));
}

void set_addresses(Machine& machine) {
  Frame frame(machine);
  std::array<std::uint64_t, 8> addresses;
  frame.copy_in(machine.argument(1), addresses);
  kgnpu_set_addresses(static_cast<int>(machine.argument(0)), addresses.data());
}

void dump(Machine& machine) {
  Frame frame(machine);
  Argument<const kgnpu::Local*> tensor(frame, machine.argument(0));
  const auto type = static_cast<int>(machine.argument(2)), dimensions = static_cast<int>(machine.argument(6));
  std::array<std::uint32_t, 8> shape{};
  frame.check(type >= 0 && known(static_cast<kgnpu::Type>(type)) && dimensions >= 0 && dimensions <= 8);
  for (int i = 0; i < dimensions; ++i)
    frame.copy_in(machine.argument(5) + 4 * static_cast<std::uint64_t>(i), shape[static_cast<std::size_t>(i)]);
  kgnpu_dump(tensor.value(), machine.argument(1), type, static_cast<std::uint32_t>(machine.argument(3)),
             static_cast<std::uint32_t>(machine.argument(4)), shape.data(), dimensions,
             static_cast<int>(machine.argument(7)));
}

// Copies of whole structures, which the compiler makes of assignments; a word an instruction.
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
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const std::uint64_t part = std::min(kWord, bytes - done);
    machine.load(from + done, part, word);
    machine.store(to + done, part, word);
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
      KG_CALL(kgnpu_atomic),
      KG_CALL(kgnpu_vector),
      KG_CALL(kgnpu_vector_first),
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
      KG_CALL(kgnpu_copy_nd_to_nz),
      KG_CALL(kgnpu_copy_to_table),
      KG_CALL(kgnpu_load_fractals),
      KG_CALL(kgnpu_load_image),
      KG_CALL(kgnpu_set_image_padding),
      KG_CALL(kgnpu_fill_matrix),
      KG_CALL(kgnpu_mmad),
      KG_CALL(kgnpu_fixpipe),
      KG_CALL(kgnpu_matmul),
      KG_CALL(kgnpu_matmul_wait),
      KG_CALL(kgnpu_matmul_on_cube),
      KG_CALL(kgnpu_special),
      KG_CALL(kgnpu_local_at),
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
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

}  // namespace kg::npu
