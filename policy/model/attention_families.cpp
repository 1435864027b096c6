#include "policy/model/attention_families.h"

#include <algorithm>

namespace kg::policy {

std::int64_t Run::tokens_in(std::int64_t tile_of_run) const { return std::min(kTile, size - tile_of_run * kTile); }

std::vector<Family> families_of(const std::vector<Segment>& segments) {
  std::vector<Family> families;
  for (const Segment& segment : segments) {
    const bool continues = segment.prompt >= 0;
    if (!continues) families.emplace_back();
    Family& family = families.back();
    family.runs.push_back({segment.begin, segment.end - segment.begin, continues ? family.tiles() : 0});
  }
  return families;
}

std::int64_t most_tiles(const std::vector<Family>& families) {
  std::int64_t most = 0;
  for (const Family& family : families) most = std::max(most, family.tiles());
  return most;
}

std::vector<Range> ranges_of(const Family& family, std::size_t run, std::int64_t tile) {
  std::vector<Range> ranges;
  if (run > 0) ranges.push_back({0, family.runs[0].tiles(), family.runs[0].size, /*causal=*/false});
  const Run& own = family.runs[run];
  ranges.push_back({own.tile, tile + 1, tile * kTile + own.tokens_in(tile), /*causal=*/true});
  return ranges;
}

}  // namespace kg::policy
