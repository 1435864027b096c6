// Damage to a data set costs what it hits, is told, and deletes nothing that can still be read.
#include "tests/integration/dataset_damage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "dataset/store/damage.h"
#include "dataset/store/folder.h"
#include "dataset/store/hdf5_file.h"
#include "dataset/store/pack.h"
#include "dataset/store/repair.h"
#include "dataset/store/segment.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class DatasetDamage : public testing::Test {
 protected:
  fs::path first_segment() const { return folder_of(set.path()) / "segment-000001-000008.h5"; }
  Rows read() const { return rows_of(*Dataset::open(set.path(), OpenMode::kRead)); }
  static void change(const fs::path& file, std::uint64_t at, const std::string& with) {
    std::string bytes = read_file(file);
    bytes.replace(at, with.size(), with);
    write_file_atomically(file, bytes);
  }
  static std::uint64_t chunk_of(const fs::path& file, const std::string& column, int chunk) {
    return Segment(file).index().columns.at(column).offsets(chunk);
  }
  // Everything that HDF5 itself needs, and no chunk.
  static void break_metadata(const fs::path& file) {
    std::string bytes = read_file(file);
    const Segment segment(file);
    std::string kept(bytes.size(), '\0');
    for (const auto& [key, column] : segment.index().columns)
      for (int i = 0; i < column.offsets_size(); ++i)
        kept.replace(column.offsets(i), column.sizes(i), bytes, column.offsets(i), column.sizes(i));
    write_file_atomically(file, kept);
  }

  DamagedSet set;
};

TEST_F(DatasetDamage, AFlippedBitInAChunkHidesItsRowsAndRepairBringsThemBack) {
  const std::uint64_t at = chunk_of(first_segment(), "rollouts/reward", 1);
  change(first_segment(), at + 9, std::string(1, static_cast<char>(set.bytes(first_segment())[at + 9] ^ 16)));
  const Rows left = read();
  EXPECT_EQ(set.rows().size() - left.size(), 1120u - 1024u);
  EXPECT_THAT(damage_of(set.path()), Contains(HasSubstr("chunk 1 of /rollouts/reward is damaged")));
  const RepairReport report = repair(set.path());
  EXPECT_THAT(report.lost, IsEmpty());
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
  EXPECT_TRUE(read_file(first_segment()) == set.bytes(first_segment()));
  EXPECT_THAT(damage_of(set.path()), IsEmpty());
  EXPECT_TRUE(fs::exists(report.kept / first_segment().filename()));
}

TEST_F(DatasetDamage, AnOverwrittenChunkLosesItsRowsOnlyAndRepairNamesThemAndKeepsTheRest) {
  const std::uint64_t at = chunk_of(first_segment(), "rollouts/worker_offsets", 1);
  change(first_segment(), at, std::string(16, '\0'));
  const Rows left = read();
  EXPECT_LE(set.rows().size() - left.size(), 1120u - 1023u);
  const RepairReport report = repair(set.path());
  EXPECT_EQ(report.lost.size(), set.rows().size() - left.size());
  EXPECT_THAT(report.lost,
              Contains(HasSubstr("rollout run-a/1100/0 (row 1100 of segment-000001-000008.h5; lacks worker)")));
  EXPECT_THAT(difference(read(), left), IsEmpty());
  EXPECT_THAT(damage_of(set.path()), IsEmpty());
  EXPECT_THAT(read_file(report.kept / "segment-000001-000008.h5.rest.jsonl"),
              HasSubstr("__global__ void k110000() {}"));
  // The keys are free again, and no others.
  const auto data = Dataset::open(set.path(), OpenMode::kAppend);
  EXPECT_EQ(data->append({record(example_rollout(1100, 0)), record(example_rollout(5, 0))}), 1u);
}

TEST_F(DatasetDamage, ASegmentWithoutAnyHdf5MetadataIsReadAndWrittenAnew) {
  break_metadata(first_segment());
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
  EXPECT_THAT(damage_of(set.path()), Contains(HasSubstr("HDF5's own part of the file is damaged")));
  EXPECT_THAT(repair(set.path()).lost, IsEmpty());
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
  EXPECT_THAT(damage_of(set.path()), IsEmpty());
}

TEST_F(DatasetDamage, ADamagedIndexAndDamagedMetadataTogetherLoseOnlyTheColumnThatNobodyFinds) {
  break_metadata(first_segment());
  const fs::path index = index_path(first_segment());
  std::string bytes = read_file(index);
  const std::size_t name = bytes.find("judge_ms");
  bytes[name] ^= 1;
  write_file_atomically(index, bytes);
  const Rows left = read();
  EXPECT_EQ(set.rows().size() - left.size(), 1120u);  // each rollout of the segment lacks judge_ms
  const RepairReport report = repair(set.path());
  EXPECT_EQ(report.lost.size(), 1120u);
  EXPECT_THAT(report.lost, Contains(HasSubstr("rollout run-a/7/0")));
  EXPECT_THAT(report.lost[0], HasSubstr("lacks judge_ms"));
  EXPECT_THAT(difference(read(), left), IsEmpty());
}

TEST_F(DatasetDamage, ADamagedOrMissingIndexIsMadeAnewByTheNextWriter) {
  const fs::path index = index_path(first_segment());
  for (const bool missing : {false, true}) {
    if (missing)
      fs::remove(index);
    else
      change(index, read_file(index).size() / 2, "XXXXXXXX");
    EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
    if (!missing) {
      EXPECT_THAT(damage_of(set.path()), Contains(HasSubstr("its index is damaged")));
    }
    EXPECT_EQ(Dataset::open(set.path(), OpenMode::kAppend)->append({record(example_rollout(3, 0))}), 0u);
    EXPECT_TRUE(read_file(index) == set.bytes(index));
    set.restore();
  }
}

TEST_F(DatasetDamage, ADamagedLinkFileIsReadPastAndMadeAnew) {
  const std::string whole = read_file(set.path());
  for (const std::string& bytes : {std::string(), std::string("not HDF5"), whole.substr(0, 1500),
                                   std::string(whole.size(), '\0'), whole.substr(0, whole.size() - 1)}) {
    write_file_atomically(set.path(), bytes);
    EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
    EXPECT_THAT(damage_of(set.path()), Contains(HasSubstr("set.h5: "))) << bytes.size();
    EXPECT_THAT(repair(set.path()).lost, IsEmpty());
    EXPECT_THAT(damage_of(set.path()), IsEmpty());
    EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
    set.restore();
  }
  fs::remove(set.path());
  EXPECT_THROW(read(), Error);
  EXPECT_THAT(repair(set.path()).lost, IsEmpty());
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
}

TEST_F(DatasetDamage, AJournalsFlippedBitIsPutRightByRepairEvenAfterItWasFolded) {
  const fs::path journal = set.files().back();
  const std::size_t at = set.bytes(journal).find("__global__ void k118500");
  change(journal, at + 4, "xx");  // more than a bit: it stays lost
  change(journal, set.bytes(journal).find("__global__ void k118600") + 2, std::string(1, 'g' ^ 1));
  EXPECT_EQ(read().size(), set.rows().size() - 2);
  Dataset::open(set.path(), OpenMode::kAppend);
  EXPECT_EQ(read().size(), set.rows().size() - 2);
  EXPECT_THAT(damage_of(set.path()), Contains(HasSubstr(".damaged")));
  const RepairReport report = repair(set.path());
  EXPECT_EQ(report.lost.size(), 1u);
  Rows wanted = set.rows();
  EXPECT_EQ(wanted.erase("rollout run-a/1185/0"), 1u);
  EXPECT_THAT(difference(read(), wanted), IsEmpty());
  EXPECT_THAT(damage_of(set.path()), IsEmpty());
}

TEST_F(DatasetDamage, AMergeDoesNotDropRowsThatARepairCouldSave) {
  const fs::path segment = folder_of(set.path()) / "segment-000009-000009.h5";
  const std::uint64_t at = chunk_of(segment, "rollouts/reward", 0);
  change(segment, at, std::string(1, static_cast<char>(set.bytes(segment)[at] ^ 1)));
  {
    const auto data = Dataset::open(set.path(), OpenMode::kAppend);
    for (int i = 2000; i < 2012; ++i) {
      data->append({record(example_rollout(i, 0))});
      data->fold();
    }
  }
  EXPECT_TRUE(fs::exists(segment));
  EXPECT_THAT(repair(set.path()).lost, IsEmpty());
  Rows now = read();
  for (int i = 2000; i < 2012; ++i) now.erase("rollout run-a/" + std::to_string(i) + "/0");
  EXPECT_THAT(difference(now, set.rows()), IsEmpty());
}

TEST_F(DatasetDamage, APackedFileTellsAndRepairs) {
  const fs::path packed = set.path().parent_path() / "packed.h5";
  EXPECT_EQ(pack(set.path(), packed).unreadable, 0u);
  EXPECT_THAT(difference(rows_of(*Dataset::open(packed, OpenMode::kRead)), set.rows()), IsEmpty());
  EXPECT_THAT(damage_of(packed), IsEmpty());
  const std::string whole = read_file(packed);
  // A bit in a chunk, in HDF5's part, in the index, and in the last bytes.
  for (const std::size_t at : {std::size_t{60}, whole.size() / 3, whole.size() - 200, whole.size() - 20}) {
    change(packed, at, std::string(1, static_cast<char>(whole[at] ^ 4)));
    EXPECT_THAT(damage_of(packed), testing::Not(IsEmpty())) << at;
    EXPECT_THAT(repair(packed).lost, IsEmpty()) << at;
    EXPECT_THAT(difference(rows_of(*Dataset::open(packed, OpenMode::kRead)), set.rows()), IsEmpty()) << at;
    EXPECT_THAT(damage_of(packed), IsEmpty()) << at;
    write_file_atomically(packed, whole);
  }
  // Cut off: the index is gone, and HDF5 alone would refuse the file.
  write_file_atomically(packed, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(damage_of(packed), testing::Not(IsEmpty()));
  const Rows left = rows_of(*Dataset::open(packed, OpenMode::kRead));
  for (const auto& [key, row] : left) EXPECT_TRUE(row == set.rows().at(key)) << key;
}

// As a data set was before there were indexes: neither beside the segments nor behind the link file.
TEST_F(DatasetDamage, ADataSetWithoutIndexesOpensAndTheNextWriterMakesThem) {
  for (const fs::path& file : set.files())
    if (file.extension() == ".index") fs::remove(file);
  const auto trailer = read_trailer(set.path());
  ASSERT_TRUE(trailer.has_value());
  fs::resize_file(set.path(), trailer->offset);
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
  EXPECT_EQ(Dataset::open(set.path(), OpenMode::kAppend)->append({record(example_rollout(3, 0))}), 0u);
  for (const fs::path& file : set.files())
    if (file.extension() == ".index") {
      EXPECT_TRUE(read_file(file) == set.bytes(file)) << file;
    }
  EXPECT_THAT(difference(read(), set.rows()), IsEmpty());
  EXPECT_THAT(damage_of(set.path()), IsEmpty());
}

TEST_F(DatasetDamage, RolloutsOfARunAreFoundWithoutReadingTheOthers) {
  const auto data = Dataset::open(set.path(), OpenMode::kRead);
  const auto keys = data->rollout_keys();
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys.at("run-a").size(), 1220u);
  EXPECT_EQ(keys.at("run-a").largest_work(), 1219u);
  std::vector<std::uint64_t> works;
  data->for_each_rollout_of("run-a", 1100, 1190, [&](const proto::Rollout& rollout) {
    works.push_back(rollout.work_id());
    return true;
  });
  ASSERT_EQ(works.size(), 91u);
  EXPECT_TRUE(std::is_sorted(works.begin(), works.end()));
  EXPECT_EQ(works.front(), 1100u);
  data->for_each_rollout_of("run-b", 0, ~std::uint64_t{0}, [&](const proto::Rollout&) {
    ADD_FAILURE();
    return true;
  });
}

TEST(DatasetFuzz, ASmallDrawOfFlipsAndCutsCostsWhatItHitsAndIsTold) {
  const FuzzCount count = fuzz(/*flips=*/60, /*cuts=*/15, /*seed=*/1, /*repair_each=*/6);
  EXPECT_EQ(count.done, 75);
  EXPECT_GT(count.with_loss, 5);
  EXPECT_GT(count.repaired, 10);
}

}  // namespace
}  // namespace kg::dataset
