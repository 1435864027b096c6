#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace kg {
namespace {

// Known-answer vectors of Random123 1.14.0 (kat_vectors, philox4x32 10).
TEST(Philox, MatchesRandom123KnownAnswers) {
  EXPECT_EQ(Philox(0, 0).block(0), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox(~0ULL, ~0ULL).block(~0ULL),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox(0x299f31d0a4093822ULL, 0x0370734413198a2eULL).block(0x85a308d3243f6a88ULL),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeekingGivesTheSameNumbersAsDrawing) {
  Philox drawn(7, 3);
  for (int i = 0; i < 5; ++i) drawn.next_u32();
  Philox sought(7, 3);
  sought.seek(5);
  EXPECT_EQ(drawn.next_u32(), sought.next_u32());
}

}  // namespace
}  // namespace kg
