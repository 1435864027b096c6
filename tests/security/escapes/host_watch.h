#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace kg::sandbox::testing {

// What an escape would leave on the host. Others work on the same host meanwhile, so it looks at everything that is
// this process's or that an attack could have named: every attack that makes something calls it kgescape, or takes port
// 47391.
class HostWatch {
 public:
  HostWatch();
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  // A folder that anyone may write to, with a secret, a link to it, and a file that anyone may write to.
  const std::filesystem::path& bait() const { return bait_; }

  struct State {
    std::map<std::string, std::string> bait;  // path to mode, links, size, time and content
    std::set<std::string> named;      // files, ports, sockets, memory, queues, keys called as attacks call theirs
    std::set<std::string> processes;  // programs below this process, orphans included
    std::set<std::string> ports;      // that those listen on
    bool operator==(const State&) const = default;
    std::string text() const;
  };
  State look() const;

 private:
  std::filesystem::path bait_;
};

}  // namespace kg::sandbox::testing
