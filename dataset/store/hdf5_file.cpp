#include "dataset/store/hdf5_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/error.h"

namespace kg::dataset::hdf5 {

// The state behind HDF5's file handle; outlives it.
struct DriverFile::State {
  std::string where;
  bool in_memory = false, reading = false, only_locate_raw = false;
  std::string image;      // in memory
  Descriptor descriptor;  // on disk
  haddr_t allocated = 0;  // space that HDF5 has allocated
  haddr_t end = 0;        // end of the written part
  Extent last_raw;
  int error = 0;  // errno of the first failed write; HDF5 is not told, since it crashes on some
};

namespace {

using State = DriverFile::State;

constexpr haddr_t kLargest = (1ULL << 62) - 1;

struct OpenFile {
  H5FD_t base;  // HDF5's part, first
  State* state;
};

State& state_of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file)->state; }

H5FD_t* open_file(const char*, unsigned flags, hid_t access, haddr_t) {
  State* const* state = static_cast<State* const*>(H5Pget_driver_info(access));
  if (state == nullptr) return nullptr;
  if ((flags & H5F_ACC_TRUNC) != 0) {
    (*state)->image.clear();
    (*state)->end = 0;
  }
  auto* file = new OpenFile{};
  file->state = *state;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const std::less<> before;
  return before(&state_of(a), &state_of(b)) ? -1 : &state_of(a) != &state_of(b);
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return state_of(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  state_of(file).allocated = address;
  return 0;
}

// A truncated file keeps the length that it states: missing bytes read as zeros.
haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return state_of(file).reading ? kLargest : state_of(file).end; }

herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, void* buffer) {
  State& state = state_of(file);
  auto* to = static_cast<char*>(buffer);
  if (type == H5FD_MEM_DRAW) {
    state.last_raw = {address, size};
    if (state.only_locate_raw) return 0;
  }
  std::size_t got = 0;
  if (state.in_memory) {
    if (address < state.image.size()) {
      got = std::min<std::size_t>(size, state.image.size() - address);
      std::memcpy(to, state.image.data() + address, got);
    }
  } else {
    while (got < size) {
      const ssize_t n = ::pread(state.descriptor.number(), to + got, size - got, static_cast<off_t>(address + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return -1;
      if (n == 0) break;
      got += static_cast<std::size_t>(n);
    }
  }
  std::memset(to + got, 0, size - got);
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  State& state = state_of(file);
  if (type == H5FD_MEM_DRAW) state.last_raw = {address, size};
  state.end = std::max<haddr_t>(state.end, address + size);
  if (state.in_memory) {
    if (address + size > state.image.capacity()) state.image.reserve(2 * (address + size));
    if (address + size > state.image.size()) state.image.resize(address + size);
    std::memcpy(state.image.data() + address, buffer, size);
    return 0;
  }
  const auto* from = static_cast<const char*>(buffer);
  for (std::size_t done = 0; done < size && state.error == 0;) {
    const ssize_t n = ::pwrite(state.descriptor.number(), from + done, size - done, static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      state.error = n == 0 ? ENOSPC : errno;
    else
      done += static_cast<std::size_t>(n);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  State& state = state_of(file);
  if (state.reading || state.end == state.allocated) return 0;
  state.end = state.allocated;
  if (state.in_memory)
    state.image.resize(state.allocated);
  else if (state.error == 0 && ::ftruncate(state.descriptor.number(), static_cast<off_t>(state.allocated)) != 0)
    state.error = errno;
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(600);
#endif
    driver.name = "kgtrain";
    driver.maxaddr = kLargest;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(State*);
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare;
    driver.query = query;
    driver.get_eoa = get_allocated;
    driver.set_eoa = set_allocated;
    driver.get_eof = get_end;
    driver.read = read;
    driver.write = write;
    driver.truncate = truncate;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), driver.fl_map);
    return H5FDregister(&driver);
  }();
  return id;
}

Handle open_state(State* state, bool create) {
  Guard guard;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list", "");
  if (create) check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), "set the file format", "");
  check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "set the close degree", "");
  check(H5Pset_driver(access.id(), driver(), &state), "set the driver", "");
  const char* name = state->where.c_str();
  return create ? Handle(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, "make the file", name)
                : Handle(H5Fopen(name, H5F_ACC_RDONLY, access.id()), H5Fclose, "open the file", name);
}

}  // namespace

DriverFile::DriverFile(std::unique_ptr<State> state, bool create, const std::string& where) : state_(std::move(state)) {
  state_->where = where;
  file_ = open_state(state_.get(), create);
}

DriverFile::DriverFile(DriverFile&&) noexcept = default;

DriverFile::~DriverFile() {
  Guard guard;
  file_.close();
}

DriverFile DriverFile::in_memory() {
  auto state = std::make_unique<State>();
  state->in_memory = true;
  return DriverFile(std::move(state), /*create=*/true, "in-memory.h5");
}

DriverFile DriverFile::on_disk(const fs::path& path) {
  auto state = std::make_unique<State>();
  state->descriptor = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (state->descriptor.number() < 0)
    throw Error(std::string("cannot make the file: ") + std::strerror(errno), path.string(),
                "check that the folder is writable", Error::Kind::kEnvironment);
  return DriverFile(std::move(state), /*create=*/true, path.string());
}

DriverFile DriverFile::open(const fs::path& path) {
  auto state = std::make_unique<State>();
  state->reading = true;
  state->descriptor = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (state->descriptor.number() < 0)
    throw Error(std::string("cannot open the file: ") + std::strerror(errno), path.string(),
                "check the path and its permissions");
  return DriverFile(std::move(state), /*create=*/false, path.string());
}

Extent DriverFile::take_last_raw() { return std::exchange(state_->last_raw, {}); }

void DriverFile::only_locate_raw() { state_->only_locate_raw = true; }

std::string DriverFile::close() {
  Guard guard;
  if (!state_->reading && file_.open()) check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write the file", state_->where);
  file_.close();
  if (state_->error != 0)
    throw Error(std::string("the file cannot be written: ") + std::strerror(state_->error), state_->where,
                "free disk space or check the disk", Error::Kind::kEnvironment);
  return std::move(state_->image);
}

}  // namespace kg::dataset::hdf5
