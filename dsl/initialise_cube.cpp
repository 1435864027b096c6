#include <algorithm>

#include "dsl/constant.h"
#include "dsl/initialise.h"
#include "dsl/join_queues.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

namespace chip = npu::chip;

constexpr std::int64_t kL1 = chip::kL1Bytes, kL0 = chip::kL0aBytes, kL0c = chip::kL0cBytes,
                       kBiasTable = chip::kBiasBytes;
constexpr std::int64_t kSide = chip::kFractalSide;
constexpr std::int64_t kDeepest = chip::kMostRepeats * kSide;  // fractals of two-byte elements in one LoadData

std::int64_t fractal_bytes(const Tile& tile) {
  return align_up(tile.rows, kSide) * align_up(tile.capacity, kSide) * element_bytes(tile.dtype);
}

[[noreturn]] void refuse(const Form& form, const Tile& tile, std::int64_t bytes, const char* memory, std::int64_t has) {
  throw Refusal(form.first_step(tile).line, "buffers",
                "the matrices take " + std::to_string(bytes) + " bytes of " + memory + ", which has " +
                    std::to_string(has) + "; take smaller tiles");
}

std::int64_t bytes_of(const Form& form, const std::vector<std::size_t>& owners) {
  std::int64_t bytes = 0;
  for (const std::size_t t : owners) bytes += form.tiles[t].bytes;
  return bytes;
}

// Tiles of products behind one another share queues where memory or event ids would not do for all, with two buffers
// each. Two buffers where a loop fills them again and again and they fit, of the smallest tiles first.
void choose_buffers(Form& form, Tile::Home home, const char* memory, std::int64_t room) {
  join_queues(form, home, Joined::kAny, [&](const std::vector<std::size_t>& owners) {
    return owners.size() > chip::kMostLiveBuffers || 2 * bytes_of(form, owners) > room;
  });
  std::vector<std::size_t> owners = owners_of_queues(form, home);
  if (owners.empty()) return;
  const std::vector<bool> inside = inside_loops(form.cube);
  const auto smaller = [&](std::size_t a, std::size_t b) { return form.tiles[a].bytes < form.tiles[b].bytes; };
  std::int64_t bytes = bytes_of(form, owners);
  if (bytes > room)
    refuse(form, form.tiles[*std::max_element(owners.begin(), owners.end(), smaller)], bytes, memory, room);
  std::stable_sort(owners.begin(), owners.end(), smaller);
  std::size_t buffers = owners.size();
  for (const std::size_t t : owners) {
    Tile& tile = form.tiles[t];
    tile.buffers = 1;
    if (!inside[static_cast<std::size_t>(tile.first)] || bytes + tile.bytes > room || buffers >= chip::kMostLiveBuffers)
      continue;
    tile.buffers = 2;
    bytes += tile.bytes;
    ++buffers;
  }
}

// Along k a product goes in pieces, of which L0A and L0B hold two; equal ones if there are several.
void choose_depth(Form& form, Step& step) {
  const Tile &left = form.tile(step.sources[0]), &right = form.tile(step.sources[1]), &sums = form.tile(step.result);
  const std::int64_t rows = align_up(sums.rows, kSide), columns = align_up(sums.capacity, kSide);
  const std::int64_t size = element_bytes(left.dtype), most = kL0 / 2 / size / std::max(rows, columns) / kSide * kSide;
  if (most < kSide) refuse(form, rows > columns ? left : right, 2 * std::max(rows, columns) * kSide * size, "L0", kL0);
  const std::int64_t depth = align_up(step.most_k, kSide), pieces = ceil_div(depth, std::min(most, kDeepest));
  step.depth = align_up(ceil_div(depth, pieces), kSide);
  form.l0a_bytes = std::max(form.l0a_bytes, rows * step.depth * size);
  form.l0b_bytes = std::max(form.l0b_bytes, columns * step.depth * size);
}

}  // namespace

void place_on_cube(Form& form) {
  for (std::size_t t = 0; t < form.tiles.size(); ++t) {
    Tile& tile = form.tiles[t];
    if (!Form::is_on_cube(tile)) continue;
    tile.queue = static_cast<int>(t);
    tile.bytes = tile.home == Tile::Home::kBias ? align_up(tile.capacity, kSide) * 4 : fractal_bytes(tile);
    if (tile.home == Tile::Home::kBias && tile.bytes > kBiasTable)
      throw Refusal(form.first_step(tile).line, "buffers",
                    "the bias table holds " + std::to_string(kBiasTable / 4) + " columns, these are " +
                        std::to_string(tile.capacity));
  }
  choose_buffers(form, Tile::Home::kL0c, "L0C", kL0c);
  std::int64_t rows_of_bias = 0;
  for (Tile& tile : form.tiles)
    if (tile.home == Tile::Home::kBias) {
      tile.buffers = 1;
      rows_of_bias += tile.bytes;
    }
  choose_buffers(form, Tile::Home::kL1, "L1", kL1 - rows_of_bias);
  for (Step& step : form.cube)
    if (step.kind == Step::Kind::kGemm) choose_depth(form, step);
}

}  // namespace kg::dsl
