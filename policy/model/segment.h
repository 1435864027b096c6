#pragma once

#include <cstdint>
#include <vector>

namespace kg::policy {

// A run of tokens [begin, end) of a packed row. It is a document by itself, or it continues an earlier segment, its
// prompt: then its tokens see that whole segment, and their own segment up to themselves. Any number of
// segments may continue one prompt, so the prompt of a group is computed once for all its answers. A prompt
// continues nothing itself, and the segments that continue it come right after it.
struct Segment {
  std::int64_t begin = 0, end = 0;
  std::int64_t prompt = -1;  // index of the segment that this one continues; -1: none

  bool operator==(const Segment&) const = default;
};

// Documents that begin at `starts` (ascending, the first at 0) in a row of `tokens` tokens.
std::vector<Segment> documents_at(const std::vector<std::int64_t>& starts, std::int64_t tokens);

// KG_CHECKs that segments follow each other as above and fill [0, tokens).
void check_segments(const std::vector<Segment>& segments, std::int64_t tokens);

// For each token its place in the document, prompt included.
std::vector<std::int64_t> positions_of(const std::vector<Segment>& segments);

}  // namespace kg::policy
