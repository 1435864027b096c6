#pragma once

#include <cstdint>

#include "sandbox/ascendc/include/kgnpu/abi.h"

namespace kg::sandbox::ascendc {

// Every constant of the time model, with its source. Cycles of the 1.85 GHz core clock. "sheet" is the table of
// published figures in docs/emulated-npu.md; "fit" is fitted to several points of it; "assumed" has no published
// figure.
namespace cost {

inline constexpr double kHertz = 1.85e9;          // sheet: measured clock
inline constexpr double kLaunch = 5e-6 * kHertz;  // sheet: 0.5 to 20 us published; the design page takes 5 us
inline constexpr double kSharedBytesPerCycle = 1.46e12 / kHertz;  // sheet: all cores reading 32 KB pieces
inline constexpr int kCores = 48;                                 // sheet: vector cores
inline constexpr double kSystemTick = kHertz / 50e6;              // sheet: GetSystemCycle ticks at 50 MHz

inline constexpr double kVectorStart = 24;              // fit: repeats + 22..26 cycles an instruction
inline constexpr double kRepeatBytes = 256;             // sheet
inline constexpr double kMoveInLatency = 58;            // fit: 8 KB in 350 cycles at 28 B a cycle
inline constexpr double kMoveOutLatency = 3;            // fit: 8 KB in 295 cycles
inline constexpr double kMoveBytesPerCycle = 28;        // sheet: 26 to 28 B a cycle and core
inline constexpr double kMoveBlock = 20.6;              // sheet: a stream of 128 B blocks, cycles each
inline constexpr double kLocalCopyStart = 24;           // assumed: as a vector instruction
inline constexpr double kLocalCopyBytesPerCycle = 256;  // assumed: one repeat a cycle

inline constexpr double kScalarIssue = 2;          // assumed: cycles of the scalar unit to issue an instruction
inline constexpr double kScalarAccess = 34.0 / 3;  // sheet: load-load-add-store loop of 34 cycles, three accesses
inline constexpr double kScalarMiss = 350;         // assumed: a cache line from GM costs a short copy
inline constexpr double kQueueCall = 6;            // assumed: bookkeeping of a queue call
inline constexpr double kSyncAll = 500;            // assumed: barrier over all cores

}  // namespace cost

// Cycles that a vector instruction holds the vector pipe, start-up excluded, over `repeats` full or partial repeats.
double vector_cycles(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src, double repeats);

}  // namespace kg::sandbox::ascendc
