#pragma once

#include <cstdint>
#include <vector>

#include "policy/model/segment.h"

namespace kg::policy {

// Which tiles of keys a tile of queries attends to. Each segment has its own tiles, the last one padded.
constexpr std::int64_t kTile = 64;  // tokens

struct Run {
  std::int64_t begin, size;  // tokens of the row
  std::int64_t tile;         // its first tile in the family
  std::int64_t tiles() const { return (size + kTile - 1) / kTile; }
  std::int64_t tokens_in(std::int64_t tile_of_run) const;  // at most kTile
};

// A document, or a prompt with the answers that continue it.
struct Family {
  std::vector<Run> runs;  // the prompt first
  std::int64_t tiles() const { return runs.back().tile + runs.back().tiles(); }
};

// visit(number in the family, first token of the row, tokens) for each tile.
template <typename Visit>
void for_each_tile(const Family& family, Visit visit) {
  for (const Run& run : family.runs)
    for (std::int64_t tile = 0; tile < run.tiles(); ++tile)
      visit(run.tile + tile, run.begin + tile * kTile, run.tokens_in(tile));
}

std::vector<Family> families_of(const std::vector<Segment>& segments);
std::int64_t most_tiles(const std::vector<Family>& families);

// Tiles [first, first + count) of a family, with `keys` tokens in all. Causal: the last one is the tile of the queries
// themselves, each of which sees the keys up to itself.
struct Range {
  std::int64_t first, count, keys;
  bool causal;
};

// What tile `tile` of run `run` attends to: an answer to its prompt, then each run to itself.
std::vector<Range> ranges_of(const Family& family, std::size_t run, std::int64_t tile);

}  // namespace kg::policy
