#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataset/store/hdf5.h"

namespace kg::dataset::hdf5 {

struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// A file whose bytes HDF5 reads and writes through us (a driver of its own, H5FD_class_t). So we know where each chunk
// comes to lie, which the library tells only in quadratic time; a full disk cannot crash it; and a file that was cut
// off opens as far as it goes.
class DriverFile {
 public:
  // To write, in the 1.10 file format, which keeps small datasets small.
  static DriverFile in_memory();
  static DriverFile on_disk(const fs::path& path);  // truncates
  // To read. Bytes beyond the end of the file read as zeroes.
  static DriverFile open(const fs::path& path);
  DriverFile(DriverFile&&) noexcept;
  ~DriverFile();

  hid_t id() const { return file_.id(); }
  // Where the raw data lies that HDF5 wrote or asked for last; nothing if it did so never since the last call.
  Extent take_last_raw();
  // From now on raw data is only located, not read.
  void only_locate_raw();
  // Closes the file. Throws Error if a byte could not be written; returns the bytes of a file in memory.
  std::string close();

  struct State;

 private:
  DriverFile(std::unique_ptr<State> state, bool create, const std::string& where);

  std::unique_ptr<State> state_;
  Handle file_;
};

}  // namespace kg::dataset::hdf5
