#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "proto/event.pb.h"

namespace kg::trainer {

// Scalars in the event files that TensorBoard reads: records (length, checksum, bytes, checksum) of
// messages with the wire format of tensorflow.Event (proto/event.proto). One file for each process that writes to
// the run.
class EventFile {
 public:
  // The file is created with the first scalars.
  explicit EventFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // A resumed run repeats steps: readers drop earlier files' values from `step` on.
  void restart_at(std::int64_t step) { restart_ = step; }
  void add(std::int64_t step, double time, const std::map<std::string, double>& scalars);

 private:
  void open(double time);
  void write(const proto::Event& event);

  std::filesystem::path folder_;
  std::ofstream file_;
  std::int64_t restart_ = 0;
};

// CRC-32C (Castagnoli) in the form these records use: rotated by 15 bits and offset by a constant.
std::uint32_t masked_crc32c(const std::string& bytes);

}  // namespace kg::trainer
