#include "trainer/event_file.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <cstdio>

#include "base/host_name.h"

namespace kg::trainer {
namespace {

template <typename T>
void append_raw(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

proto::Event event_at(std::int64_t step, double time) {
  proto::Event event;
  event.set_wall_time(time);
  event.set_step(step);
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
  char name[160];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010lld.%s.%d", static_cast<long long>(time),
                host_name().c_str(), ::getpid());
  file_.open(folder_ / name, std::ios::binary | std::ios::app);
  proto::Event first = event_at(/*step=*/0, time);
  first.set_file_version("brain.Event:2");
  write(first);
  if (restart_ == 0) return;
  proto::Event restart = event_at(restart_, time);
  restart.mutable_session()->set_status(proto::Session::STARTED);
  write(restart);
}

void EventFile::add(std::int64_t step, double time, const std::map<std::string, double>& scalars) {
  if (!file_.is_open()) open(time);
  proto::Event event = event_at(step, time);
  for (const auto& [tag, value] : scalars) {
    proto::Scalars::Scalar& scalar = *event.mutable_scalars()->add_values();
    scalar.set_tag(tag);
    scalar.set_number(static_cast<float>(value));
  }
  write(event);
  file_.flush();
}

void EventFile::write(const proto::Event& event) {
  const std::string bytes = event.SerializeAsString();
  std::string length, record;
  append_raw(length, static_cast<std::uint64_t>(bytes.size()));
  record = length;
  append_raw(record, masked_crc32c(length));
  record += bytes;
  append_raw(record, masked_crc32c(bytes));
  file_.write(record.data(), static_cast<std::streamsize>(record.size()));
}

}  // namespace kg::trainer
