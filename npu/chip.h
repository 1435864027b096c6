#pragma once

#include <cstdint>

// The chip: an Atlas A2 (Ascend 910B). Every figure is one row, and everything takes it from here: the machine, the
// host's platform and tiling, the DSL's limits and estimate, the baseline, prompts, and the documentation
// (docs/reference/chip.md, printed by tests/reference/chip_page.cpp).
//
// A row is (type, name, value, unit, source, what it is). Sources:
//   guide    the vendor's public programming guide and hardware pages
//   sheet    a published measurement or specification, collected for this project
//   fit      fitted to several published points; tests/integration/ascendc_published_time_test.cpp holds them all
//            against what comes out
//   assumed  no published figure exists
//   derived  from the rows above
// "cycles" are those of the core clock. What a model makes of the figures is a formula, and stays where it is used.

// clang-format off

#define KG_CHIP_CORES(row) \
  row(int, kCubeCores, 24, "cores", guide, "cube cores (AIC), one in each AI core") \
  row(int, kVectorCores, 48, "cores", guide, "vector cores (AIV), two beside each cube core") \
  row(double, kHertz, 1.85e9, "Hz", sheet, "core clock, measured") \
  row(double, kSystemHertz, 50e6, "Hz", sheet, "the counter that GetSystemCycle reads") \
  row(double, kSystemTick, kHertz / kSystemHertz, "cycles", derived, "between two ticks of that counter") \
  row(double, kLaunchSeconds, 5e-6, "s", sheet, "to launch a kernel; 0.5 to 20 us are published, the design page takes 5") \
  row(double, kLaunch, kLaunchSeconds * kHertz, "cycles", derived, "to launch a kernel")

#define KG_CHIP_MEMORIES(row) \
  row(std::int64_t, kUbBytes, 192 << 10, "bytes", guide, "unified buffer (UB) of a vector core") \
  row(std::int64_t, kUbReserve, 8 << 10, "bytes", guide, "of UB that a host side may reserve for the system (ReserveLocalMemory)") \
  row(std::int64_t, kUbBudget, kUbBytes - kUbReserve, "bytes", derived, "of UB that generated kernels use") \
  row(std::int64_t, kL1Bytes, 512 << 10, "bytes", guide, "L1 of a cube core") \
  row(std::int64_t, kL0aBytes, 64 << 10, "bytes", guide, "L0A: left matrices") \
  row(std::int64_t, kL0bBytes, 64 << 10, "bytes", guide, "L0B: right matrices") \
  row(std::int64_t, kL0cBytes, 128 << 10, "bytes", guide, "L0C: sums") \
  row(std::int64_t, kBiasBytes, 1 << 10, "bytes", guide, "bias table (BT)") \
  row(std::int64_t, kFixpipeBytes, 7 << 10, "bytes", guide, "parameters of the fixpipe (FB)") \
  row(std::int64_t, kL2Bytes, 192 << 20, "bytes", guide, "L2, shared by all cores") \
  row(std::int64_t, kHbmBytes, std::int64_t{64} << 30, "bytes", guide, "global memory (HBM)") \
  row(std::int64_t, kCacheBytes, 16 << 10, "bytes", guide, "data cache of a scalar unit") \
  row(std::int64_t, kCacheLineBytes, 64, "bytes", guide, "a line of it") \
  row(std::int64_t, kCacheWays, 4, "lines", assumed, "that it holds of those whose addresses agree modulo a quarter of it; the least lately used gives way") \
  row(std::int64_t, kGmLineBytes, 512, "bytes", sheet, "largest request to global memory; cores take turns on such a line") \
  row(std::int64_t, kBlockBytes, 32, "bytes", guide, "unit that vector instructions and copies address") \
  row(std::int64_t, kUbBankGroups, 16, "groups", guide, "of UB's banks; neighbouring blocks lie in neighbouring groups") \
  row(std::int64_t, kUbBankBytes, 4 << 10, "bytes", guide, "of a bank of UB") \
  row(std::int64_t, kUbBankStride, kUbBankGroups * kUbBankBytes, "bytes", derived, "after which the next bank of a group follows") \
  row(std::int64_t, kUbBankRows, 4, "banks", guide, "of a group that the two bits of an address can tell apart")

#define KG_CHIP_LIMITS(row) \
  row(int, kEventIds, 8, "ids", guide, "of each pair of pipes (SetFlag, WaitFlag)") \
  row(int, kCrossCoreFlags, 16, "ids", guide, "of flags between cores") \
  row(int, kCrossCoreKernelFlags, 11, "ids", guide, "of these that a kernel may use; the others are the framework's") \
  row(int, kCrossCoreMost, 15, "sets", guide, "that a flag between cores counts") \
  row(int, kMostRepeats, 255, "repeats", guide, "in a vector instruction") \
  row(int, kMostBuffers, 64, "buffers", guide, "of all queues of a kernel") \
  row(int, kMostLiveBuffers, 8, "buffers", guide, "of one TPosition in use at a time") \
  row(std::int64_t, kFractalSide, 16, "elements", guide, "rows of a fractal, and columns of one with elements of two bytes")

#define KG_CHIP_VECTOR(row) \
  row(double, kVectorStart, 24, "cycles", fit, "before a vector instruction's first repeat: repeats + 22 to 26 cycles are published") \
  row(std::int64_t, kRepeatBytes, 256, "bytes", sheet, "a repeat; simple instructions take one a cycle") \
  row(double, kMulAddCycles, 2, "cycles", sheet, "a repeat of MulAddDst") \
  row(double, kReduceCycles, 7, "cycles", sheet, "a repeat of a whole reduction, or of a block reduction of half") \
  row(double, kSlowElements, 32, "elements/cycle", sheet, "of Exp, Ln, Sqrt, Div") \
  row(double, kGatherElements, 5, "elements/cycle", sheet, "of Gather") \
  row(double, kGatherMaskBytes, 128, "bytes/cycle", sheet, "of GatherMask: 64 elements of 2 bytes, 32 of 4 bytes") \
  row(double, kSortElements, 2, "elements/cycle", sheet, "of sorts and merges") \
  row(double, kTransposeTile, 16, "cycles", assumed, "to transpose a tile of 16 x 16: a row a cycle") \
  row(double, kLocalCopyStart, kVectorStart, "cycles", assumed, "before a copy inside UB: as a vector instruction") \
  row(double, kLocalCopyBytesPerCycle, 256, "bytes/cycle", assumed, "of a copy inside UB: a repeat a cycle")

#define KG_CHIP_GLOBAL_MEMORY(row) \
  row(double, kHbmBytesPerSecond, 1.8e12, "bytes/s", sheet, "peak of global memory; below it no kernel can be") \
  row(double, kMeasuredBytesPerSecond, 1.46e12, "bytes/s", sheet, "that all cores together reach with copies of 32 KB; the baseline's bandwidth (design page)") \
  row(double, kGmBytesPerSecond, 1.547e12, "bytes/s", fit, "of global memory without the cost of each copy: 1.25 TB/s at 8 KB a copy, 1.46 TB/s at 32 KB") \
  row(double, kL2BytesPerSecond, 5.2e12, "bytes/s", sheet, "of L2") \
  row(double, kGmBytesPerCycle, kGmBytesPerSecond / kHertz, "bytes/cycle", derived, "of global memory, for all cores") \
  row(double, kL2BytesPerCycle, kL2BytesPerSecond / kHertz, "bytes/cycle", derived, "of L2, for all cores") \
  row(double, kSharedCopy, 7.0 / 3, "cycles", fit, "that each copy takes of the memory that all cores share: the same two points") \
  row(double, kMoveStart, 16, "cycles", fit, "before a copy's first request: copies of 128 bytes take 20.6 cycles each") \
  row(double, kMoveBytesPerCycle, 28, "bytes/cycle", sheet, "that one core moves at best") \
  row(double, kMoveLeastBytesPerCycle, 26, "bytes/cycle", sheet, "the lowest published figure of the same") \
  row(double, kMoveInLatency, 42, "cycles", fit, "until what a copy moved stands in UB: 8 KB after 350 cycles") \
  row(double, kMoveOutLatency, 0, "cycles", fit, "until what a copy moved stands in global memory: 8 KB after 295 cycles") \
  row(double, kSameLine, kGmLineBytes / kMoveBytesPerCycle, "cycles", assumed, "of each core's request for a line that several cores ask for: one after the other") \
  row(double, kShareWindow, 1024, "cycles", assumed, "over which the cores' demands on global memory even out")

#define KG_CHIP_CUBE(row) \
  row(std::int64_t, kMmadSide, 16, "elements", sheet, "rows and columns of the product that Mmad adds in a cycle") \
  row(std::int64_t, kMmadDepth, 16, "elements", sheet, "along k, of half and bfloat16_t") \
  row(std::int64_t, kMmadByteDepth, 32, "elements", sheet, "along k, of int8_t") \
  row(std::int64_t, kMmadFloatDepth, 4, "elements", sheet, "along k, of float") \
  row(double, kMmadStart, 4, "cycles", assumed, "between instructions of M") \
  row(double, kMmadLatency, 105, "cycles", fit, "128 x 256 x 512 of half in 4,209 cycles, 4,096 of them steps") \
  row(double, kL0aBytesPerCycle, 256, "bytes/cycle", sheet, "from L1 to L0A") \
  row(double, kL0bBytesPerCycle, 128, "bytes/cycle", sheet, "from L1 to L0B") \
  row(double, kL0cBytesPerCycle, 128, "bytes/cycle", sheet, "from L0C to L1") \
  row(double, kBiasBytesPerCycle, 32, "bytes/cycle", sheet, "from L1 to BT") \
  row(double, kCubeMoveStart, 4, "cycles", assumed, "between instructions of MTE1") \
  row(double, kCubeMoveLatency, 20, "cycles", assumed, "until what MTE1 moved is there") \
  row(double, kCubeMoveBytesPerCycle, 64, "bytes/cycle", fit, "from global memory to L1: products of float in base blocks of 128 x 128 hold 99 % of the peak on one core") \
  row(double, kFixpipeStart, 20, "cycles", assumed, "before a Fixpipe's first bytes") \
  row(double, kCrossCoreFlag, 100, "cycles", assumed, "until a flag reaches another core of the group")

#define KG_CHIP_SCALAR(row) \
  row(double, kScalarIssue, 2, "cycles", assumed, "of the scalar unit to issue an instruction") \
  row(double, kScalarStep, 1, "cycles", assumed, "an instruction of the kernel's own text") \
  row(double, kScalarAccess, 10, "cycles", sheet, "a load or store: the loop of load, load, add, store takes 34") \
  row(double, kScalarMiss, kMoveStart + kMoveInLatency + kCacheLineBytes / kMoveBytesPerCycle, "cycles", derived, "a miss of the data cache: a copy of a line. With 350, as before, two loads and a store an element took 100 cycles; on the chip 56 at most") \
  row(double, kQueueCall, 6, "cycles", assumed, "bookkeeping of a queue call") \
  row(double, kSyncAll, 500, "cycles", assumed, "a barrier over all cores")

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
