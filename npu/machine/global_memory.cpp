#include "npu/machine/global_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

// A workspace may be large and is mostly untouched: only its start is poisoned.
constexpr std::uint64_t kMostPoison = 1 << 20;
constexpr std::uint64_t kGmLine = chip::kGmLineBytes;

// Large pages where the host has them: a tensor's first touch costs more than the kernel's work on it otherwise.
void prefer_large_pages(void* start, std::uint64_t bytes) {
  constexpr std::uint64_t kLargePage = 2 << 20;
  if (bytes >= kLargePage) madvise(start, bytes, MADV_HUGEPAGE);
}

// As operator new does where there is no memory: the program's handler first, which may end the process.
[[noreturn]] void cannot(const char* what, std::uint64_t bytes, const std::string& whose = "") {
  if (errno == ENOMEM && std::get_new_handler() != nullptr) std::get_new_handler()();
  throw Error(std::string("cannot ") + what + " " + std::to_string(bytes) + " bytes" + whose, "emulated global memory",
              "raise the memory limit of the run or shrink the tensor", Error::Kind::kEnvironment);
}

}  // namespace

ZeroBytes::ZeroBytes(std::uint64_t bytes) : bytes_(bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) cannot("map", bytes);
  data_ = static_cast<std::uint8_t*>(mapped);
  prefer_large_pages(mapped, bytes);
}

ZeroBytes& ZeroBytes::operator=(ZeroBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ZeroBytes::~ZeroBytes() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

GlobalMemory::~GlobalMemory() {
  for (const auto& allocation : allocations_) munmap(allocation->mapping, allocation->mapped);
}

GlobalMemory::Allocation& GlobalMemory::map(std::string name, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  auto allocation = std::make_unique<Allocation>();
  allocation->name = std::move(name);
  allocation->index = allocations_.size();
  allocation->bytes = bytes;
  allocation->rounded = (bytes + 32 + kGmLine - 1) / kGmLine * kGmLine;
  const std::uint64_t body = (allocation->rounded + page - 1) / page * page;
  // At the same addresses in every run, and so far apart that an offset of one tensor does not reach the next.
  constexpr std::uint64_t kFirst = 0x200000000000, kApart = 1ULL << 35;
  const std::uint64_t wanted = kFirst + kApart * allocations_.size();
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* base = mmap(reinterpret_cast<void*>(wanted), body + 2 * page, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED) base = mmap(nullptr, body + 2 * page, PROT_NONE, kFlags, -1, 0);
  if (base == MAP_FAILED) cannot("map", body, " for " + allocation->name);
  allocation->mapping = base;
  allocation->mapped = body + 2 * page;
  auto* start = static_cast<std::uint8_t*>(base) + page;
  if (mprotect(start, body, PROT_READ | PROT_WRITE) != 0) cannot("open", body, " for " + allocation->name);
  prefer_large_pages(start, body);
  allocation->data = start + (body - allocation->rounded);
  KG_CHECK_EQ(allocation->start() % kGmLine, 0u);  // the cache's lines and the requests never straddle two tensors
  KG_CHECK_GE(allocation->rounded, allocation->bytes + 32);
  allocations_.push_back(std::move(allocation));
  return *allocations_.back();
}

GlobalMemory::Allocation& GlobalMemory::allocate_input(std::string name, const std::string& content) {
  Allocation& allocation = map(std::move(name), content.size());
  std::memcpy(allocation.data, content.data(), content.size());
  return allocation;
}

GlobalMemory::Allocation& GlobalMemory::allocate_output(std::string name, std::uint64_t bytes, std::uint8_t poison,
                                                        bool is_output) {
  Allocation& allocation = map(std::move(name), bytes);
  std::memset(allocation.data, poison, is_output ? allocation.rounded : std::min(allocation.rounded, kMostPoison));
  allocation.is_output = is_output;
  allocation.poison = poison;
  static_assert(static_cast<int>(State::kUnwritten) == 0);
  allocation.state = ZeroBytes(allocation.rounded);
  return allocation;
}

GlobalMemory::Allocation* GlobalMemory::find(std::uint64_t address) {
  for (const auto& allocation : allocations_)
    if (address >= allocation->start() && address < allocation->start() + allocation->rounded) return allocation.get();
  const Allocation* constants = constants_in_use_;
  if (constants != nullptr && address - constants->start() < constants->rounded) return constants_in_use_;
  return nullptr;
}

void GlobalMemory::add_constants(const void* code, std::uint64_t address, const std::uint8_t* data,
                                 std::uint64_t bytes) {
  if (bytes == 0 || constants_.contains(code)) return;
  constexpr std::size_t kFirst = 1 << 15;  // numbers behind those of the tensors
  auto made = std::make_unique<Allocation>();
  made->name = "the kernel's constants";
  made->index = kFirst + constants_.size();
  made->data = const_cast<std::uint8_t*>(data);  // nothing writes them: gm_store.cpp
  made->address = address;
  made->bytes = made->rounded = bytes;
  constants_.emplace(code, std::move(made));
}

void GlobalMemory::use_constants_of(const void* code) {
  const auto found = constants_.find(code);
  constants_in_use_ = found == constants_.end() ? nullptr : found->second.get();
}

GlobalMemory::Allocation* GlobalMemory::nearest(std::uint64_t address) {
  Allocation* best = nullptr;
  std::uint64_t best_distance = ~0ULL;
  for (const auto& allocation : allocations_) {
    const std::uint64_t end = allocation->start() + allocation->rounded;
    const std::uint64_t distance = address < allocation->start() ? allocation->start() - address
                                   : address < end               ? 0
                                                                 : address - end;
    if (distance < best_distance) {
      best_distance = distance;
      best = allocation.get();
    }
  }
  return best;
}

std::vector<GlobalMemory::Allocation*> GlobalMemory::all() {
  std::vector<Allocation*> list;
  for (const auto& allocation : allocations_) list.push_back(allocation.get());
  return list;
}

void GlobalMemory::forget_accesses() {
  for (const auto& allocation : allocations_) allocation->log.clear();
}

void GlobalMemory::close() {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const auto& allocation : allocations_)
    if (mprotect(static_cast<std::uint8_t*>(allocation->mapping) + page, allocation->mapped - 2 * page, PROT_NONE) != 0)
      throw Error("cannot change the access to " + allocation->name, "emulated global memory", "report this",
                  Error::Kind::kFailed);
}

}  // namespace kg::npu
