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

// A file whose bytes HDF5 reads and writes through us (our own driver, H5FD_class_t). So we know where each chunk
// is stored, which the library tells only in quadratic time; a full disk cannot crash it; and a truncated file
// can be opened as far as it goes.
class DriverFile {
 public:
  // For writing, in the 1.10 file format, which keeps small datasets small.
  static DriverFile in_memory();
  static DriverFile on_disk(const fs::path& path);  // truncates
  // For reading. Bytes beyond the end of the file read as zeros.
  static DriverFile open(const fs::path& path);
  DriverFile(DriverFile&&) noexcept;
  ~DriverFile();

  hid_t id() const { return file_.id(); }
  // Where the raw data is that HDF5 last wrote or asked for; nothing if there was none since the last call.
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
