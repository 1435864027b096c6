#include "policy/model/segment.h"

#include "base/check.h"

namespace kg::policy {

std::vector<Segment> documents_at(const std::vector<std::int64_t>& starts, std::int64_t tokens) {
  KG_CHECK(!starts.empty());
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < starts.size(); ++i)
    segments.push_back({.begin = starts[i], .end = i + 1 < starts.size() ? starts[i + 1] : tokens});
  return segments;
}

void check_segments(const std::vector<Segment>& segments, std::int64_t tokens) {
  std::int64_t end = 0, last_document = -1;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    KG_CHECK_EQ(segments[i].begin, end);
    KG_CHECK_LT(segments[i].begin, segments[i].end);
    if (segments[i].prompt < 0)
      last_document = static_cast<std::int64_t>(i);
    else
      KG_CHECK_EQ(segments[i].prompt, last_document);
    end = segments[i].end;
  }
  KG_CHECK_EQ(end, tokens);
}

std::vector<std::int64_t> positions_of(const std::vector<Segment>& segments) {
  std::vector<std::int64_t> positions;
  for (const Segment& segment : segments) {
    std::int64_t position = 0;
    if (segment.prompt >= 0) {
      const Segment& prompt = segments[static_cast<std::size_t>(segment.prompt)];
      position = prompt.end - prompt.begin;
    }
    for (std::int64_t t = segment.begin; t < segment.end; ++t) positions.push_back(position++);
  }
  return positions;
}

}  // namespace kg::policy
