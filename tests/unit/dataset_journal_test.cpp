#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "base/error.h"
#include "dataset/store/journal.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

class JournalFile : public testing::Test {
 protected:
  // The journal's size after each of `count` records.
  std::vector<std::uint64_t> write(int count) {
    std::vector<std::uint64_t> sizes;
    Journal journal = Journal::create(path, 7);
    for (int i = 0; i < count; ++i) {
      const auto made = record(example_rollout(1, i));
      journal.append({&made});
      sizes.push_back(journal.bytes());
    }
    return sizes;
  }
  static void expect_prefix(const Journal& journal, std::size_t count) {
    ASSERT_EQ(journal.rows(Table::kRollouts), count);
    proto::JournalRecord read;
    for (std::size_t i = 0; i < count; ++i) {
      journal.read(Table::kRollouts, i, read);
      ASSERT_TRUE(same(read.rollout(), example_rollout(1, static_cast<int>(i))));
    }
  }

  TemporaryFolder folder;
  fs::path path = folder.path() / "journal-000007";
};

TEST_F(JournalFile, TornAtAnyByteItHoldsExactlyTheWholeRecords) {
  const auto sizes = write(4);
  const std::string whole = read_file(path);
  ASSERT_EQ(whole.size(), sizes.back());
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write_file_atomically(path, whole.substr(0, cut));
    const Journal journal = Journal::open(path);
    expect_prefix(journal, static_cast<std::size_t>(std::count_if(sizes.begin(), sizes.end(),
                                                                  [&](std::uint64_t size) { return size <= cut; })));
  }
}

TEST_F(JournalFile, ATailOfZeroesIsPassedOver) {  // a power loss after the file grew and before its bytes were written
  write(3);
  const std::string whole = read_file(path);
  write_file_atomically(path, whole + std::string(5000, '\0'));
  const Journal journal = Journal::open(path);
  expect_prefix(journal, 3);
  EXPECT_EQ(journal.torn_bytes(), 5000u);
  write_file_atomically(path, std::string(24, '\0'));
  expect_prefix(Journal::open(path), 0);
}

TEST_F(JournalFile, ADamagedRecordIsPassedOverAndTheOthersCount) {
  const auto sizes = write(3);
  const std::string whole = read_file(path);
  for (std::size_t at = sizes[0] + 16; at < sizes[1]; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write_file_atomically(path, damaged);
    const Journal journal = Journal::open(path);
    ASSERT_EQ(journal.rows(Table::kRollouts), 2u) << at;
    proto::JournalRecord read;
    journal.read(Table::kRollouts, 1, read);
    ASSERT_TRUE(same(read.rollout(), example_rollout(1, 2)));
  }
}

TEST_F(JournalFile, AFlippedBitAnywhereCostsAtMostTheRecordThatItHits) {
  const auto sizes = write(4);
  const std::string whole = read_file(path);
  const auto entries_of = [](const JournalScan& scan) {
    return scan.entries[static_cast<std::size_t>(Table::kRollouts)];
  };
  const std::vector<JournalEntry> all = entries_of(scan_journal(whole));
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t bit = kJournalHeaderBytes * 8; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const JournalScan scan = scan_journal(damaged);
    std::vector<JournalEntry> wanted = all;
    const auto same_place = [](const JournalEntry& a, const JournalEntry& b) {
      return a.offset == b.offset && a.length == b.length;
    };
    const std::vector<JournalEntry> found = entries_of(scan);
    if (found.size() == 4) {  // a length, or the unused field of a head: the record is read all the same
      ASSERT_TRUE(std::equal(found.begin(), found.end(), all.begin(), all.end(), same_place)) << bit;
      continue;
    }
    const auto hit = std::count_if(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size <= bit / 8; });
    wanted.erase(wanted.begin() + hit);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), same_place)) << bit;
    ASSERT_TRUE(!scan.damage.empty() || !scan.tail_is_cut_off) << "nothing was said of bit " << bit;
  }
}

TEST_F(JournalFile, ADamagedHeaderDoesNotHideTheRecords) {
  write(2);
  const std::string whole = read_file(path);
  for (const std::size_t at : {0u, 12u, 16u}) {  // magic, unused, generation
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_file_atomically(path, damaged);
    const Journal journal = Journal::open(path);
    expect_prefix(journal, 2);
    EXPECT_EQ(journal.complaints().size(), 1u) << at;
  }
}

TEST_F(JournalFile, AWriteThatAKillCutOffIsNoDamage) {
  write(2);
  const std::string whole = read_file(path);
  write_file_atomically(path, whole.substr(0, whole.size() - 5));
  EXPECT_TRUE(Journal::open(path).complaints().empty());
}

TEST_F(JournalFile, AnUnknownVersionIsRefusedWithBothNamed) {
  write(1);
  std::string bytes = read_file(path);
  bytes[8] = 9;
  write_file_atomically(path, bytes);
  try {
    Journal::open(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::AllOf(testing::HasSubstr("version 9"), testing::HasSubstr("version 1")));
  }
}

TEST_F(JournalFile, AWriteThatDoesNotFitIsTakenBack) {
  Journal journal = Journal::create(path, 7);
  const auto first = record(example_rollout(1, 0));
  journal.append({&first});
  const std::uint64_t size = journal.bytes();

  // A file size limit stands for a full disk: the write stops in the middle of the record.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{size + 100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto second = record(example_rollout(1, 1));
  EXPECT_THROW(journal.append({&second}), Error);
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_EQ(fs::file_size(path), size);
  journal.append({&second});
  expect_prefix(journal, 2);
  expect_prefix(Journal::open(path), 2);
}

}  // namespace
}  // namespace kg::dataset
