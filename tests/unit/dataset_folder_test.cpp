#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/store/folder.h"
#include "dataset/store/journal.h"
#include "dataset/store/merge.h"

namespace kg::dataset {
namespace {

std::vector<std::string> live(const FolderListing& listing) {
  std::vector<std::string> names;
  for (const auto& range : listing.segments) names.push_back(segment_file_name(range));
  return names;
}

TEST(Folder, AJournalCountsUntilASegmentHoldsItsGeneration) {
  const auto before = sort_names({"journal-000002", "lock", "segment-000001-000001.h5"});
  EXPECT_THAT(before.journals, testing::ElementsAre(2));
  const auto after = sort_names({"journal-000002", "lock", "segment-000001-000001.h5", "segment-000002-000002.h5"});
  EXPECT_THAT(after.journals, testing::IsEmpty());
  EXPECT_THAT(after.folded_journals, testing::ElementsAre(2));
}

TEST(Folder, AMergedSegmentTakesThePlaceOfItsParts) {
  const auto listing = sort_names({"segment-000001-000001.h5", "segment-000002-000002.h5", "segment-000001-000002.h5",
                                   "segment-000003-000003.h5", "segment-000003-000004.h5.tmp77"});
  EXPECT_THAT(live(listing), testing::ElementsAre("segment-000001-000002.h5", "segment-000003-000003.h5"));
  EXPECT_EQ(listing.superseded.size(), 2u);
  EXPECT_THAT(listing.leftovers, testing::ElementsAre("segment-000003-000004.h5.tmp77"));
  EXPECT_EQ(listing.last_generation(), 3u);
}

TEST(Folder, TheNumberOfADamagedJournalIsNotUsedAgain) {
  const auto listing = sort_names({"journal-000005.damaged", "lock", "segment-000001-000003.h5"});
  EXPECT_THAT(listing.damaged, testing::ElementsAre("journal-000005.damaged"));
  EXPECT_EQ(listing.last_generation(), 5u);
}

TEST(Folder, OnlyExactNamesCount) {
  for (const char* name :
       {"segment-1-1.h5", "segment-000002-000001.h5", "segment-000001-000001.h5x", "segment-000000-000000.h5"})
    EXPECT_FALSE(parse_segment_file_name(name)) << name;
  EXPECT_EQ(parse_journal_file_name("journal-000012"), 12u);
  EXPECT_EQ(parse_journal_file_name("journal-12"), 0u);
  EXPECT_EQ(parse_journal_file_name("journal-1234567"), 1234567u);
  EXPECT_EQ(parse_journal_file_name("journal-000012.tmp"), 0u);
}

TEST(Merge, EightNeighboursOfALevelBecomeOneOfTheNext) {
  std::vector<SegmentRange> segments;
  std::size_t most = 0;
  std::uint64_t rewritten = 0;
  for (std::uint64_t generation = 1; generation <= 4096; ++generation) {
    segments.push_back({.first = generation, .last = generation, .level = 0});
    while (const auto first = segments_to_merge(segments)) {
      EXPECT_EQ(*first + kMergeWidth, segments.size());
      const SegmentRange merged{
          .first = segments[*first].first, .last = segments.back().last, .level = segments.back().level + 1};
      segments.resize(*first);
      segments.push_back(merged);
      rewritten += merged.last - merged.first + 1;
    }
    most = std::max(most, segments.size());
  }
  EXPECT_EQ(most, 28u);              // 7 of each of four levels
  EXPECT_EQ(rewritten, 4u * 4096u);  // each row once a level
  EXPECT_EQ(segments.size(), 1u);    // 8^4
}

TEST(Merge, SegmentsThatCameDuringAMergeWaitBehindIt) {
  std::vector<SegmentRange> segments;
  const auto add = [&](std::uint64_t level, int count) {
    for (int i = 0; i < count; ++i) segments.push_back({.first = 1, .last = 1, .level = level});
  };
  add(2, 1), add(1, 8), add(0, 3);
  EXPECT_EQ(segments_to_merge(segments), 1u);
  add(0, 8);
  EXPECT_EQ(segments_to_merge(segments), 9u);  // of eleven, the first eight
  segments.resize(8);
  EXPECT_EQ(segments_to_merge(segments), std::nullopt);
}

}  // namespace
}  // namespace kg::dataset
