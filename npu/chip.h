#pragma once

#include <cstdint>

// The chip: an Atlas A2 (Ascend 910B). Every figure is one row, and everything takes it from here: the machine, the
// host's platform and tiling, the DSL's limits and estimate, the baseline, prompts, and the documentation
// (docs/reference/chip.md, printed by tests/reference/chip_page.cpp).
//
// A row is (type, name, value, unit, source, what it is). Sources:
//   guide    the vendor's public programming guide and hardware pages
//   sheet    a published measurement or specification, collected for this project
//   fit      fitted to several published points; tests/integration/ascendc_published_time_test.cpp compares all of
//            them with the results
//   assumed  no published figure exists
//   derived  from the rows above
// "cycles" are those of the core clock. A model's formulas over these figures are kept where they are used.

// clang-format off

#define KG_CHIP_CORES(row) \
  row(int, kCubeCores, 24, "cores", guide, "cube cores (AIC), one in each AI core") \
  row(int, kVectorCores, 48, "cores", guide, "vector cores (AIV), two beside each cube core") \
  row(double, kHertz, 1.85e9, "Hz", sheet, "core clock, measured") \
  row(double, kSystemHertz, 50e6, "Hz", sheet, "the counter that GetSystemCycle reads") \
  row(double, kSystemTick, kHertz / kSystemHertz, "cycles", derived, "time between two ticks of that counter") \
  row(double, kLaunchSeconds, 5e-6, "s", sheet, "launch of a kernel; published figures range from 0.5 to 20 us, the design page takes 5") \
  row(double, kLaunch, kLaunchSeconds * kHertz, "cycles", derived, "the same in cycles")

#define KG_CHIP_MEMORIES(row) \
  row(std::int64_t, kUbBytes, 192 << 10, "bytes", guide, "unified buffer (UB) of a vector core") \
  row(std::int64_t, kUbReserve, 8 << 10, "bytes", guide, "part of UB that a host side may reserve for the system (ReserveLocalMemory)") \
  row(std::int64_t, kUbBudget, kUbBytes - kUbReserve, "bytes", derived, "part of UB that generated kernels use") \
  row(std::int64_t, kGroupBarrierUb, 1600, "bytes", guide, "end of UB that a GroupBarrier uses") \
  row(std::int64_t, kL1Bytes, 512 << 10, "bytes", guide, "L1 of a cube core") \
  row(std::int64_t, kL0aBytes, 64 << 10, "bytes", guide, "L0A: left matrices") \
  row(std::int64_t, kL0bBytes, 64 << 10, "bytes", guide, "L0B: right matrices") \
  row(std::int64_t, kL0cBytes, 128 << 10, "bytes", guide, "L0C: sums") \
  row(std::int64_t, kBiasBytes, 1 << 10, "bytes", guide, "bias table (BT)") \
  row(std::int64_t, kFixpipeBytes, 7 << 10, "bytes", guide, "parameters of the fixpipe (FB)") \
  row(std::int64_t, kL2Bytes, 192 << 20, "bytes", guide, "L2, shared by all cores") \
  row(std::int64_t, kHbmBytes, std::int64_t{64} << 30, "bytes", guide, "global memory (HBM)") \
  row(std::int64_t, kCacheBytes, 16 << 10, "bytes", guide, "data cache of a scalar unit") \
  row(std::int64_t, kCacheLineBytes, 64, "bytes", guide, "line of the data cache") \
  row(std::int64_t, kCacheWays, 4, "lines", assumed, "ways of the data cache: lines it holds whose addresses are equal modulo a quarter of its size; the least recently used is replaced") \
  row(std::int64_t, kGmLineBytes, 512, "bytes", sheet, "line of global memory: the largest request; cores take turns on a line") \
  row(std::int64_t, kBlockBytes, 32, "bytes", guide, "unit that vector instructions and copies address") \
  row(std::int64_t, kUbBankGroups, 16, "groups", guide, "bank groups of UB; neighbouring blocks are in neighbouring groups") \
  row(std::int64_t, kUbBankBytes, 4 << 10, "bytes", guide, "size of a bank of UB") \
  row(std::int64_t, kUbBankStride, kUbBankGroups * kUbBankBytes, "bytes", derived, "distance between two banks of a group") \
  row(std::int64_t, kUbBankRows, 4, "banks", guide, "banks of a group, told apart by two bits of the address")

#define KG_CHIP_LIMITS(row) \
  row(int, kEventIds, 8, "ids", guide, "event ids of each pair of pipes (SetFlag, WaitFlag)") \
  row(int, kCrossCoreFlags, 16, "ids", guide, "flag ids between cores") \
  row(int, kCrossCoreKernelFlags, 11, "ids", guide, "flag ids that a kernel may use; the framework uses the others") \
  row(int, kCrossCoreMost, 15, "sets", guide, "largest count of a flag between cores") \
  row(int, kMostRepeats, 255, "repeats", guide, "most repeats of a vector instruction") \
  row(int, kMostBuffers, 64, "buffers", guide, "most buffers of all queues of a kernel") \
  row(int, kMostLiveBuffers, 8, "buffers", guide, "most buffers of one TPosition in use at a time; more are a warning") \
  row(std::int64_t, kFractalSide, 16, "elements", guide, "rows of a fractal, and columns of one with elements of two bytes")

#define KG_CHIP_VECTOR(row) \
  row(double, kVectorStart, 24, "cycles", fit, "start of a vector instruction; published: repeats + 22 to 26 cycles") \
  row(std::int64_t, kRepeatBytes, 256, "bytes", sheet, "bytes of a repeat; simple instructions do one repeat a cycle") \
  row(double, kMulAddCycles, 2, "cycles", sheet, "one repeat of MulAddDst") \
  row(double, kReduceCycles, 7, "cycles", sheet, "one repeat of a whole reduction, or of a block reduction of half") \
  row(double, kSlowElements, 32, "elements/cycle", sheet, "rate of Exp, Ln, Sqrt, Div") \
  row(double, kGatherElements, 5, "elements/cycle", sheet, "rate of Gather") \
  row(double, kGatherMaskBytes, 128, "bytes/cycle", sheet, "rate of GatherMask: 64 elements of 2 bytes, 32 of 4 bytes") \
  row(double, kSortElements, 2, "elements/cycle", sheet, "rate of sorts and merges") \
  row(double, kTransposeTile, 16, "cycles", assumed, "transposition of a 16 x 16 tile: one row a cycle") \
  row(double, kLocalCopyStart, kVectorStart, "cycles", assumed, "start of a copy inside UB: as for a vector instruction") \
  row(double, kLocalCopyBytesPerCycle, 256, "bytes/cycle", assumed, "rate of a copy inside UB: one repeat a cycle")

#define KG_CHIP_GLOBAL_MEMORY(row) \
  row(double, kHbmBytesPerSecond, 1.8e12, "bytes/s", sheet, "peak bandwidth of global memory; no kernel can exceed it") \
  row(double, kMeasuredBytesPerSecond, 1.46e12, "bytes/s", sheet, "bandwidth that all cores together reach with copies of 32 KB; the baseline uses it (design page)") \
  row(double, kGmBytesPerSecond, 1.547e12, "bytes/s", fit, "bandwidth of global memory without the cost of each copy: 1.25 TB/s at 8 KB a copy, 1.46 TB/s at 32 KB") \
  row(double, kL2BytesPerSecond, 5.2e12, "bytes/s", sheet, "bandwidth of L2") \
  row(double, kGmBytesPerCycle, kGmBytesPerSecond / kHertz, "bytes/cycle", derived, "bandwidth of global memory, for all cores") \
  row(double, kL2BytesPerCycle, kL2BytesPerSecond / kHertz, "bytes/cycle", derived, "bandwidth of L2, for all cores") \
  row(double, kSharedCopy, 7.0 / 3, "cycles", fit, "cost of each copy to the memory that all cores share: from the same two points") \
  row(double, kMoveStart, 16, "cycles", fit, "start of a copy, before its first request: copies of 128 bytes take 20.6 cycles each") \
  row(double, kMoveBytesPerCycle, 28, "bytes/cycle", sheet, "highest rate of one core") \
  row(double, kMoveLeastBytesPerCycle, 26, "bytes/cycle", sheet, "lowest published figure for the same rate") \
  row(double, kMoveInLatency, 42, "cycles", fit, "delay until copied data is in UB: 8 KB after 350 cycles") \
  row(double, kMoveOutLatency, 0, "cycles", fit, "delay until copied data is in global memory: 8 KB after 295 cycles") \
  row(double, kSameLine, kGmLineBytes / kMoveBytesPerCycle, "cycles", assumed, "each core's request for a line that several cores ask for; requests are served one after the other") \
  row(double, kShareWindow, 1024, "cycles", assumed, "window over which the cores' demands on global memory average out")

#define KG_CHIP_CUBE(row) \
  row(std::int64_t, kMmadSide, 16, "elements", sheet, "rows and columns of the product that Mmad adds in a cycle") \
  row(std::int64_t, kMmadDepth, 16, "elements", sheet, "the same along k, for half and bfloat16_t") \
  row(std::int64_t, kMmadByteDepth, 32, "elements", sheet, "the same along k, for int8_t") \
  row(std::int64_t, kMmadFloatDepth, 4, "elements", sheet, "the same along k, for float") \
  row(double, kMmadStart, 4, "cycles", assumed, "gap between instructions of M") \
  row(double, kMmadLatency, 105, "cycles", fit, "latency of Mmad: 128 x 256 x 512 of half takes 4,209 cycles, 4,096 of them steps") \
  row(double, kL0aBytesPerCycle, 256, "bytes/cycle", sheet, "rate from L1 to L0A") \
  row(double, kL0bBytesPerCycle, 128, "bytes/cycle", sheet, "rate from L1 to L0B") \
  row(double, kL0cBytesPerCycle, 128, "bytes/cycle", sheet, "rate from L0C to L1") \
  row(double, kBiasBytesPerCycle, 32, "bytes/cycle", sheet, "rate from L1 to BT") \
  row(double, kCubeMoveStart, 4, "cycles", assumed, "gap between instructions of MTE1") \
  row(double, kCubeMoveLatency, 20, "cycles", assumed, "delay until data moved by MTE1 is there") \
  row(double, kCubeMoveBytesPerCycle, 96, "bytes/cycle", fit, "rate from global memory to L1, and taken for that of Fixpipe to global memory: products of half in blocks of 128 x 256 hold 86 % of the peak on 24 cores, those of float in blocks of 128 x 128 99 % on one") \
  row(double, kFixpipeStart, 20, "cycles", assumed, "start of a Fixpipe, before its first bytes") \
  row(double, kMatmulStart, 13e-6 * kHertz, "cycles", fit, "until the cube core of a mixed kernel serves its Matmul objects: of 17.85 us of one published kernel its scalar unit is busy for 15.02, and one with a single base block takes 21.88") \
  row(double, kMatmulAloneStart, 5e-6 * kHertz, "cycles", fit, "the same of a cube core that serves no vector core: of a published kernel MTE2 is busy for 75.64 us, 92 %, and the last block is written for one more") \
  row(double, kCrossCoreFlag, 100, "cycles", assumed, "delay until a flag reaches another core of the group")

#define KG_CHIP_SCALAR(row) \
  row(double, kScalarIssue, 2, "cycles", assumed, "issue of an instruction by the scalar unit") \
  row(double, kScalarStep, 1, "cycles", assumed, "one instruction of the kernel's own text") \
  row(double, kScalarAccess, 10, "cycles", sheet, "one load or store: the loop of load, load, add, store takes 34 cycles") \
  row(double, kScalarMiss, kMoveStart + kMoveInLatency + kCacheLineBytes / kMoveBytesPerCycle, "cycles", derived, "one miss of the data cache: the copy of a line. An earlier value of 350 made two loads and a store per element take 100 cycles; on the chip they take at most 56") \
  row(double, kQueueCall, 6, "cycles", assumed, "bookkeeping of one queue call") \
  row(double, kSyncAll, 500, "cycles", assumed, "one barrier over all cores")

// Each section with its title, in the order of the reference page.
#define KG_CHIP_SECTIONS(section) \
  section("Cores and clock", KG_CHIP_CORES) \
  section("Memories", KG_CHIP_MEMORIES) \
  section("Limits of instructions", KG_CHIP_LIMITS) \
  section("Vector unit", KG_CHIP_VECTOR) \
  section("Global memory and L2", KG_CHIP_GLOBAL_MEMORY) \
  section("Cube cores", KG_CHIP_CUBE) \
  section("Scalar unit and synchronisation", KG_CHIP_SCALAR)

// clang-format on

namespace kg::npu::chip {

#define KG_CHIP_CONSTANT(type, name, value, unit, source, what) inline constexpr type name = value;
#define KG_CHIP_CONSTANTS(title, rows) rows(KG_CHIP_CONSTANT)
KG_CHIP_SECTIONS(KG_CHIP_CONSTANTS)
#undef KG_CHIP_CONSTANTS
#undef KG_CHIP_CONSTANT

static_assert(kVectorCores == 2 * kCubeCores, "mixed kernels run as groups of a cube core and two vector cores");
static_assert(kL0aBytes == kL0bBytes, "the tilings of products cut both alike");

}  // namespace kg::npu::chip
