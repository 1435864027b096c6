#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "dataset/store/journal.h"
#include "dataset/store/journal_format.h"
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

  // Where the payloads of the whole records are: offset and length.
  static std::vector<std::pair<std::size_t, std::size_t>> places(const std::string& bytes) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    const JournalScan scan = scan_journal(bytes, kJournalVersion);
    for (const JournalEntry& entry : scan.entries[static_cast<std::size_t>(Table::kRollouts)])
      found.emplace_back(entry.offset, entry.length);
    return found;
  }

  TemporaryFolder folder;
  fs::path path = folder.path() / "journal-000007";
};

TEST_F(JournalFile, TornAtAnyByteItHoldsExactlyTheWholeRecords) {
  const auto sizes = write(4);
  const std::string whole = read_file(path);
  ASSERT_EQ(whole.size(), kJournalStep);
  for (std::size_t cut = kJournalHeaderBytes; cut <= sizes.back(); ++cut) {
    // As a write that a kill cut off leaves it: zeroes behind, which were laid out before.
    write_file_atomically(path, whole.substr(0, cut) + std::string(kJournalStep - cut, '\0'));
    const Journal journal = Journal::open(path);
    // All but the end mark makes a whole record.
    expect_prefix(journal, static_cast<std::size_t>(std::count_if(
                               sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size <= cut + 1; })));
    const bool mark_is_missing =
        std::any_of(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size == cut + 1; });
    EXPECT_EQ(journal.complaints().empty(), !mark_is_missing) << cut;
  }
}

TEST_F(JournalFile, CutOffAtAnyByteItHoldsTheWholeRecordsAndSaysThatOthersAreLost) {
  const auto sizes = write(4);
  const std::string whole = read_file(path);
  for (std::size_t cut = 0; cut <= sizes.back() + 40; ++cut) {
    write_file_atomically(path, whole.substr(0, cut));
    const Journal journal = Journal::open(path);
    expect_prefix(journal, static_cast<std::size_t>(std::count_if(
                               sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size <= cut + 1; })));
    EXPECT_FALSE(journal.complaints().empty()) << cut;
  }
}

TEST_F(JournalFile, ATailOfZeroesIsPassedOver) {  // a power loss after the file grew and before its bytes were written
  write(3);
  const std::string whole = read_file(path);
  write_file_atomically(path, whole + std::string(kJournalStep, '\0'));
  const Journal journal = Journal::open(path);
  expect_prefix(journal, 3);
  EXPECT_EQ(journal.torn_bytes(), 0u);
  EXPECT_TRUE(journal.complaints().empty());
  write_file_atomically(path, std::string(24, '\0'));
  expect_prefix(Journal::open(path), 0);
}

TEST_F(JournalFile, ADamagedRecordIsPassedOverAndTheOthersCount) {
  const auto sizes = write(3);
  const std::string whole = read_file(path);
  for (std::size_t at = sizes[0] + 16; at + 1 < sizes[1]; ++at) {  // but for the end mark
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
  const auto all = places(whole);
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t bit = kJournalHeaderBytes * 8; bit < sizes.back() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const RecordScan scan = scan_journal(damaged, kJournalVersion).records;
    const auto found = places(damaged);
    ASSERT_TRUE(!scan.damage.empty() || scan.mended_heads > 0 || !scan.tail_is_cut_off)
        << "nothing was said of bit " << bit;
    if (found == all) continue;  // a head or an end mark: the record is read all the same
    const auto hit = std::count_if(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size <= bit / 8; });
    auto wanted = all;
    wanted.erase(wanted.begin() + hit);
    ASSERT_EQ(found, wanted) << bit;
  }
}

// Which records survive damage in several places at once: those whose payloads are whole.
TEST_F(JournalFile, DamageInManyPlacesCostsOnlyTheRecordsThatItHits) {
  const auto sizes = write(12);
  const std::string whole = read_file(path);
  const auto all = places(whole);
  Philox random(33, 1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    std::set<std::size_t> lost;
    for (std::uint64_t i = 0, n = 1 + random.next_below(6); i < n; ++i) {
      const std::size_t record = random.next_below(all.size());
      const std::size_t payload = all[record].first, head = payload - sizeof(RecordHead);
      switch (random.next_below(5)) {
        case 0:  // a bit of the payload
          damaged[payload + random.next_below(all[record].second)] ^= static_cast<char>(1 << random.next_below(8));
          lost.insert(record);
          break;
        case 1:  // the length, to anything: shorter, longer, beyond the end
          for (int byte = 0; byte < 4; ++byte)
            damaged[head + static_cast<std::size_t>(byte)] = static_cast<char>(random.next_below(256));
          break;
        case 2:  // a bit of the unused field
          damaged[head + 4 + random.next_below(4)] ^= static_cast<char>(1 << random.next_below(8));
          break;
        case 3:  // the lengths of this record and the next
          damaged[head + 1] ^= 0x20;
          if (record + 1 < all.size()) damaged[all[record + 1].first - sizeof(RecordHead) + 2] ^= 0x01;
          break;
        default:  // zeroes over the head and the payload's beginning, as of a sector that was never written
          std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(head), 24, '\0');
          lost.insert(record);
      }
    }
    const auto found = places(damaged);
    std::vector<std::pair<std::size_t, std::size_t>> wanted;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!lost.contains(i) || std::find(found.begin(), found.end(), all[i]) != found.end()) wanted.push_back(all[i]);
    ASSERT_EQ(found, wanted) << round;  // two flips of one bit undo each other: then a record is not lost after all
    if (lost.empty()) continue;
    const RecordScan scan = scan_journal(damaged, kJournalVersion).records;
    ASSERT_TRUE(found.size() == all.size() || !scan.damage.empty() || !scan.tail_is_cut_off) << round;
  }
}

TEST_F(JournalFile, BytesInADamagedRecordThatLookLikeARecordAreNotTakenForOne) {
  const auto inner = record(example_rollout(8, 8));
  std::string image;
  append_record(image, inner.SerializeAsString(), /*end_mark=*/true);
  proto::JournalRecord outer;
  outer.mutable_tensor()->set_task("t");
  outer.mutable_tensor()->set_data("before" + image + "after");
  const auto last = record(example_rollout(1, 0));
  for (const bool is_last : {false, true}) {
    {
      Journal journal = Journal::create(path, 7);
      journal.append({&outer});
      if (!is_last) journal.append({&last});
    }
    std::string bytes = read_file(path);
    bytes[kJournalHeaderBytes + sizeof(RecordHead) + 5] ^= 1;
    write_file_atomically(path, bytes);
    const Journal journal = Journal::open(path);
    EXPECT_EQ(journal.rows(Table::kTensors), 0u);
    EXPECT_EQ(journal.rows(Table::kRollouts), is_last ? 0u : 1u);
    EXPECT_EQ(journal.complaints().size(), 1u);
  }
}

// Journals of version 1 have no end marks, no zeroes behind and no checksum of the header.
TEST_F(JournalFile, AJournalOfAnOlderKgtrainIsRead) {
  std::string bytes("KGTJRNL\n\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0", 24);
  for (int i = 0; i < 3; ++i) append_record(bytes, record(example_rollout(1, i)).SerializeAsString(), false);
  write_file_atomically(path, bytes);
  expect_prefix(Journal::open(path), 3);
  EXPECT_TRUE(Journal::open(path).complaints().empty());
  write_file_atomically(path, bytes.substr(0, bytes.size() - 9));  // cut off by a kill
  expect_prefix(Journal::open(path), 2);
  EXPECT_TRUE(Journal::open(path).complaints().empty());
  bytes[8] ^= 4;  // a version that nobody has
  write_file_atomically(path, bytes);
  expect_prefix(Journal::open(path), 3);
  EXPECT_EQ(Journal::open(path).complaints().size(), 1u);
}

TEST_F(JournalFile, ADamagedHeaderDoesNotHideTheRecords) {
  write(2);
  const std::string whole = read_file(path);
  for (const std::size_t at : {0u, 8u, 12u, 16u}) {  // magic, version, checksum, generation
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_file_atomically(path, damaged);
    const Journal journal = Journal::open(path);
    expect_prefix(journal, 2);
    EXPECT_EQ(journal.complaints().size(), 1u) << at;
  }
}

TEST_F(JournalFile, AnUnknownVersionIsRefusedWithBothNamed) {
  write(1);
  std::string bytes = read_file(path);
  bytes[8] = 9;
  std::fill_n(bytes.begin() + 12, 4, '\0');
  const auto checksum = static_cast<std::uint32_t>(hash64(std::string_view(bytes).substr(0, kJournalHeaderBytes)));
  std::memcpy(bytes.data() + 12, &checksum, sizeof checksum);
  write_file_atomically(path, bytes);
  try {
    Journal::open(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::AllOf(testing::HasSubstr("version 9"), testing::HasSubstr("version 2")));
  }
}

TEST_F(JournalFile, AWriteThatDoesNotFitIsTakenBack) {
  Journal journal = Journal::create(path, 7);
  const auto first = record(example_rollout(1, 0));
  journal.append({&first});
  const std::uint64_t size = journal.bytes();

  // A file size limit stands for a full disk: there is no room for a further step.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{kJournalStep + 100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  proto::Rollout large = example_rollout(1, 1);
  large.set_kernel(std::string(kJournalStep, 'k'));
  const auto too_large = record(large);
  EXPECT_THROW(journal.append({&too_large}), Error);
  const auto second = record(example_rollout(1, 1));
  journal.append({&second});  // which fits
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_EQ(fs::file_size(path), kJournalStep);
  EXPECT_GT(journal.bytes(), size);
  expect_prefix(journal, 2);
  expect_prefix(Journal::open(path), 2);
  EXPECT_TRUE(Journal::open(path).complaints().empty());
}

}  // namespace
}  // namespace kg::dataset
