#include "sandbox/cell/host.h"

#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace kg::sandbox {
namespace {

fs::path resolve(const std::string& name) {
  std::error_code error;
  const auto usable = [&](const fs::path& path) {
    return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, error);
  };
  if (name.find('/') != std::string::npos) return usable(name) ? fs::canonical(name, error) : fs::path();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && usable(fs::path(folder) / name)) return fs::canonical(fs::path(folder) / name, error);
  return {};
}

}  // namespace

fs::path find_program(const char* variable, const std::vector<std::string>& names) {
  const char* chosen = std::getenv(variable);
  if (chosen != nullptr && *chosen != '\0') return resolve(chosen);
  for (const std::string& name : names)
    if (fs::path path = resolve(name); !path.empty()) return path;
  return {};
}

std::vector<fs::path> loaded_libraries() {
  std::vector<fs::path> paths;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        // The program itself has no name, the kernel's own page (vdso) no file.
        const std::string name = info->dlpi_name;
        if (name.starts_with("/")) static_cast<std::vector<fs::path>*>(list)->emplace_back(name);
        return 0;
      },
      &paths);
  return paths;
}

Error host_lacks(const std::string& what) {
  return Error(what + ": " + std::strerror(errno), "sandbox", "free memory, processes or descriptors on this host",
               Error::Kind::kEnvironment);
}

}  // namespace kg::sandbox
