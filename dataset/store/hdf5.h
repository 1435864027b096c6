#pragma once

#include <hdf5.h>
#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"

// A small wrapper for HDF5's C API: handles that close themselves, failures as kg::Error, and the one lock that the
// library needs (Debian's serial build is not thread-safe).
namespace kg::dataset::hdf5 {

// Held during every call into the library. Recursive, so that destructors may take it again.
class Guard {
 public:
  Guard();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle() = default;
  // Throws Error with the library's own reason if `id` is negative. `what` completes "cannot ...".
  Handle(hid_t id, Closer closer, const std::string& what, const std::string& where);
  ~Handle();
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  hid_t id() const { return id_; }
  bool open() const { return id_ >= 0; }
  void close();

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

// Throws Error if a call failed.
void check(herr_t status, const std::string& what, const std::string& where);

// Calls fork(2) between two calls into the library by any thread, so the child can use it.
pid_t fork_with_library();

Handle create_group(hid_t parent, const std::string& name);
Handle open_group(hid_t parent, const std::string& name, const std::string& where);
bool has_link(hid_t parent, const std::string& name);

void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, std::uint64_t number);
std::optional<std::string> read_text_attribute(hid_t object, const std::string& name);
std::optional<std::uint64_t> read_number_attribute(hid_t object, const std::string& name);

}  // namespace kg::dataset::hdf5
