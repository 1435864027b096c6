#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/running_hash.h"

namespace kg {
namespace {

std::string hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Hash64::Hash64() : state_(XXH3_createState()) { XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_)); }
Hash64::~Hash64() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }
void Hash64::add(std::string_view bytes) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}
std::uint64_t Hash64::value() const { return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_)); }

RunningHash128::RunningHash128() : state_(XXH3_createState()) { reset(); }
RunningHash128::~RunningHash128() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }
void RunningHash128::reset() { XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_)); }
void RunningHash128::add(std::string_view bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}
std::string RunningHash128::hex() const {
  return kg::hex(XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

std::string hash128_hex(std::string_view bytes) { return hex(XXH3_128bits(bytes.data(), bytes.size())); }

std::string hash128_hex_of_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) throw Error("cannot read", path.string(), "check the path and its permissions");
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> buffer(1 << 20);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    XXH3_128bits_update(state.get(), buffer.data(), got);
  if (std::ferror(file.get()) != 0)
    throw Error("cannot read the whole file", path.string(), "check the disk", Error::Kind::kEnvironment);
  return hex(XXH3_128bits_digest(state.get()));
}

}  // namespace kg
