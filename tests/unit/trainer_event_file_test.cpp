// Event files, read back by protobuf's own parser of unknown messages and a checksum written bit by bit.
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <deque>

#include "base/file.h"
#include "trainer/event_file.h"

namespace kg::trainer {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

std::uint32_t crc_by_bits(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((crc ^ static_cast<unsigned char>(byte) >> bit) & 1) != 0;
      crc = crc >> 1 ^ (odd ? 0x82f63b78u : 0);
    }
  return ~crc;
}

std::uint32_t unmasked(std::uint32_t crc) { return std::rotl(crc - 0xa282ead8u, 15); }

template <typename T>
T take(std::string& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.erase(0, sizeof value);
  return value;
}

std::deque<UnknownFieldSet> read_events(const fs::path& folder) {
  std::deque<UnknownFieldSet> events;  // they cannot be moved
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("events.out.tfevents."));
    std::string bytes = read_file(entry.path());
    while (!bytes.empty()) {
      const std::string length_bytes = bytes.substr(0, 8);
      const auto length = take<std::uint64_t>(bytes);
      EXPECT_EQ(unmasked(take<std::uint32_t>(bytes)), crc_by_bits(length_bytes));
      const std::string event = bytes.substr(0, length);
      bytes.erase(0, length);
      EXPECT_EQ(unmasked(take<std::uint32_t>(bytes)), crc_by_bits(event));
      EXPECT_TRUE(events.emplace_back().ParseFromString(event));
    }
  }
  return events;
}

const UnknownField& field(const UnknownFieldSet& set, int number) {
  for (int i = 0; i < set.field_count(); ++i)
    if (set.field(i).number() == number) return set.field(i);
  throw std::runtime_error("no field " + std::to_string(number));
}

TEST(EventFile, ChecksumsAreThoseOfRfc3720) {
  EXPECT_EQ(crc_by_bits("123456789"), 0xe3069283u);
  EXPECT_EQ(crc_by_bits(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(unmasked(masked_crc32c("123456789")), 0xe3069283u);
}

TEST(EventFile, HoldsTheScalarsOfEachStepBehindItsVersion) {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  file.restart_at(7);
  file.add(7, 1000.5, {{"loss", 2.25}, {"tokens", 300}});
  file.add(8, 1001.5, {{"loss", -1}});
  const auto events = read_events(folder.path());
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(field(events[0], 3).length_delimited(), "brain.Event:2");
  EXPECT_EQ(field(events[1], 2).varint(), 7u);  // readers drop what was written from step 7 on before
  UnknownFieldSet log;
  ASSERT_TRUE(log.ParseFromString(field(events[1], 7).length_delimited()));
  EXPECT_EQ(field(log, 1).varint(), 1u);
  EXPECT_EQ(std::bit_cast<double>(field(events[2], 1).fixed64()), 1000.5);
  EXPECT_EQ(field(events[3], 2).varint(), 8u);
  UnknownFieldSet summary;
  ASSERT_TRUE(summary.ParseFromString(field(events[2], 5).length_delimited()));
  ASSERT_EQ(summary.field_count(), 2);
  UnknownFieldSet value;
  ASSERT_TRUE(value.ParseFromString(summary.field(0).length_delimited()));
  EXPECT_EQ(field(value, 1).length_delimited(), "loss");
  EXPECT_EQ(std::bit_cast<float>(field(value, 2).fixed32()), 2.25f);
}

}  // namespace
}  // namespace kg::trainer
