#pragma once

#include <cstdint>

#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

// Every constant of the time model, with its source. Cycles of the 1.85 GHz core clock. "sheet" is the table of
// published figures in docs/emulated-npu.md; "fit" is fitted to several points of it; "assumed" has no published
// figure. tests/integration/ascendc_published_time_test.cpp holds every published point against what comes out.
namespace cost {

inline constexpr double kHertz = 1.85e9;              // sheet: measured clock
inline constexpr double kLaunch = 5e-6 * kHertz;      // sheet: 0.5 to 20 us published; the design page takes 5 us
inline constexpr int kCores = 48;                     // sheet: vector cores
inline constexpr double kSystemTick = kHertz / 50e6;  // sheet: GetSystemCycle ticks at 50 MHz

// Vector pipe: kVectorStart + repeats x max(bank conflict factor, cycles of the operation).
inline constexpr double kVectorStart = 24;              // fit: repeats + 22..26 cycles an instruction
inline constexpr double kRepeatBytes = 256;             // sheet
inline constexpr double kLocalCopyStart = 24;           // assumed: as a vector instruction
inline constexpr double kLocalCopyBytesPerCycle = 256;  // assumed: one repeat a cycle

inline constexpr double kGatherElements = 5;     // sheet: elements a cycle
inline constexpr double kGatherMaskBytes = 128;  // sheet: 64 elements of 2 bytes, 32 of 4 bytes a cycle
inline constexpr double kSortElements = 2;       // sheet: elements a cycle
inline constexpr double kTransposeTile = 16;     // assumed: a row of a 16 x 16 tile a cycle

// A core's copies to and from GM: kMoveStart + bytes of the requests / kMoveBytesPerCycle. A block is cut every 512
// bytes from its start; a piece that crosses a 512-byte line of GM takes two requests; each is rounded up to 128, 256
// or 512 bytes, which is what makes unaligned copies slow.
inline constexpr double kMoveStart = 16;          // fit: 128-byte copies of 20.6 cycles each at 28 B a cycle
inline constexpr double kMoveBytesPerCycle = 28;  // sheet: 26 to 28 B a cycle and core
inline constexpr double kMoveInLatency = 42;      // fit: 8 KB stand in UB after 350 cycles
inline constexpr double kMoveOutLatency = 0;      // fit: 8 KB stand in GM after 295 cycles
inline constexpr std::int64_t kLineBytes = 512;   // sheet: unit of GM requests and of their order between cores

// GM, shared by all cores: kSharedCopy + bytes at L2's rate + bytes that L2 does not hold at HBM's.
inline constexpr double kSharedCopy = 112.0 / 48;              // fit: 1.25 TB/s at 8 KB a copy, 1.46 TB/s at 32 KB
inline constexpr double kGmBytesPerCycle = 1.547e12 / kHertz;  // fit: the same two points (86 % of 1.8 TB/s)
inline constexpr double kL2BytesPerCycle = 5.2e12 / kHertz;    // sheet: about 5.2 TB/s
inline constexpr std::uint64_t kL2Bytes = 192ULL << 20;        // sheet
inline constexpr double kSameLine = 512 / kMoveBytesPerCycle;  // assumed: one core's request after the other
inline constexpr double kShareWindow = 1024;  // assumed: cycles over which the cores' demands on GM even out

// Cube cores.
inline constexpr double kL0aBytesPerCycle = 256;  // sheet: L1 to L0A
inline constexpr double kL0bBytesPerCycle = 128;  // sheet: L1 to L0B
inline constexpr double kL0cBytesPerCycle = 128;  // sheet: L0C to L1
inline constexpr double kBiasBytesPerCycle = 32;  // sheet: L1 to BT
inline constexpr double kCubeMoveStart = 4;       // assumed: between instructions of MTE1
inline constexpr double kCubeMoveLatency = 20;    // assumed
inline constexpr double kFixpipeStart = 20;       // assumed
inline constexpr double kMmadStart = 4;           // assumed: between instructions of M
inline constexpr double kCrossCoreFlag = 100;     // assumed: a flag between cores of a group
inline constexpr double kMmadLatency = 105;       // fit: 128 x 256 x 512 fp16 in 4,209 cycles, 4,096 of them steps

inline constexpr double kScalarIssue = 2;    // assumed: cycles of the scalar unit to issue an instruction
inline constexpr double kScalarStep = 1;     // assumed: an instruction of the kernel's own text
inline constexpr double kScalarAccess = 10;  // sheet: load-load-add-store loop of 34 cycles, four steps in it
inline constexpr double kScalarMiss = 350;   // assumed: a cache line from GM costs a short copy
inline constexpr double kQueueCall = 6;      // assumed: bookkeeping of a queue call
inline constexpr double kSyncAll = 500;      // assumed: barrier over all cores

}  // namespace cost

// Cycles that a vector instruction holds the vector pipe, start-up excluded, over `repeats` full or partial repeats of
// which each takes `conflict` cycles at UB's banks.
double vector_cycles(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src, double repeats, double conflict = 1);

}  // namespace kg::npu
