#include "rollout/fleet_keys.h"

#include <unistd.h>

#include <sstream>
#include <string>

#include "rollout/curve_keys.h"

namespace kg::rollout {
namespace {

constexpr const char* kPrefix = "node-";

// Lines of allowed_workers of everybody but nodes.
std::string others(const fs::path& allowed) {
  std::istringstream in(fs::exists(allowed) ? read_file(allowed) : "");
  std::string kept;
  for (std::string line; std::getline(in, line);)
    if (line.find(std::string(" ") + kPrefix) == std::string::npos) kept += line + "\n";
  return kept;
}

}  // namespace

void make_fleet_keys(const fs::path& folder, unsigned nodes, bool rotate) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::replace);
  const fs::path fresh = folder / (".new-" + std::to_string(::getpid()));
  fs::remove_all(fresh);
  std::string allowed = others(folder / "allowed_workers");
  for (unsigned i = 0; i < nodes; ++i) {
    const std::string name = kPrefix + std::to_string(i), file = name + ".key";
    if (rotate || !fs::exists(folder / file)) {
      make_keys(fresh, name);
      fs::rename(fresh / file, folder / file);
    }
    allowed += worker_public_key(folder, name) + " " + name + "\n";
  }
  for (const char* file : {"server.key", "server.pub"})
    if (!fs::exists(folder / file) && fs::exists(fresh / file)) fs::rename(fresh / file, folder / file);
  fs::remove_all(fresh);
  write_file_durably(folder / "allowed_workers", allowed);
}

}  // namespace kg::rollout
