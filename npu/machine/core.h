#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "npu/headers/kgnpu/abi.h"
#include "npu/machine/cross_core.h"
#include "npu/machine/cycle_counts.h"
#include "npu/machine/data_cache.h"
#include "npu/machine/faults.h"
#include "npu/machine/foreign_bytes.h"
#include "npu/machine/global_memory.h"
#include "npu/machine/gm_traffic.h"
#include "npu/machine/local_memory.h"
#include "npu/machine/matmul_post.h"
#include "npu/machine/pipes.h"
#include "npu/machine/races.h"
#include "npu/machine/special_state.h"
#include "npu/machine/timeline.h"

namespace kg::npu {

[[noreturn]] void end_kernel();  // back to the scheduler: the launch did not finish

// A part of a memory, given out by InitBuffer.
struct Buffer {
  enum class State : std::uint8_t { kFree, kHeld, kQueued };
  std::int32_t address = 0;
  std::int32_t bytes = 0;
  Memory memory = Memory::kUb;
  std::uint16_t queue = 0;      // the handle that owns it
  std::uint8_t generation = 0;  // counts allocations
  State state = State::kFree;
  bool is_plain = false;                      // TBuf: always usable
  bool holds_event_id = false;                // from EnQue to DeQue, and from FreeTensor to AllocTensor
  int line = 0;                               // line of the last queue call on it
  Clock freed;                                // the clock that the next AllocTensor waits for
  Clock filled;                               // the clock that DeQue waits for
  std::int8_t filled_by = 0, filled_for = 0;  // the pipes between which EnQue set its flag
};

struct Queue {
  kgnpu::QueueSpec spec{};
  std::vector<std::uint16_t> buffers;
  std::size_t next = 0;                // the buffer that AllocTensor tries first
  std::vector<std::uint16_t> waiting;  // queued buffers, oldest first
  int filler = kV;                     // the pipe that fills it (EnQue), and the one that empties it (DeQue)
  int drainer = kV;
};

// Shared by all cores of a launch.
struct Device {
  GlobalMemory memory;
  GmTraffic traffic;
  Timeline timeline;
  CycleCounts counts;
  Faults faults;
  RaceLog races;
  std::unique_ptr<SwappedRaces> swapped;  // only in the run that determines the effect of races
  std::unique_ptr<ForeignBytes> foreign;  // only in the run that determines the effect of bytes of other buffers
  std::uint32_t launches = 0;             // number of launches begun
  std::uint32_t block_dim = 1;
  double cycle_limit = 0;
  std::uint64_t jump_limit = 0;                         // limit for each core; 0: none
  std::uint64_t system_workspace = 0;                   // address of the launch's own part
  std::uint64_t host_tiling = 0;                        // tiling data of an operator project; 0: none
  std::unique_ptr<CrossCore> cross_core;                // exists while cores run
  std::map<int, double> cube_free_at;                   // by group, for the Matmul object
  std::map<int, std::deque<MatmulPost*>> matmul_posts;  // by group: the first is being served
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t elements_computed = 0;     // by instructions of V and M
  std::uint64_t elements_stored_by_s = 0;  // one by one, to UB and GM
  struct Garbage {                         // undefined bytes written to an output; an error if still there at the end
    GlobalMemory::Allocation* allocation;
    std::uint64_t offset, bytes;
    int line, core;
    int pipe;     // of the instruction that wrote them
    bool atomic;  // added to an undefined value
  };
  std::vector<Garbage> garbage;
  struct Detour {  // the first uninitialised L0C data that went to global memory other than an output
    GlobalMemory::Allocation* allocation;
    std::uint64_t offset, bytes;
    int line, core;
    bool read = false;  // by a copy to UB or L1
  };
  std::optional<Detour> detour;
  struct Shortened {  // a DataCopy by count that moved only whole units of 32 bytes
    std::int64_t moved = 0, asked = 0;
    int line = 0;
  };
  Shortened shortened_in, shortened_out;  // the first to a core's memory, and to global memory
  CacheDirectory caches;
  struct Suspect {  // a scalar read from undefined data; an error only if it makes a difference
    std::string what;
    int line, core;
  };
  std::vector<Suspect> suspects;
  std::uint8_t poison = 0xFF;  // content of fresh memory; NaN in every floating type
  std::uint64_t trace = 0;     // a hash of all instructions issued
};

enum class CoreKind : std::uint8_t { kVector, kCube };

// Registers of a cube core.
struct CubeState {
  struct Image {  // SetFmatrix
    std::uint16_t height = 0, width = 0;
    std::uint8_t pad[4] = {0, 0, 0, 0};  // left, right, top, bottom
  };
  Image image[2];  // left and right matrix
  std::uint64_t image_padding = 0;
  bool has_nd_para = false;
  std::uint64_t nd_para = 0;                   // SetFixpipeNz2ndFlag: matrices and strides of row-major output from L0C
  std::optional<std::uint64_t> fixpipe_scale;  // SetFixpipePreQuantFlag
  std::optional<kgnpu::Local> fixpipe_scales;  // SetFixPipeConfig
  std::uint32_t image_boundary = 0;            // bytes of L1 behind which an image goes on at address 0; 0: none
  bool runs_matmul = false;                    // ASCENDC_CUBE_ONLY: only cube cores have Matmul objects
  bool serves_matmul = false;                  // registered objects of a mixed kernel are its vector cores'
  double matmul_done = 0;                      // when the Matmul object's last product is available
  Clock matmul_served;                         // what the cube core has done for this vector core's objects
  std::set<std::uint32_t> matmul_stores;       // numbers of the stores that belong to results of those
  std::unique_ptr<MatmulPost> own_post;        // a product that it computes for itself
  std::map<std::uint64_t, MatmulResult> matmul_results;  // by object, from Iterate until the next
  Clock unit_flag_mmad, unit_flag_fixpipe;               // the last event that ended on the other side of the unit flag
};

struct Core {
  explicit Core(Device& owner) : device(&owner), system_workspace(owner.system_workspace) {}

  Device* device;
  CoreKind kind = CoreKind::kVector;
  int index = 0;      // GetBlockIdx
  int block = 0;      // the group
  int sub_block = 0;  // number of a vector core in its group
  int number = 0;     // among all cores of the launch
  bool swaps = true;  // whether the current call's accesses can be swapped in a race
  CubeState cube;
  Pipes pipes;
  std::unique_ptr<UnifiedBuffer> ub;
  std::array<std::unique_ptr<LocalMemory>, static_cast<std::size_t>(Memory::kCount)> cube_memories;  // UB's is null
  bool pipe_open = false;
  std::array<std::int64_t, static_cast<std::size_t>(Memory::kCount)> used{};  // bytes given out
  std::vector<Buffer> buffers{1};                                             // index 0: none
  std::vector<Queue> queues{1};
  std::map<int, Clock> flags;              // (from << 16 | to << 8 | id) -> clock that the set flag carries
  std::map<int, std::uint32_t> event_ids;  // (from << 8 | to) -> ids taken by AllocEventID, a bit each
  std::uint64_t mask[2] = {~0ULL, ~0ULL};  // low, high
  bool counter_mode = false;
  std::uint64_t compare_bits[2] = {0, 0};      // CMPMASK
  std::uint64_t reduce_result[3] = {0, 0, 0};  // extreme value, its index, accumulated sum
  SpecialState special;
  bool leaves_buffers = false;  // a call has touched bytes of UB outside all buffers
  int atomic_mode = 0;          // 0 none, 1 add, 2 max, 3 min
  kgnpu::Type atomic_type = kgnpu::Type::kFloat;
  DataCache cache;
  std::uint64_t system_workspace;  // SetSysWorkspace: each core has its own
  int line = 0;                    // line of the current call

  // The message of a fault is its parts, one after the other.
  template <typename... Parts>
  void error(FaultClass fault_class, const Parts&... parts) {
    device->faults.error(fault_class, message_of(parts...), line, index);
  }
  template <typename... Parts>
  [[noreturn]] void fail(FaultClass fault_class, const Parts&... parts) {  // an error that ends the kernel
    error(fault_class, parts...);
    end_kernel();
  }
  template <typename... Parts>
  void warning(FaultClass fault_class, const Parts&... parts) {
    device->faults.warning(fault_class, message_of(parts...), line, index);
  }
  template <typename... Parts>
  void report(proto::FaultSeverity severity, FaultClass fault_class, const Parts&... parts) {
    severity == proto::ERROR ? error(fault_class, parts...) : warning(fault_class, parts...);
  }
  template <typename... Parts>
  void race(FaultClass fault_class, const Parts&... parts) {
    device->faults.doubtful(Faults::Doubt::kRace, fault_class, message_of(parts...), line, index);
  }
  // Unique among the cores of all launches.
  std::uint32_t key() const { return device->launches << 16 | static_cast<std::uint32_t>(number); }
  static int number_of(std::uint32_t key) { return static_cast<int>(key & 0xFFFF); }
  LocalMemory& memory(Memory which);  // created on first use
  void suspect(const char* call, const std::string& of);
  // Ends the kernel with a fault if `time` is past the launch's cycle limit. What keeps a record by time (GmTraffic)
  // relies on times that were held against it.
  void limit_time(double time);
  // Issues an instruction within the cycle limit. `name` and `amount` (elements for V and
  // M, bytes for the others) are for the timeline.
  Instruction issue(int pipe, double occupied, double latency, const char* name = nullptr, std::uint64_t amount = 0);
  // Makes `pipe` wait for a flag set by `from`.
  void wait(int pipe, int from, const Clock& flag, const char* name);
};

Core& core();             // the running core
Core& core_at(int line);  // the same, which is at this line of its source now

// Where a call wants an operand.
struct Wanted {
  Memory memory = Memory::kUb;
  std::int64_t alignment = 0;  // of its address, in bytes; 0: that of the memory
};

// Checks that a tensor may be used, is where it is wanted, and that `bytes` from its start are inside it. Ends the
// kernel if the bytes leave the memory.
void check_local(Core& core, const char* call, const char* operand, const kgnpu::Local& tensor, std::int64_t bytes,
                 const Wanted& wanted = {});
// Records the access and reports races.
void touch_local(Core& core, const char* call, const Instruction& instruction, std::int64_t address, std::int64_t bytes,
                 bool writes, Memory memory = Memory::kUb);

}  // namespace kg::npu
