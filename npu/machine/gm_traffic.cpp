#include "npu/machine/gm_traffic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/machine/core.h"

namespace kg::npu {
namespace {

constexpr double kUnit = 1.0 / 65536;  // unit of demand, in cycles: whole multiples give the same sum in any order
constexpr auto kLine = static_cast<std::uint64_t>(chip::kGmLineBytes);
constexpr double kL2Lines = static_cast<double>(chip::kL2Bytes) / chip::kGmLineBytes;

std::int64_t units(double cycles) { return std::llround(cycles / kUnit); }

const std::int64_t kCopyUnits = units(chip::kSharedCopy);
const std::int64_t kMissUnits =
    units(chip::kGmLineBytes / chip::kGmBytesPerCycle - chip::kGmLineBytes / chip::kL2BytesPerCycle);

// A line of L2 is busy with a request as long as with one for the whole of it.
const std::int64_t kHitUnits = units(chip::kGmLineBytes / chip::kL2BytesPerCycle);

std::int64_t rounded_request(std::int64_t bytes) {
  return bytes <= 128 ? 128 : bytes <= 256 ? 256 : chip::kGmLineBytes;
}

// Bytes that the requests for [offset, offset + bytes) carry.
std::int64_t request_bytes(std::uint64_t offset, std::int64_t bytes) {
  const auto into_line = static_cast<std::int64_t>(offset % kLine);
  const auto piece = [&](std::int64_t n) {
    const std::int64_t before = std::min(n, chip::kGmLineBytes - into_line);
    return rounded_request(before) + (n > before ? rounded_request(n - before) : 0);
  };
  const std::int64_t whole = bytes / chip::kGmLineBytes, rest = bytes % chip::kGmLineBytes;
  return whole * piece(chip::kGmLineBytes) + (rest > 0 ? piece(rest) : 0);
}

std::int64_t lines_within(std::uint64_t offset, std::int64_t bytes) {
  return static_cast<std::int64_t>((offset + static_cast<std::uint64_t>(bytes) - 1) / kLine - offset / kLine + 1);
}

// Lines that several copies of the block at `offset` ask for, each copy by itself.
std::int64_t lines_in_pieces(const GmBlocks& blocks, std::uint64_t offset) {
  std::int64_t lines = 0;
  for (std::int64_t from = 0; from < blocks.bytes; from += blocks.piece)
    lines += lines_within(offset + static_cast<std::uint64_t>(from), std::min(blocks.piece, blocks.bytes - from));
  return lines;
}

// Bits 2i and 2i + 1 become bit i.
std::uint64_t folded(std::uint64_t bits) {
  bits = (bits | bits >> 1) & 0x5555555555555555;
  bits = (bits | bits >> 1) & 0x3333333333333333;
  bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F;
  bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
  bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
  return (bits | bits >> 16) & 0x00000000FFFFFFFF;
}

// Calls `visit` with the number of each bit that is set, from the lowest.
template <typename Visit>
void each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace

double move_cycles(const GmBlocks& blocks, double bytes_per_cycle) {
  // Blocks whose stride keeps their place in a line are all alike.
  const bool alike = blocks.stride % chip::kGmLineBytes == 0;
  std::int64_t bytes = 0;
  for (std::int64_t b = 0; b < (alike ? std::min<std::int64_t>(blocks.blocks, 1) : blocks.blocks); ++b)
    bytes += request_bytes(blocks.offset + static_cast<std::uint64_t>(b * blocks.stride), blocks.bytes);
  if (alike) bytes *= blocks.blocks;
  return chip::kMoveStart + static_cast<double>(bytes) / bytes_per_cycle;
}

Instruction issue_move(Core& core, int pipe, const char* name, const GmBlocks& blocks) {
  KG_CHECK(blocks.allocation != nullptr);
  KG_CHECK(blocks.blocks > 0 && blocks.bytes > 0);
  const double latency = blocks.writes ? chip::kMoveOutLatency : chip::kMoveInLatency;
  const bool cube = pipe == kFix || (pipe == kMte2 && core.kind == CoreKind::kCube);
  const double occupied = move_cycles(blocks, cube ? chip::kCubeMoveBytesPerCycle : chip::kMoveBytesPerCycle);
  const auto bytes = static_cast<std::uint64_t>(blocks.blocks * blocks.bytes);
  const Instruction instruction = core.issue(pipe, occupied, latency, name, bytes);
  (blocks.writes ? core.device->bytes_written : core.device->bytes_read) += bytes;
  core.device->traffic.access(blocks, core.number, instruction.start, instruction.start + occupied);
  return instruction;
}

GmTraffic::Lines& GmTraffic::lines_of(const GlobalMemory::Allocation& allocation) {
  Lines& lines = lines_[&allocation];
  if (lines.memory.empty()) {
    lines.count = allocation.rounded / kLine + 1;
    lines.memory = ZeroBytes(lines.count * sizeof(Line));
  }
  return lines;
}

void GmTraffic::demand(double time, std::int64_t units) {
  KG_CHECK_GE(time, 0);
  KG_CHECK_GE(units, 0);
  const auto window = static_cast<std::size_t>(time / chip::kShareWindow);
  if (window >= demand_.size()) demand_.resize(window + 1, 0);
  demand_[window] += units;
}

GmTraffic::Line* GmTraffic::touch(const Lines& lines, std::uint64_t index, int core, double time, bool writes) {
  Line* line = lines.at(index);
  const auto self = static_cast<std::uint8_t>(1 + core % 255);
  if (line->requests++ == 0) {
    touched_.push_back(line);
    line->core = self;
  }
  line->shared = line->shared || line->core != self;
  if (time >= kEpochs * epoch_) lengthen_epochs(time);
  line->epochs |= std::uint64_t{1} << static_cast<int>(time / epoch_);
  float& first = writes ? line->write : line->read;
  const auto mark = static_cast<float>(1 + time);
  if (first == 0 || mark < first) first = mark;
  return line;
}

void GmTraffic::begin(const L2Before& l2, std::uint64_t tensor_bytes) {
  const bool fits = tensor_bytes <= static_cast<std::uint64_t>(chip::kL2Bytes);
  has_tensors_ = l2.tensors && fits;
  keeps_writes_ = (l2.tensors || l2.clean) && fits;
  dirty_ = static_cast<double>(l2.dirty_bytes) / chip::kGmLineBytes;
}

void GmTraffic::access(const GmBlocks& blocks, int core, double start, double end) {
  const Lines& lines = lines_of(*blocks.allocation);
  const double begins = std::max(0.0, start - phases_.back().begins);
  const double each = (end - start) / static_cast<double>(std::max<std::int64_t>(blocks.blocks, 1));
  const bool in_pieces = blocks.piece > 0 && blocks.piece < blocks.bytes;
  demand(begins, kCopyUnits);
  for (std::int64_t b = 0; b < blocks.blocks; ++b) {
    const std::uint64_t offset = blocks.offset + static_cast<std::uint64_t>(b * blocks.stride);
    const std::int64_t touched = lines_within(offset, blocks.bytes);
    const std::uint64_t first = offset / kLine, last = first + static_cast<std::uint64_t>(touched) - 1;
    KG_CHECK_LT(last, lines.count);  // the copy was held against the allocation
    const double begin = begins + each * static_cast<double>(b), step = each / static_cast<double>(touched);
    const std::int64_t per_line = in_pieces ? lines_in_pieces(blocks, offset) * kHitUnits / touched : kHitUnits;
    for (std::uint64_t line = first; line <= last; ++line) {
      const double time = begin + step * static_cast<double>(line - first);
      touch(lines, line, core, time, blocks.writes);
      demand(time, per_line);
    }
  }
}

void GmTraffic::scalar_access(GlobalMemory::Allocation& allocation, std::uint64_t offset, bool writes, int core,
                              double time) {
  const double begins = std::max(0.0, time - phases_.back().begins);
  KG_CHECK_LT(offset, allocation.rounded);
  touch(lines_of(allocation), offset / kLine, core, begins, writes);
  demand(begins, kHitUnits);
}

void GmTraffic::lengthen_epochs(double time) {
  for (; time >= kEpochs * epoch_; epoch_ *= 2)
    for (Line* line : touched_) line->epochs = folded(line->epochs);
}

void GmTraffic::demand_misses(Line& line, const Asked& asked, const Asked& until, double length,
                              std::int64_t newcomer_units) {
  const bool fetched = line.read > 0 && (line.write == 0 || line.read < line.write);
  const double first = (fetched ? line.read : line.write) - 1, into_epoch = std::fmod(first, epoch_);
  if (line.last == 0) demand(first, newcomer_units);
  bool begins = true;
  double evicted = 0;  // part of what comes again within an epoch of more lines than fit
  each_bit(line.epochs, [&](std::size_t epoch) {
    const bool present = has_tensors_ || (line.last > 0 && std::min(seen_, until[epoch] - line.last) <= kL2Lines);
    if (!present && (begins ? fetched : line.read > 0))
      demand(std::min(static_cast<double>(epoch) * epoch_ + into_epoch, length), kMissUnits);
    begins = false;
    line.last = static_cast<float>(until[epoch]);
    evicted += std::max(0.0, 1 - kL2Lines / asked[epoch]);
  });
  const int epochs = std::popcount(line.epochs);
  const double again = static_cast<double>(line.requests) - epochs;
  if (evicted > 0 && line.read > 0)
    demand(line.read - 1, units(evicted / epochs * again * static_cast<double>(kMissUnits) * kUnit));
  if (line.write > 0 && !line.dirty && !keeps_writes_) demand(line.write - 1, kMissUnits);  // written back once
}

double GmTraffic::end_phase(double until) {
  Phase& phase = phases_.back();
  const double length = std::max(0.0, until - phase.begins);
  Asked asked{}, middle{};
  const double seen_before = seen_;
  for (const Line* line : touched_) {
    each_bit(line->epochs, [&](std::size_t epoch) { ++asked[epoch]; });
    seen_ += line->last == 0 ? 1 : 0;
  }
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch) {
    middle[epoch] = asked_ + asked[epoch] / 2;
    asked_ += asked[epoch];
  }
  // Newcomers take the place of others' dirty lines, as long as there are any.
  const double newcomers = seen_ - seen_before, displaced = std::min(dirty_, newcomers);
  const std::int64_t newcomer_units =
      displaced > 0 ? units(displaced / newcomers * chip::kGmLineBytes / chip::kGmBytesPerCycle) : 0;
  dirty_ -= displaced;
  std::uint32_t hottest = 0;
  for (Line* line : touched_) {
    KG_CHECK_GT(line->requests, 0u);
    demand_misses(*line, asked, middle, length, newcomer_units);
    if (line->shared) hottest = std::max(hottest, line->requests);
    line->dirty = line->dirty || line->write > 0;
    line->read = line->write = 0;
    line->requests = 0;
    line->epochs = 0;
    line->shared = false;
  }
  epoch_ = chip::kShareWindow;
  touched_.clear();

  const auto windows = std::max(demand_.size(), static_cast<std::size_t>(std::ceil(length / chip::kShareWindow)));
  double total = 0;
  phase.after.reserve(windows);
  for (std::size_t w = 0; w < windows; ++w) {
    const double begin = static_cast<double>(w) * chip::kShareWindow;
    const double own = std::clamp(length - begin, 0.0, chip::kShareWindow);
    const double needed = w < demand_.size() ? static_cast<double>(demand_[w]) * kUnit : 0;
    total += std::max(own, needed);
    phase.after.push_back(total);
  }
  demand_.clear();
  if (const double serial = hottest * chip::kSameLine; serial > total && total > 0) {
    for (double& after : phase.after) after *= serial / total;
    total = serial;
  }
  const double ends = phase.begins + total;
  KG_CHECK_GE(ends, phase.begins);
  phase.length = length;
  added_ += std::max(0.0, total - length);
  phases_.push_back({.begins = ends});
  return ends;
}

double GmTraffic::stretched(double time) const {
  const auto later = std::upper_bound(phases_.begin(), phases_.end(), time,
                                      [](double t, const Phase& phase) { return t < phase.begins; });
  const Phase& phase = later == phases_.begin() ? phases_.front() : *(later - 1);
  const double own = time - phase.begins;
  if (own <= 0 || phase.after.empty()) return time;
  const auto w = std::min(static_cast<std::size_t>(own / chip::kShareWindow), phase.after.size() - 1);
  const double begin = static_cast<double>(w) * chip::kShareWindow;
  const double width = std::clamp(phase.length - begin, 1e-9, chip::kShareWindow);
  const double before = w > 0 ? phase.after[w - 1] : 0;
  return phase.begins + before + std::min(1.0, (own - begin) / width) * (phase.after[w] - before);
}

}  // namespace kg::npu
