// Sorting: records of a score and an index (8 bytes, Sort32, MrgSort, Sort, Extract), region proposals of 8 elements
// (RpSort16, MrgSort4, ProposalConcat, ProposalExtract), TopK. Always descending and stable; NaN counts as largest.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

constexpr std::int64_t kRecord = kgnpu::kSortRecordBytes;  // bytes: the score at the start, the index in the last four

bool before(double a, double b) {
  if (a != a || b != b) return a != a && b == b;
  return a > b;
}

std::vector<std::int64_t> descending(const std::vector<double>& scores) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return before(scores[static_cast<std::size_t>(a)], scores[static_cast<std::size_t>(b)]);
  });
  return order;
}

// Whole records with what is known about them.
struct Records {
  std::vector<std::uint8_t> data, known;
  std::int64_t size;

  Records(const SpecialRun& run, const kgnpu::Local& from, std::int64_t n, std::int64_t bytes)
      : data(run.at(from, 0), run.at(from, n * bytes)),
        known(run.core.ub->defined() + from.address, run.core.ub->defined() + from.address + n * bytes),
        size(bytes) {}
  const std::uint8_t* at(std::int64_t i) const { return data.data() + i * size; }
  void give(SpecialRun& run, const kgnpu::Local& to, std::int64_t slot, std::int64_t i) const {
    std::memcpy(run.at(to, slot * size), at(i), static_cast<std::size_t>(size));
    std::memcpy(run.core.ub->defined() + to.address + slot * size, known.data() + i * size,
                static_cast<std::size_t>(size));
  }
};

// tensor: dst, scores, indices; sorts `group` elements at a time into records.
void sort_groups(SpecialRun& run, std::int64_t groups, std::int64_t group) {
  const std::int64_t size = size_of(run.call.type);
  const Records values(run, run.tensor(1), groups * group, size), indices(run, run.tensor(2), groups * group, 4);
  for (std::int64_t g = 0; g < groups; ++g) {
    std::vector<double> scores(static_cast<std::size_t>(group));
    for (std::int64_t i = 0; i < group; ++i)
      scores[static_cast<std::size_t>(i)] = element_at(values.at(g * group + i), run.call.type);
    const auto order = descending(scores);
    for (std::int64_t i = 0; i < group; ++i) {
      const std::int64_t from = g * group + order[static_cast<std::size_t>(i)], to = (g * group + i) * kRecord;
      std::uint8_t record[kRecord] = {};
      std::memcpy(record, values.at(from), static_cast<std::size_t>(size));
      std::memcpy(record + 4, indices.at(from), 4);
      std::memcpy(run.at(run.tensor(0), to), record, kRecord);
      run.define(run.tensor(0), to, 4, values.known[static_cast<std::size_t>(from * size)] != 0);
      run.define(run.tensor(0), to + 4, 4, indices.known[static_cast<std::size_t>(from * 4)] != 0);
    }
  }
}

// Of the instructions; Sort makes as many as it needs.
void check_repeats(SpecialRun& run, std::int64_t repeats) {
  if (repeats > chip::kMostRepeats)
    run.error(FaultClass::kArgument, "repeatTime is ", repeats, "; it is at most ", chip::kMostRepeats);
}

// Repeats overlap in time: none may write where a later one reads.
void check_repeats_apart(SpecialRun& run, std::int64_t repeats, std::int64_t writes, int source, std::int64_t reads) {
  const std::int64_t to = run.tensor(0).address, from = run.tensor(source).address;
  for (std::int64_t r = 0; r + 1 < repeats; ++r)
    if (to + r * writes < from + repeats * reads && from + (r + 1) * reads < to + (r + 1) * writes)
      return run.error(FaultClass::kUb, "repeat ", r,
                       " writes where a later repeat of the same call reads; use another destination");
}

// number: repeats of 32 elements, whether all are sorted together. tensor 3: temporary.
std::uint64_t sort(SpecialRun& run) {
  const std::int64_t repeats = run.number(0), count = repeats * 32;
  if (repeats <= 0) return 0;
  run.reads(run.tensor(1), count * size_of(run.call.type), "the source tensor");
  run.reads(run.tensor(2), count * 4, "the index tensor");
  run.writes(run.tensor(0), count * kRecord, "the destination tensor");
  const bool full = run.number(1) != 0;
  if (std::string_view(run.call.name) == "Sort32") {
    check_repeats(run, repeats);
    check_repeats_apart(run, repeats, 32 * kRecord, 1, 32 * size_of(run.call.type));
    check_repeats_apart(run, repeats, 32 * kRecord, 2, 32 * 4);
  }
  if (run.has(3))
    run.scratch(run.call.tensor[3], count * kRecord, repeats > 1 ? count * kRecord : 0,
                "GetSortTmpSize gives the size");
  // A full sort merges four lists at a time, each time over everything.
  const double merges = full && repeats > 1 ? std::ceil(std::log(static_cast<double>(repeats)) / std::log(4.0)) : 0;
  run.issue(static_cast<double>(count) / chip::kSortElements * (1 + merges));
  sort_groups(run, full ? 1 : repeats, full ? count : 32);
  return 0;
}

// tensor: values, indices, records; number: repeats of 32.
std::uint64_t extract(SpecialRun& run) {
  const std::int64_t count = run.number(0) * 32, size = size_of(run.call.type);
  if (count <= 0) return 0;
  run.reads(run.tensor(2), count * kRecord, "the source tensor");
  run.writes(run.tensor(0), count * size, "the value tensor");
  run.writes(run.tensor(1), count * 4, "the index tensor");
  run.issue(std::ceil(static_cast<double>(count * kRecord) / chip::kGatherMaskBytes) * 2);
  const Records records(run, run.tensor(2), count, kRecord);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(run.at(run.tensor(0), i * size), records.at(i), static_cast<std::size_t>(size));
    std::memcpy(run.at(run.tensor(1), i * 4), records.at(i) + 4, 4);
    run.define(run.tensor(0), i * size, size, records.known[static_cast<std::size_t>(i * kRecord)] != 0);
    run.define(run.tensor(1), i * 4, 4, records.known[static_cast<std::size_t>(i * kRecord + 4)] != 0);
  }
  return 0;
}

// tensor: dst, src; number: repeats of 16 region proposals. The score is element 4 of the 8.
std::uint64_t region_sort(SpecialRun& run) {
  const std::int64_t size = size_of(run.call.type), record = 8 * size, count = run.number(0) * 16;
  if (count <= 0) return 0;
  check_repeats(run, run.number(0));
  run.reads(run.tensor(1), count * record, "the source tensor");
  run.writes(run.tensor(0), count * record, "the destination tensor");
  run.issue(static_cast<double>(count) / chip::kSortElements);
  const Records records(run, run.tensor(1), count, record);
  for (std::int64_t g = 0; g < count; g += 16) {
    std::vector<double> scores(16);
    for (std::int64_t i = 0; i < 16; ++i)
      scores[static_cast<std::size_t>(i)] = element_at(records.at(g + i) + 4 * size, run.call.type);
    const auto order = descending(scores);
    for (std::int64_t i = 0; i < 16; ++i)
      records.give(run, run.tensor(0), g + i, g + order[static_cast<std::size_t>(i)]);
  }
  return 0;
}

// A list's length is a field of 12 bits (page 0232). What is merged may not overwrite what is still to be read.
void check_lists(SpecialRun& run, const std::int64_t (&lengths)[4], std::int64_t repeats, std::int64_t total,
                 std::int64_t record) {
  constexpr std::int64_t kMostRecords = 4095;
  const std::int64_t to = run.tensor(0).address;
  for (int k = 0; k < 4; ++k) {
    if (lengths[k] <= 0) continue;
    if (lengths[k] > kMostRecords)
      run.error(FaultClass::kArgument, "list ", k + 1, " has ", lengths[k], " records; a list has at most ",
                kMostRecords);
    const std::int64_t from = run.tensor(1 + k).address;
    if (to < from + ((repeats - 1) * total + lengths[k]) * record && from < to + repeats * total * record)
      run.error(FaultClass::kUb, "the destination overlaps list ", k + 1,
                ", which is still being read; use another destination");
  }
}

// tensor: dst, four sorted lists; number: their lengths, which are valid (bits), repeats, whether it stops when a list
// is used up, bytes of a record, where its score lies.
std::uint64_t merge_sort(SpecialRun& run) {
  const std::int64_t valid = run.number(4), repeats = run.number(5), record = run.number(7);
  const bool suspends = run.number(6) != 0;
  if (record != kRecord && record != 2 * kRecord && record != 4 * kRecord)
    run.refuse("records of ", record, " bytes; they have 8, or 8 elements");
  if (run.number(8) + size_of(run.call.type) > record)
    run.refuse("a score at byte ", run.number(8), " of a record of ", record);
  auto& taken = run.core.special.merged;
  std::fill(std::begin(taken), std::end(taken), 0);
  std::int64_t lengths[4], total = 0;
  for (int k = 0; k < 4; ++k) {
    lengths[k] = (valid >> k & 1) != 0 ? run.number(k) : 0;
    total += lengths[k];
  }
  if (valid != 3 && valid != 7 && valid != 15)
    // One list is copied; which lists the chip takes with other patterns is not documented.
    run.core.report(valid == 1 ? proto::WARNING : proto::ERROR, FaultClass::kArgument, run.call.name, ": validBit ",
                    valid, "; it is 3, 7 or 15 for two, three or four lists");
  if (repeats > 1 &&
      (valid != 15 || suspends || lengths[0] != lengths[1] || lengths[0] != lengths[2] || lengths[0] != lengths[3]))
    run.error(FaultClass::kArgument, "repeats need four lists of one length and no suspension");
  if (repeats <= 0 || total <= 0) return 0;
  check_repeats(run, repeats);
  check_lists(run, lengths, repeats, total, record);
  for (int k = 0; k < 4; ++k)
    if (lengths[k] > 0) run.reads(run.tensor(1 + k), ((repeats - 1) * total + lengths[k]) * record, "a sorted list");
  run.writes(run.tensor(0), suspends ? record : repeats * total * record, "the destination tensor");
  run.issue(static_cast<double>(repeats * total) / chip::kSortElements);
  std::vector<Records> lists;
  for (int k = 0; k < 4; ++k)
    lists.emplace_back(run, lengths[k] > 0 ? run.tensor(1 + k) : run.tensor(0),
                       lengths[k] > 0 ? (repeats - 1) * total + lengths[k] : 0, record);
  const auto score = [&](int k, std::int64_t i) {
    return element_at(lists[static_cast<std::size_t>(k)].at(i) + run.number(8), run.call.type);
  };
  std::vector<std::pair<int, std::int64_t>> order;  // list and record
  for (std::int64_t r = 0; r < repeats; ++r) {
    std::int64_t at[4] = {};
    for (bool more = true; more;) {
      int best = -1;
      for (int k = 0; k < 4; ++k)
        if (at[k] < lengths[k] && (best < 0 || before(score(k, r * total + at[k]), score(best, r * total + at[best]))))
          best = k;
      if (best < 0) break;
      order.emplace_back(best, r * total + at[best]);
      ++at[best];
      more = !suspends || at[best] < lengths[best];
    }
    for (int k = 0; k < 4; ++k) taken[k] = static_cast<std::uint64_t>(at[k]);
  }
  const auto slots = static_cast<std::int64_t>(order.size());
  check_local(run.core, run.call.name, "the destination tensor", run.tensor(0), slots * record);
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const auto [list, from] = order[static_cast<std::size_t>(slot)];
    lists[static_cast<std::size_t>(list)].give(run, run.tensor(0), slot, from);
  }
  return 0;
}

// tensor: dst, src; number: repeats of 16, element of the region proposals, whether src holds the proposals.
std::uint64_t proposal_field(SpecialRun& run) {
  const std::int64_t size = size_of(run.call.type), count = run.number(0) * 16, field = run.number(1);
  const bool taking = run.number(2) != 0;
  if (count <= 0) return 0;
  if (field < 0 || field > 5) {
    run.error(FaultClass::kArgument, "modeNumber ", field, " is not one of 0 to 5");
    return 0;
  }
  run.reads(run.tensor(1), count * size * (taking ? 8 : 1), "the source tensor");
  run.writes(run.tensor(0), count * size * (taking ? 1 : 8), "the destination tensor");
  run.issue(static_cast<double>(count) * 8 * static_cast<double>(size) / chip::kGatherMaskBytes);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t inside = (i * 8 + field) * size;
    run.copy(run.tensor(0), taking ? i * size : inside, run.tensor(1), taking ? inside : i * size, size);
  }
  return 0;
}

// tensor: values, indices or null, src, source indices or null, finished flags or null, temporary; number: k, rows,
// elements a row, valid elements of it, largest first. Rows of the results take whole blocks of 32 bytes.
std::uint64_t top_k(SpecialRun& run) {
  const std::int64_t k = run.number(0), rows = run.number(1), inner = run.number(2), n = run.number(3);
  const std::int64_t size = size_of(run.call.type);
  if (k <= 0 || rows <= 0) return 0;
  if (n <= 0 || n > inner) {
    run.error(FaultClass::kArgument, "n is ", n, ", a row takes ", inner, " elements");
    return 0;
  }
  if (!run.fits({rows, inner}) || !run.fits({rows, k})) return 0;
  const auto padded = [&](std::int64_t bytes) { return (k * bytes + 31) / 32 * 32 / bytes; };
  if (k > n) run.error(FaultClass::kArgument, "k is ", k, ", a row has ", n, " elements");
  const std::int64_t take = std::min(k, n);
  run.reads(run.tensor(2), rows * inner * size, "the source tensor");
  if (run.has(3)) run.reads(run.tensor(3), inner * 4, "the index tensor");
  if (run.has(4)) run.reads(run.tensor(4), rows, "the finished tensor");
  run.writes(run.tensor(0), ((rows - 1) * padded(size) + k) * size, "the value tensor");
  if (run.has(1)) run.writes(run.tensor(1), ((rows - 1) * padded(4) + k) * 4, "the index tensor");
  run.scratch(run.call.tensor[5], rows * inner * kRecord, inner * kRecord,
              "GetTopKMaxMinTmpSize on the host side gives the size");
  run.issue(static_cast<double>(rows * inner) / chip::kSortElements *
            (1 + std::ceil(std::log(std::max(static_cast<double>(inner) / 32, 1.0)) / std::log(4.0))));
  const Records values(run, run.tensor(2), rows * inner, size);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> scores(static_cast<std::size_t>(n));
    bool known = true;
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = element_at(values.at(row * inner + i), run.call.type);
      scores[static_cast<std::size_t>(i)] = run.number(4) ? value : -value;
      known = known && values.known[static_cast<std::size_t>((row * inner + i) * size)] != 0;
    }
    const auto order = descending(scores);
    const bool finished = run.has(4) && *run.at(run.tensor(4), row) != 0;
    for (std::int64_t i = 0; i < take; ++i) {
      const std::int64_t from = order[static_cast<std::size_t>(i)];
      const std::int64_t to = row * padded(size) + i;
      std::memcpy(run.at(run.tensor(0), to * size), values.at(row * inner + from), static_cast<std::size_t>(size));
      run.define(run.tensor(0), to * size, size, known);
      if (!run.has(1)) continue;
      const double index = finished     ? static_cast<double>(n)
                           : run.has(3) ? run.get(run.tensor(3), Type::kInt32, from)
                                        : static_cast<double>(from);
      run.put(run.tensor(1), Type::kInt32, row * padded(4) + i, index, known);
    }
  }
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kSort32, sort},
                                 {Special::kSort, sort},
                                 {Special::kExtract, extract},
                                 {Special::kRpSort16, region_sort},
                                 {Special::kMergeSort, merge_sort},
                                 {Special::kProposalConcat, proposal_field},
                                 {Special::kProposalExtract, proposal_field},
                                 {Special::kTopK, top_k}};

}  // namespace

std::span<const SpecialRow> sort_table() { return kTable; }

}  // namespace kg::npu
