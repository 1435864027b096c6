#include "dataset/store/hdf5.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/error.h"

namespace kg::dataset::hdf5 {
namespace {

// Outlives every static destructor that closes a handle.
std::recursive_mutex*& library_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return mutex;
}

// The innermost entry of the library's error stack has the real cause ("No space left on device").
herr_t keep_first(unsigned, const H5E_error2_t* entry, void* to) {
  auto& text = *static_cast<std::string*>(to);
  if (text.empty() && entry->desc != nullptr) text = entry->desc;
  return 0;
}

[[noreturn]] void fail(const std::string& what, const std::string& where) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Error("HDF5 cannot " + what + (reason.empty() ? "" : ": " + reason), where,
              "check that the file is a kgtrain data set and that the disk is neither full nor broken",
              Error::Kind::kFailed);
}

Handle scalar_space() { return Handle(H5Screate(H5S_SCALAR), H5Sclose, "make a scalar", ""); }

}  // namespace

Guard::Guard() : lock_(*library_mutex()) {
  // Per thread in thread-safe builds, global in others: set each time, it costs nothing.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle::Handle(hid_t id, Closer closer, const std::string& what, const std::string& where) : id_(id), closer_(closer) {
  if (id < 0) fail(what, where);
}

Handle::~Handle() { close(); }

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
    closer_ = other.closer_;
  }
  return *this;
}

void Handle::close() {
  if (id_ < 0) return;
  Guard guard;
  closer_(std::exchange(id_, -1));
}

void check(herr_t status, const std::string& what, const std::string& where) {
  if (status < 0) fail(what, where);
}

pid_t fork_with_library() {
  const Guard guard;
  const pid_t child = ::fork();
  // A recursive mutex knows its holder by a thread id, which the child's thread no longer has.
  if (child == 0) library_mutex() = new std::recursive_mutex;
  return child;
}

Handle create_group(hid_t parent, const std::string& name) {
  return Handle(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make the group",
                name);
}

Handle open_group(hid_t parent, const std::string& name, const std::string& where) {
  return Handle(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, "open the group " + name, where);
}

bool has_link(hid_t parent, const std::string& name) { return H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0; }

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type", name);
  check(H5Tset_size(type.id(), text.empty() ? 1 : text.size()), "size a text type", name);
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "make a text type UTF-8", name);
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "pad a text type", name);
  const Handle space = scalar_space();
  const Handle attribute(H5Acreate2(object, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "make the attribute", name);
  check(H5Awrite(attribute.id(), type.id(), text.c_str()), "write the attribute", name);
}

void write_attribute(hid_t object, const std::string& name, std::uint64_t number) {
  const Handle space = scalar_space();
  const Handle attribute(H5Acreate2(object, name.c_str(), H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "make the attribute", name);
  check(H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &number), "write the attribute", name);
}

std::optional<std::string> read_text_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open the attribute", name);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose, "read the type of the attribute", name);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0) return std::nullopt;
  std::string text(H5Tget_size(type.id()), '\0');
  check(H5Aread(attribute.id(), type.id(), text.data()), "read the attribute", name);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::optional<std::uint64_t> read_number_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open the attribute", name);
  std::uint64_t number = 0;
  check(H5Aread(attribute.id(), H5T_NATIVE_UINT64, &number), "read the attribute", name);
  return number;
}

}  // namespace kg::dataset::hdf5
