#include "rollout/endpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/hash.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kLongestSocketPath = 107;

void make_private_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error("cannot make the folder of a local socket", path.string(), "check that its parent folder is writable",
                Error::Kind::kEnvironment);
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
    throw Error("the folder of a local socket is not a folder of this user", path.string(),
                "remove it, or set XDG_RUNTIME_DIR to a folder of your own", Error::Kind::kEnvironment);
  if ((info.st_mode & 0777) != 0700 && ::chmod(path.c_str(), 0700) != 0)
    throw Error("cannot make the folder of a local socket private", path.string(), "chmod 700 it",
                Error::Kind::kEnvironment);
}

}  // namespace

fs::path private_folder(const std::string& name) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const fs::path root = runtime != nullptr && fs::is_directory(runtime) ? fs::path(runtime) : fs::path("/tmp");
  const fs::path mine = root / ("kgtrain-" + std::to_string(::geteuid()));
  make_private_folder(mine);
  make_private_folder(mine / name);
  return mine / name;
}

std::string local_endpoint(const fs::path& folder, const std::string& name) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  fs::path sockets = whole / "sockets";
  if ((sockets / name).string().size() > kLongestSocketPath) {
    char hash[17];
    std::snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(hash64(whole.string())));
    sockets = private_folder(hash);
  }
  const std::string path = (sockets / name).string();
  if (path.size() > kLongestSocketPath)
    throw Error("the path of a local socket has " + std::to_string(path.size()) + " bytes, at most " +
                    std::to_string(kLongestSocketPath) + " are possible",
                path, "set XDG_RUNTIME_DIR to a folder with a shorter path", Error::Kind::kEnvironment);
  make_private_folder(sockets);
  return "ipc://" + path;
}

bool is_remote(const std::string& endpoint) {
  if (endpoint.starts_with("tcp://")) return true;
  if (endpoint.starts_with("ipc://") || endpoint.starts_with("inproc://")) return false;
  throw Error("not an endpoint: \"" + endpoint + "\"", "endpoint", "wanted ipc://PATH or tcp://ADDRESS:PORT");
}

}  // namespace kg::rollout
