#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "dataset/store/damage.h"
#include "dataset/store/dataset.h"
#include "dataset/store/folder.h"
#include "dataset/store/hdf5_file.h"
#include "dataset/store/pack.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

class DatasetStore : public testing::Test {
 protected:
  std::unique_ptr<Dataset> open(OpenMode mode) const { return Dataset::open(path, mode); }
  std::size_t segment_count() const { return list_folder(folder_of(path)).segments.size(); }

  TemporaryFolder folder;
  fs::path path = folder.path() / "ascend_cot.h5";
};

std::vector<proto::JournalRecord> a_bit_of_all(int begin, int end) {
  std::vector<proto::JournalRecord> records;
  for (int i = begin; i < end; ++i) {
    records.push_back(record(example_task(i)));
    records.push_back(record(example_sample(i)));
    records.push_back(record(example_rollout(i, 0)));
    records.push_back(record(example_rollout(i, 1)));
    records.push_back(record(example_preference(i)));
    records.push_back(meta_record("last", std::to_string(i)));
  }
  return records;
}

void expect_rows(const Dataset& data, int count) {
  const auto n = static_cast<std::uint64_t>(count);
  EXPECT_EQ(data.counts().tasks, n);
  EXPECT_EQ(data.counts().samples, n);
  EXPECT_EQ(data.counts().rollouts, 2 * n);
  EXPECT_EQ(data.counts().preferences, n);
  int i = 0;
  data.for_each_task([&](const proto::Task& task) {
    EXPECT_TRUE(same(task, example_task(i++)));
    return true;
  });
  EXPECT_EQ(i, count);
  i = 0;
  data.for_each_sample([&](const proto::Sample& sample) {
    EXPECT_TRUE(same(sample, example_sample(i++)));
    return true;
  });
  EXPECT_EQ(i, count);
  i = 0;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    EXPECT_TRUE(same(rollout, example_rollout(i / 2, i % 2))) << rollout.DebugString();
    ++i;
    return true;
  });
  EXPECT_EQ(i, 2 * count);
  i = 0;
  data.for_each_preference([&](const proto::Preference& p) {
    EXPECT_TRUE(same(p, example_preference(i++)));
    return true;
  });
  EXPECT_EQ(i, count);
  if (count == 0) return;
  EXPECT_EQ(data.meta("last"), std::to_string(count - 1));
  for (const int row : {0, count / 2, count - 1}) {
    EXPECT_TRUE(same(data.sample(static_cast<std::uint64_t>(row)), example_sample(row)));
    const auto task = data.task(example_task(row).id());
    ASSERT_TRUE(task.has_value());
    EXPECT_TRUE(same(*task, example_task(row)));
  }
}

TEST_F(DatasetStore, RowsComeBackFromTheJournal) {
  const auto data = open(OpenMode::kCreate);
  EXPECT_EQ(data->append(a_bit_of_all(0, 7)), 42u);
  expect_rows(*data, 7);
  expect_rows(*open(OpenMode::kRead), 7);
}

TEST_F(DatasetStore, RowsComeBackFromSegments) {
  const auto data = open(OpenMode::kCreate);
  data->append(a_bit_of_all(0, 7));
  data->fold();
  expect_rows(*data, 7);
  data->append(a_bit_of_all(7, 1100));  // more than a chunk of rows
  data->fold();
  expect_rows(*data, 1100);
  expect_rows(*open(OpenMode::kRead), 1100);
}

TEST_F(DatasetStore, RowsComeBackFromSegmentsAndJournalTogether) {
  const auto data = open(OpenMode::kCreate);
  data->append(a_bit_of_all(0, 3));
  data->fold();
  data->append(a_bit_of_all(3, 5));
  expect_rows(*data, 5);
  expect_rows(*open(OpenMode::kRead), 5);
}

TEST_F(DatasetStore, ClosingFoldsAndReopeningGoesOn) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 2));
  EXPECT_EQ(segment_count(), 1u);
  EXPECT_TRUE(list_folder(folder_of(path)).journals.empty());
  open(OpenMode::kAppend)->append(a_bit_of_all(2, 4));
  open(OpenMode::kAppendOrCreate)->append(a_bit_of_all(4, 5));
  expect_rows(*open(OpenMode::kRead), 5);
}

TEST_F(DatasetStore, AFlippedBitInAJournalsFirstLengthLosesNothingAndIsTold) {
  pid_t child = ::fork();
  if (child == 0) {  // a writer that is killed: its journal stays
    const auto data = open(OpenMode::kCreate);
    for (int i = 0; i < 5; ++i) data->append(a_bit_of_all(i, i + 1));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const fs::path journal = folder_of(path) / "journal-000001";
  std::string bytes = read_file(journal);
  bytes[25] = static_cast<char>(bytes[25] ^ 8);  // the second byte of the first record's length
  write_file_durably(journal, bytes);
  expect_rows(*open(OpenMode::kRead), 5);
  EXPECT_THAT(damage_of(path), testing::ElementsAre(testing::HasSubstr("damaged head: 1")));
  bytes[60] = static_cast<char>(bytes[60] ^ 8);  // now its payload too: it is lost, the others are not
  write_file_durably(journal, bytes);
  EXPECT_EQ(open(OpenMode::kAppend)->counts().samples, 5u);
  EXPECT_EQ(open(OpenMode::kRead)->counts().tasks, 4u);
  EXPECT_EQ(read_file(folder_of(path) / "journal-000001.damaged"), bytes);
  EXPECT_THAT(damage_of(path), testing::ElementsAre(testing::HasSubstr("journal-000001.damaged")));
}

TEST_F(DatasetStore, KnownKeysAreNotStoredTwice) {
  const auto data = open(OpenMode::kCreate);
  data->append({record(example_task(1)), record(example_rollout(1, 0)), record(example_sample(1))});
  const std::vector<proto::JournalRecord> again = {record(example_task(1)),       record(example_task(2)),
                                                   record(example_task(2)),       record(example_rollout(1, 0)),
                                                   record(example_rollout(1, 1)), record(example_sample(1))};
  EXPECT_EQ(data->append(again), 2u);
  data->fold();
  EXPECT_EQ(data->append(again), 0u);
  proto::Rollout other_run = example_rollout(1, 0);
  other_run.set_run("run-b");
  EXPECT_EQ(data->append({record(other_run)}), 1u);
  EXPECT_EQ(data->counts().tasks, 2u);
  EXPECT_EQ(data->counts().rollouts, 3u);
  EXPECT_EQ(data->counts().samples, 1u);
}

TEST_F(DatasetStore, KnownKeysAreNotStoredTwiceAfterReopening) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 2));
  EXPECT_EQ(open(OpenMode::kAppend)->append(a_bit_of_all(0, 2)), 4u);  // meta entries and preferences have no key
}

TEST_F(DatasetStore, DefaultsAndNaNComeBack) {
  proto::Rollout odd;
  odd.set_run("r");
  odd.mutable_verdict()->set_max_abs_error(NAN);
  odd.mutable_verdict()->set_reward(-0.0);
  {
    const auto data = open(OpenMode::kCreate);
    data->append({record(odd), record(proto::Sample()), record(proto::Preference())});
  }
  const auto data = open(OpenMode::kRead);
  data->for_each_rollout([&](const proto::Rollout& rollout) {
    EXPECT_EQ(rollout.SerializeAsString(), odd.SerializeAsString());
    return true;
  });
  EXPECT_TRUE(same(data->sample(0), proto::Sample()));
}

TEST_F(DatasetStore, ManyFoldsKeepTheNumberOfSegmentsSmall) {
  {
    const auto data = open(OpenMode::kCreate);
    for (int i = 0; i < 70; ++i) {
      data->append(a_bit_of_all(i, i + 1));
      data->fold();
      EXPECT_LE(segment_count(), 15u);  // 7 of each of two levels, and one
    }
    expect_rows(*data, 70);
  }
  expect_rows(*open(OpenMode::kRead), 70);
  EXPECT_EQ(segment_count(), 1u + 0u + 6u);  // 70 in base 8
}

TEST_F(DatasetStore, AppendsGoOnBesideFoldsAndMerges) {
  {
    const auto data = open(OpenMode::kCreate);
    std::atomic<bool> done = false;
    std::thread folds([&] {
      while (!done) data->fold();
    });
    for (int i = 0; i < 150; ++i) data->append(a_bit_of_all(i, i + 1));
    done = true;
    folds.join();
    expect_rows(*data, 150);
  }
  expect_rows(*open(OpenMode::kRead), 150);
  EXPECT_LE(segment_count(), 15u);
}

TEST_F(DatasetStore, AReaderIsNotDisturbedByFoldsAndMerges) {
  const auto data = open(OpenMode::kCreate);
  data->append(a_bit_of_all(0, 3));
  const auto reader = open(OpenMode::kRead);
  for (int i = 3; i < 20; ++i) {
    data->append(a_bit_of_all(i, i + 1));
    data->fold();
  }
  expect_rows(*reader, 3);
}

TEST_F(DatasetStore, AVisitorMayAppend) {
  const auto data = open(OpenMode::kCreate);
  data->append(a_bit_of_all(0, 3));
  int next = 3;
  data->for_each_task([&](const proto::Task&) {
    data->append(a_bit_of_all(next, next + 1));
    data->fold();
    ++next;
    return true;
  });
  expect_rows(*data, 6);
}

TEST_F(DatasetStore, ASecondWriterIsRefusedAndToldWho) {
  const auto data = open(OpenMode::kCreate);
  try {
    open(OpenMode::kAppend);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("process " + std::to_string(::getpid())));
  }
}

TEST_F(DatasetStore, OpenModesSayWhatIsWrong) {
  EXPECT_THROW(open(OpenMode::kRead), Error);
  EXPECT_THROW(open(OpenMode::kAppend), Error);
  open(OpenMode::kCreate);
  EXPECT_THROW(open(OpenMode::kCreate), Error);
  const auto reader = open(OpenMode::kRead);
  EXPECT_THROW(reader->append({record(example_task(1))}), Error);
  std::ofstream(folder.path() / "other.h5") << "not HDF5";
  EXPECT_THROW(Dataset::open(folder.path() / "other.h5", OpenMode::kRead), Error);
}

TEST_F(DatasetStore, AnUnknownFormatVersionIsRefusedWithBothNamed) {
  hdf5::DriverFile file = hdf5::DriverFile::in_memory();
  hdf5::write_attribute(file.id(), "format", std::string("kgtrain data set"));
  hdf5::write_attribute(file.id(), "format_version", std::uint64_t{7});
  write_file_atomically(path, file.close());
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kAppend}) {
    try {
      open(mode);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.full_message(),
                  testing::AllOf(testing::HasSubstr("version 7"), testing::HasSubstr("version 1")));
    }
  }
}

// As segments were written before there were these columns ("table/column"), and before they had an index.
void remove_columns(const fs::path& folder, const SegmentRange& range, const std::vector<std::string>& columns) {
  const fs::path segment = folder / segment_file_name(range);
  fs::remove(index_path(segment));
  const hdf5::Handle file(H5Fopen(segment.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open", segment);
  for (const std::string& column : columns) {
    const std::size_t slash = column.find('/');
    const std::string name = column.substr(0, slash) + "/" + segment_group_name(range) + column.substr(slash);
    hdf5::check(H5Ldelete(file.id(), name.c_str(), H5P_DEFAULT), "delete", name);
  }
}

TEST_F(DatasetStore, AFileFromBeforeJudgeVersionsOpensAndGrows) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 2));
  const auto listing = list_folder(folder_of(path));
  ASSERT_EQ(listing.segments.size(), 1u);
  remove_columns(folder_of(path), listing.segments[0],
                 {"samples/judge_version_bytes", "samples/judge_version_offsets", "rollouts/judge_version_bytes",
                  "rollouts/judge_version_offsets"});
  open(OpenMode::kAppend)->append(a_bit_of_all(2, 3));
  std::vector<std::string> versions;
  open(OpenMode::kRead)->for_each_rollout([&](const proto::Rollout& rollout) {
    versions.push_back(rollout.verdict().judge_version());
    EXPECT_EQ(rollout.verdict().invalid_reason(), "because");
    return true;
  });
  EXPECT_THAT(versions, testing::ElementsAre("", "", "", "", "5d41402abc4b2a76", "5d41402abc4b2a76"));
}

TEST_F(DatasetStore, AFileFromBeforeTurnsHoldsFirstAnswersAlone) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 2));
  const auto listing = list_folder(folder_of(path));
  ASSERT_EQ(listing.segments.size(), 1u);
  remove_columns(folder_of(path), listing.segments[0],
                 {"rollouts/turn", "rollouts/after_work_id", "rollouts/after_sample"});
  open(OpenMode::kAppend)->append(a_bit_of_all(2, 3));
  std::vector<std::uint32_t> turns;
  std::vector<std::uint64_t> after;
  open(OpenMode::kRead)->for_each_rollout([&](const proto::Rollout& rollout) {
    turns.push_back(rollout.turn());
    after.push_back(rollout.after_work_id());
    return true;
  });
  EXPECT_THAT(turns, testing::ElementsAre(0, 0, 0, 0, 1, 2));
  EXPECT_THAT(after, testing::ElementsAre(0, 0, 0, 0, 3, 3));
}

TEST_F(DatasetStore, APackedFileOverTheFolderOfAnotherDataSetIsRefused) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 2));
  const fs::path packed = folder.path() / "packed.h5";
  {
    const auto other = Dataset::open(folder.path() / "other.h5", OpenMode::kCreate);
    for (int i = 0; i < 3; ++i) {
      other->append(a_bit_of_all(i, i + 1));
      other->fold();
    }
  }
  EXPECT_EQ(pack(folder.path() / "other.h5", packed).counts.rollouts, 6u);
  expect_rows(*Dataset::open(packed, OpenMode::kRead), 3);
  fs::rename(packed, path);
  EXPECT_THROW(open(OpenMode::kRead), Error);
  EXPECT_THROW(open(OpenMode::kAppend), Error);
}

TEST_F(DatasetStore, FileAndFolderMayBeMovedAndRenamedTogether) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 4));
  const fs::path moved = folder.path() / "elsewhere" / "b.h5";
  fs::create_directories(moved.parent_path());
  fs::rename(path, moved);
  fs::rename(folder_of(path), folder_of(moved));
  expect_rows(*Dataset::open(moved, OpenMode::kRead), 4);
  Dataset::open(moved, OpenMode::kAppend)->append(a_bit_of_all(4, 5));
  expect_rows(*Dataset::open(moved, OpenMode::kRead), 5);
}

TEST_F(DatasetStore, TheFileWithoutItsFolderIsRefused) {
  open(OpenMode::kCreate)->append(a_bit_of_all(0, 4));
  fs::rename(folder_of(path), folder.path() / "gone");
  EXPECT_THROW(open(OpenMode::kRead), Error);
  EXPECT_THROW(open(OpenMode::kAppend), Error);
}

TEST_F(DatasetStore, TextThatIsNotUtf8IsRefusedAndNothingOfTheCallIsStored) {
  const auto data = open(OpenMode::kCreate);
  proto::Sample bad = example_sample(2);
  bad.set_output("\xff\xfe");
  EXPECT_THROW(data->append({record(example_sample(1)), record(bad)}), Error);
  EXPECT_EQ(data->counts().samples, 0u);
  EXPECT_EQ(data->append({record(example_sample(1))}), 1u);
}

}  // namespace
}  // namespace kg::dataset
