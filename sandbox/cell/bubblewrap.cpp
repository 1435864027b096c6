#include "sandbox/cell/bubblewrap.h"

#include <set>

#include "base/error.h"

namespace kg::sandbox {
namespace {

// Tensors of many megabytes pass through the cells; page by page, the first touch of their memory costs more than
// copying them.
constexpr const char* kLargePagesForMalloc = "glibc.malloc.hugetlb=1";
constexpr const char* kProgramInside = "/kgtrain/kgtrain-sandbox";

bool covered(const fs::path& path, const CellSpec& spec) {
  for (const Mount& mount : spec.mounts)
    if (path.string().starts_with(mount.inside.string() + "/")) return true;
  for (const Mount& link : spec.links)
    if (path.string().starts_with(link.inside.string() + "/")) return true;
  return false;
}

}  // namespace

std::vector<std::string> cell_command(Isolation isolation, const CellSpec& spec, int control) {
  const fs::path program = spec.program.empty() ? fs::read_symlink("/proc/self/exe") : spec.program;
  const std::string descriptor = std::to_string(control);
  if (isolation == Isolation::kLess) return {program.string(), "run", "--control", descriptor};

  const fs::path bubblewrap = find_program("KGTRAIN_BWRAP", {"bwrap"});
  if (bubblewrap.empty())
    throw Error("bubblewrap (bwrap) is not installed", "PATH", "apt-get install bubblewrap", Error::Kind::kEnvironment);
  std::vector<std::string> words = {bubblewrap.string(), "--unshare-pid",        "--unshare-net", "--unshare-ipc",
                                    "--unshare-uts",     "--unshare-cgroup-try", "--hostname",    "cell",
                                    "--die-with-parent", "--as-pid-1",           "--clearenv",    "--setenv",
                                    "GLIBC_TUNABLES",    kLargePagesForMalloc,   "--cap-drop",    "ALL"};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  // As root, the first process inside becomes an ordinary user of the host (cell_process.cpp); it needs these two
  // capabilities for that, and loses them with the change of user.
  if (isolation == Isolation::kNamespaces)
    add({"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
  else
    add({"--unshare-user", "--uid", "65534", "--gid", "65534"});
  std::vector<Mount> mounts = spec.mounts;
  mounts.push_back({program, kProgramInside});
  for (const fs::path& library : loaded_libraries())
    if (!covered(library, spec)) mounts.push_back({library, library});
  // Folders that bubblewrap makes on its own are closed to others than root.
  std::set<fs::path> folders;
  for (const Mount& mount : mounts)
    for (fs::path above = mount.inside.parent_path(); above != "/"; above = above.parent_path()) folders.insert(above);
  for (const fs::path& folder : folders)
    if (!covered(folder, spec)) add({"--perms", "0755", "--dir", folder.string()});
  for (const Mount& mount : mounts)
    add({mount.writable ? "--bind" : "--ro-bind", mount.host.string(), mount.inside.string()});
  for (const Mount& link : spec.links) add({"--symlink", link.host.string(), link.inside.string()});
  add({"--remount-ro", "/", "--chdir", spec.folder.string(), kProgramInside, "run", "--control", descriptor});
  return words;
}

}  // namespace kg::sandbox
