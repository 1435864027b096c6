// High-level calls over a few axes: broadcast, reductions of an axis, selection by bytes, running sums, dropout.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

// tensor: dst, src, temporary; number: rows and columns of dst, then of src (each equal, or 1).
std::uint64_t broadcast(SpecialRun& run) {
  const std::int64_t rows = run.number(0), columns = run.number(1), from_rows = run.number(2),
                     from_columns = run.number(3), size = size_of(run.call.type);
  if ((from_rows != rows && from_rows != 1) || (from_columns != columns && from_columns != 1)) {
    run.error(FaultClass::kArgument, "cannot broadcast ", from_rows, " x ", from_columns, " to ", rows, " x ", columns);
    return 0;
  }
  if (rows <= 0 || columns <= 0 || !run.fits({rows, columns})) return 0;
  run.reads(run.tensor(1), from_rows * from_columns * size, "the source tensor");
  run.writes(run.tensor(0), rows * columns * size, "the destination tensor");
  run.scratch(run.call.tensor[2], from_rows * 32);
  run.issue(library_cycles(static_cast<double>(rows * columns), run.call.type, 2, 0));
  const std::int64_t taken = from_rows * from_columns * size;
  const std::vector<std::uint8_t> data(run.at(run.tensor(1), 0), run.at(run.tensor(1), taken));
  const std::uint8_t* defined = run.core.ub->defined() + run.tensor(1).address;
  const std::vector<std::uint8_t> known(defined, defined + taken);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto from =
          static_cast<std::size_t>(((from_rows == 1 ? 0 : r) * from_columns + (from_columns == 1 ? 0 : c)) * size);
      const std::int64_t to = (r * columns + c) * size;
      std::memcpy(run.at(run.tensor(0), to), &data[from], static_cast<std::size_t>(size));
      run.define(run.tensor(0), to, size, known[from] != 0);
    }
  return 0;
}

// tensor: dst, src, temporary; number: kind (0 sum, 1 mean, 2 max, 3 min, 4 product, 5 any, 6 all), rows, elements that
// a row takes, valid ones, whether the rows are reduced (0: along a row). Sums are in double and rounded once.
std::uint64_t axis_reduce(SpecialRun& run) {
  const std::int64_t kind = run.number(0), rows = run.number(1), step = run.number(2), valid = run.number(3);
  const bool over_rows = run.number(4) != 0;
  const std::int64_t size = size_of(run.call.type);
  if (rows <= 0 || valid <= 0 || !run.fits({rows, step}) || !run.fits({rows, valid})) return 0;
  const std::int64_t results = over_rows ? valid : rows, length = over_rows ? rows : valid;
  run.reads(run.tensor(1), ((rows - 1) * step + valid) * size, "the source tensor");
  run.writes(run.tensor(0), results * size, "the destination tensor");
  if (const std::int64_t sum_size = run.number(5); sum_size != 0)
    run.scratch(run.call.tensor[2], rows * step * size, kgnpu::row_mean_temporary(valid, size, sum_size),
                "GetMeanMaxMinTmpSize on the host side gives the size");
  else
    run.scratch(run.call.tensor[2], rows * step * size);
  run.issue(library_cycles(static_cast<double>(rows * step), run.call.type, over_rows ? 1 : 2, 0) +
            (over_rows ? 0.0 : static_cast<double>(rows) * 7));
  std::vector<double> totals(static_cast<std::size_t>(results));
  std::vector<bool> known(totals.size(), true);
  for (std::int64_t k = 0; k < results; ++k) {
    double total = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = over_rows ? i * step + k : k * step + i;
      const double value = run.get(run.tensor(1), run.call.type, at);
      if (!run.defined(run.tensor(1), at * size, size)) known[static_cast<std::size_t>(k)] = false;
      if (kind >= 5)
        total = i == 0 ? (value != 0) : kind == 5 ? (total != 0 || value != 0) : (total != 0 && value != 0);
      else if (i == 0)
        total = value;
      else if (kind <= 1)
        total += value;
      else if (kind == 4)
        total *= value;
      else if (total == total && (value != value || (kind == 2 ? value > total : value < total)))
        total = value;
    }
    totals[static_cast<std::size_t>(k)] = kind == 1 ? total / static_cast<double>(length) : total;
  }
  for (std::int64_t k = 0; k < results; ++k)
    run.put(run.tensor(0), run.call.type, k, totals[static_cast<std::size_t>(k)], known[static_cast<std::size_t>(k)]);
  return 0;
}

// tensor: dst, src, mask bytes, temporary; number: rows, elements of a row, bytes of a row of the mask, bits of the
// scalar, whether a zero byte takes the scalar.
std::uint64_t select_bytes(SpecialRun& run) {
  const std::int64_t rows = run.number(0), columns = run.number(1), mask_columns = run.number(2);
  const std::int64_t size = size_of(run.call.type), mask_size = size_of(run.call.type2);
  if (rows <= 0 || columns <= 0 || !run.fits({rows, columns}) || !run.fits({rows, mask_columns})) return 0;
  if (mask_columns < columns || mask_columns % 16 != 0 || mask_columns * mask_size % 32 != 0) {
    run.error(FaultClass::kArgument, "maskLastAxis ", mask_columns,
              "; it is a multiple of 16 and of 32 bytes, and at least srcLastAxis");
    return 0;
  }
  if (columns * size % 32 != 0)
    run.error(FaultClass::kArgument, "srcLastAxis ", columns, " is not a multiple of 32 bytes");
  run.reads(run.tensor(1), rows * columns * size, "the source tensor");
  run.reads(run.tensor(2), rows * mask_columns * mask_size, "the mask tensor");
  run.writes(run.tensor(0), rows * columns * size, "the destination tensor");
  run.scratch(run.call.tensor[3], rows * columns * 2);
  run.issue(library_cycles(static_cast<double>(rows * columns), run.call.type, 4, 0));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t flag = r * mask_columns + c, at = (r * columns + c) * size;
      const bool set = run.get(run.tensor(2), run.call.type2, flag) != 0;
      const bool known = run.defined(run.tensor(2), flag * mask_size, mask_size);
      if (set != (run.number(4) != 0)) {
        std::memcpy(run.at(run.tensor(0), at), &run.call.number[3], static_cast<std::size_t>(size));
        run.define(run.tensor(0), at, size, known);
      } else {
        run.copy(run.tensor(0), at, run.tensor(1), at, size);
        if (!known) run.define(run.tensor(0), at, size, false);
      }
    }
  return 0;
}

// tensor: dst, last row or null, src, temporary; number: rows, columns, whether along a row.
std::uint64_t cumsum(SpecialRun& run) {
  const std::int64_t rows = run.number(0), columns = run.number(1), size = size_of(run.call.type);
  const bool along = run.number(2) != 0;
  if (rows <= 0 || columns <= 0 || !run.fits({rows, columns})) return 0;
  run.reads(run.tensor(2), rows * columns * size, "the source tensor");
  run.writes(run.tensor(0), rows * columns * size, "the destination tensor");
  if (run.has(1)) run.writes(run.tensor(1), columns * size, "the last row");
  run.scratch(run.call.tensor[3], rows * columns * size);
  run.issue(library_cycles(static_cast<double>(rows * columns), run.call.type, along ? 3 : 1, 0));
  std::vector<double> total(static_cast<std::size_t>(columns), 0.0);
  std::vector<bool> known(total.size(), true);
  for (std::int64_t r = 0; r < rows; ++r) {
    double row_total = 0;
    bool row_known = true;
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const std::int64_t at = r * columns + c;
      const double value = run.get(run.tensor(2), run.call.type, at);
      const bool defined = run.defined(run.tensor(2), at * size, size);
      row_total += value;
      row_known = row_known && defined;
      total[k] += value;
      known[k] = known[k] && defined;
      run.put(run.tensor(0), run.call.type, at, along ? row_total : total[k], along ? row_known : known[k]);
    }
  }
  if (run.has(1)) run.copy(run.tensor(1), 0, run.tensor(0), (rows - 1) * columns * size, columns * size);
  return 0;
}

// tensor: dst, src, mask, temporary; number: rows, elements of a row, elements or bytes of a row of the mask, bits of
// the probability to keep, whether the mask is of bits.
std::uint64_t drop_out(SpecialRun& run) {
  const std::int64_t rows = run.number(0), columns = run.number(1), mask_step = run.number(2);
  const std::int64_t size = size_of(run.call.type);
  const bool bits = run.number(4) != 0;
  if (rows <= 0 || columns <= 0 || !run.fits({rows, columns}) || !run.fits({rows, mask_step})) return 0;
  const double keep = run.scalar(3, Type::kFloat);
  if (!(keep > 0 && keep < 1)) run.error(FaultClass::kArgument, "keepProb is ", keep, "; it must be between 0 and 1");
  run.reads(run.tensor(1), rows * columns * size, "the source tensor");
  run.reads(run.tensor(2), (rows - 1) * mask_step + (bits ? (columns + 7) / 8 : columns), "the mask tensor");
  run.writes(run.tensor(0), rows * columns * size, "the destination tensor");
  if (bits)  // a Select can do that
    run.scratch(run.call.tensor[3], rows * columns * size, 0, "");
  else
    run.scratch(run.call.tensor[3], rows * columns * size);
  run.issue(library_cycles(static_cast<double>(rows * columns), run.call.type, bits ? 2 : 4, 0));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t flag = r * mask_step + (bits ? c / 8 : c), at = r * columns + c;
      const std::uint8_t byte = *run.at(run.tensor(2), flag);
      const bool kept = bits ? (byte >> c % 8 & 1) != 0 : byte != 0;
      run.put(run.tensor(0), run.call.type, at, kept ? run.get(run.tensor(1), run.call.type, at) / keep : 0.0,
              run.defined(run.tensor(2), flag, 1) && run.defined(run.tensor(1), at * size, size));
    }
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kBroadcast, broadcast},
                                 {Special::kAxisReduce, axis_reduce},
                                 {Special::kSelectBytes, select_bytes},
                                 {Special::kCumsum, cumsum},
                                 {Special::kDropOut, drop_out}};

}  // namespace

std::span<const SpecialRow> broadcast_table() { return kTable; }

}  // namespace kg::npu
