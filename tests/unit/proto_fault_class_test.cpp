#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/fault_class.h"
#include "proto/message_json.h"

namespace kg::proto {
namespace {

// Stored verdicts hold the names, so none of them may change.
TEST(FaultClass, NamesAreThoseOfStoredVerdicts) {
  std::vector<std::string> names;
  for (const FaultClassRow& row : fault_classes()) names.emplace_back(row.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("ub", "queue", "synchronisation", "memory", "gm", "cache", "argument", "scalar",
                                     "assert", "trap", "limit", "host", "module", "numbers", "second look"));
  EXPECT_STREQ(name_of(FaultClass::kSecondLook), "second look");
  EXPECT_TRUE(is_fault_class("gm"));
  EXPECT_FALSE(is_fault_class("scalar_cache"));
}

TEST(FaultClass, PageHasASentenceForEachClassAndStage) {
  const std::string page = faults_page();
  for (const FaultClassRow& row : fault_classes()) {
    EXPECT_THAT(page, ::testing::HasSubstr(std::string("| `") + row.name + "` | "));
    EXPECT_TRUE(std::string(row.sentence).ends_with('.')) << row.name;
  }
  EXPECT_THAT(page, ::testing::HasSubstr("| `compare` | "));
}

}  // namespace
}  // namespace kg::proto
