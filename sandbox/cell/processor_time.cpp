#include "sandbox/cell/processor_time.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace kg::sandbox {
namespace {

// The rest of a stat file after the name, which may contain anything: the state comes first.
std::istringstream status_fields(const std::filesystem::path& path) {
  std::ifstream stat(path);
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  return std::istringstream(text.substr(std::min(text.size(), text.rfind(')') + 1)));
}

}  // namespace

std::vector<pid_t> chain_of_children(pid_t process) {
  std::vector<pid_t> chain;
  for (pid_t child = process; child > 0;) {
    chain.push_back(process = child);
    child = 0;
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
    for (pid_t one; children >> one;) child = one;
  }
  return chain;
}

double processor_seconds(pid_t process) {
  std::istringstream fields = status_fields(fmt::format("/proc/{}/stat", process));
  constexpr int kUserTime = 12;  // number of the field
  std::string skipped;
  for (int i = 0; i < kUserTime - 1; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double denied_seconds(pid_t process) {
  double longest = 0;
  std::error_code gone;
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone), end;
       !gone && thread != end; thread.increment(gone)) {
    std::ifstream schedule(thread->path() / "schedstat");
    double ran = 0, waited = 0;  // nanoseconds
    if (schedule >> ran >> waited) longest = std::max(longest, waited * 1e-9);
  }
  return longest;
}

bool runnable(pid_t process) {
  std::error_code gone;
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone), end;
       !gone && thread != end; thread.increment(gone)) {
    char state = 0;
    if (status_fields(thread->path() / "stat") >> state && state == 'R') return true;
  }
  return false;
}

}  // namespace kg::sandbox
