#include "trainer/event_file.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

namespace kg::trainer {
namespace {

// Fields of tensorflow.Event, Summary, Summary.Value and SessionLog.
enum : int { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum : int { kValue = 1, kTag = 1, kSimpleValue = 2, kStatus = 1, kStarted = 1 };
// How a field's bytes are written (protobuf's wire types).
enum : int { kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5 };

template <typename T>
void append_raw(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>(value | 128));
  to.push_back(static_cast<char>(value));
}
void append_key(std::string& to, int field, int kind) {
  append_varint(to, static_cast<std::uint64_t>(field << 3 | kind));
}
void append_number(std::string& to, int field, std::uint64_t value) {
  append_key(to, field, kVarint);
  append_varint(to, value);
}
void append_bytes(std::string& to, int field, const std::string& bytes) {
  append_key(to, field, kBytes);
  append_varint(to, bytes.size());
  to += bytes;
}

std::string event_at(std::int64_t step, double time) {
  std::string event;
  append_key(event, kWallTime, kEightBytes);
  append_raw(event, time);
  append_number(event, kStep, static_cast<std::uint64_t>(step));
  return event;
}

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0);
    table[byte] = rest;
  }
  return table;
}

}  // namespace

std::uint32_t masked_crc32c(const std::string& bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_table();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 255];
  return std::rotr(~crc, 15) + 0xa282ead8u;
}

void EventFile::open(double time) {
  char host[64] = "host";
  ::gethostname(host, sizeof host - 1);
  char name[160];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010lld.%s.%d", static_cast<long long>(time), host, ::getpid());
  file_.open(folder_ / name, std::ios::binary | std::ios::app);
  std::string first = event_at(0, time);
  append_bytes(first, kFileVersion, "brain.Event:2");
  write(first);
  if (restart_ == 0) return;
  std::string log, event = event_at(restart_, time);
  append_number(log, kStatus, kStarted);
  append_bytes(event, kSessionLog, log);
  write(event);
}

void EventFile::add(std::int64_t step, double time, const std::map<std::string, double>& scalars) {
  if (!file_.is_open()) open(time);
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    std::string one;
    append_bytes(one, kTag, tag);
    append_key(one, kSimpleValue, kFourBytes);
    append_raw(one, static_cast<float>(value));
    append_bytes(summary, kValue, one);
  }
  std::string event = event_at(step, time);
  append_bytes(event, kSummary, summary);
  write(event);
  file_.flush();
}

void EventFile::write(const std::string& event) {
  std::string length, record;
  append_raw(length, static_cast<std::uint64_t>(event.size()));
  record = length;
  append_raw(record, masked_crc32c(length));
  record += event;
  append_raw(record, masked_crc32c(event));
  file_.write(record.data(), static_cast<std::streamsize>(record.size()));
}

}  // namespace kg::trainer
