#include "dataset/store/hdf5.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace kg::dataset::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static auto* mutex = new std::recursive_mutex;  // outlives every static destructor that closes a handle
  return *mutex;
}

// The innermost entry of the library's error stack says what really happened ("No space left on device").
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

Handle format_110() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list", "");
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), "set the file format", "");
  check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "set the close degree", "");
  check(H5Pset_file_locking(access.id(), /*use=*/false, /*ignore_when_disabled=*/true), "turn off file locks", "");
  return access;
}

// The memory of HDF5's memory driver, as a string of ours that outlives the closing of the file. Only then is the image
// whole: H5Fget_file_image of 1.10.8 gives an open file's superblock with a wrong checksum.
void* allocate_image(std::size_t size, H5FD_file_image_op_t, void* image) {
  auto& bytes = *static_cast<std::string*>(image);
  bytes.assign(size, '\0');
  return bytes.data();
}
void* resize_image(void*, std::size_t size, H5FD_file_image_op_t, void* image) {
  auto& bytes = *static_cast<std::string*>(image);
  if (size > bytes.capacity()) bytes.reserve(2 * size);
  bytes.resize(size);
  return bytes.data();
}
void* copy_image(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, size);
}
herr_t release_image(void*, H5FD_file_image_op_t, void*) { return 0; }
void* share_image(void* image) { return image; }
herr_t keep_image(void*) { return 0; }

}  // namespace

Guard::Guard() : lock_(library_mutex()) {
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

Handle open_file(const fs::path& path) {
  Guard guard;
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list", "");
  check(H5Pset_file_locking(access.id(), /*use=*/false, /*ignore_when_disabled=*/true), "turn off file locks", "");
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, "open the file", path.string());
}

Handle create_file(const fs::path& path) {
  Guard guard;
  const Handle access = format_110();
  return Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, "make the file",
                path.string());
}

MemoryFile::MemoryFile() {
  Guard guard;
  const Handle access = format_110();
  H5FD_file_image_callbacks_t callbacks = {allocate_image, copy_image, resize_image, release_image,
                                           share_image,    keep_image, &image_};
  check(H5Pset_fapl_core(access.id(), /*increment=*/4096, /*backing_store=*/false), "set the memory driver", "");
  check(H5Pset_file_image_callbacks(access.id(), &callbacks), "set the memory of the memory driver", "");
  file_ =
      Handle(H5Fcreate("in-memory.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, "make a file in memory", "");
}

std::string MemoryFile::close_and_take() {
  Guard guard;
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "flush a file in memory", "");
  file_.close();
  return std::move(image_);
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
