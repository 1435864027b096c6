#include "host_watch.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace kg::sandbox::testing {
namespace {

constexpr const char* kName = "kgescape";
constexpr const char* kPort = ":B91F";  // 47391

// What could be read: the file of a process that ends meanwhile fails halfway.
std::string content_of(const fs::path& path) {
  if (!fs::is_regular_file(fs::symlink_status(path))) return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string form_of(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return "gone";
  std::ostringstream text;
  text << std::oct << info.st_mode << std::dec << ' ' << info.st_nlink << ' ' << info.st_uid << ' ' << info.st_size
       << ' ' << info.st_mtim.tv_sec << '.' << info.st_mtim.tv_nsec << ' ' << content_of(path);
  return text.str();
}

void add_named_files(std::set<std::string>& found) {
  const char* home = std::getenv("HOME");
  for (const fs::path& folder :
       {fs::path("/"), fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm"), fs::path("/dev/mqueue"),
        fs::path("/etc"), fs::path("/run"), fs::path(home == nullptr ? "/root" : home)}) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (it->path().filename().string().find(kName) != std::string::npos) found.insert(it->path());
  }
}

void add_named_lines(const char* table, const char* name, std::set<std::string>& found) {
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);)
    if (line.find(name) != std::string::npos) found.insert(std::string(table) + ": " + line);
}

std::set<std::string> sockets_of(const std::string& process) {
  std::set<std::string> inodes;
  std::error_code error;
  for (fs::directory_iterator it("/proc/" + process + "/fd", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const std::string to = fs::read_symlink(it->path(), gone);
    if (to.starts_with("socket:[")) inodes.insert(to.substr(8, to.size() - 9));
  }
  return inodes;
}

}  // namespace

HostWatch::HostWatch() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // whoever gets out of its cell and loses its parent comes to us
  bait_ = fs::temp_directory_path() / ("kgtrain-bait-" + std::to_string(::getpid()));
  fs::create_directory(bait_);
  write_file_atomically(bait_ / "secret", "the secret of the bait\n");
  write_file_atomically(bait_ / "open", "anyone may write here\n");
  fs::create_symlink("secret", bait_ / "link");
  ::chmod(bait_.c_str(), 0777);
  ::chmod((bait_ / "secret").c_str(), 0644);
  ::chmod((bait_ / "open").c_str(), 0666);
}

HostWatch::~HostWatch() {
  std::error_code ignored;
  fs::remove_all(bait_, ignored);
}

HostWatch::State HostWatch::look() const {
  State state;
  for (const auto& entry : fs::recursive_directory_iterator(bait_)) state.bait[entry.path()] = form_of(entry.path());
  state.bait[bait_] = form_of(bait_);
  add_named_files(state.named);
  for (const char* table : {"/proc/net/unix", "/proc/keys", "/proc/sys/kernel/hostname"})
    add_named_lines(table, kName, state.named);
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp"})
    add_named_lines(table, kPort, state.named);
  for (const char* table : {"/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem"})
    add_named_lines(table, "27495 ", state.named);                 // 0x6b67
  std::map<std::string, std::pair<std::string, std::string>> all;  // process to parent and name
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string line = content_of(entry.path() / "stat");
    const auto open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos || line[close + 2] == 'Z') continue;
    all[number] = {line.substr(close + 4, line.find(' ', close + 4) - close - 4),
                   line.substr(open + 1, close - open - 1)};
  }
  std::set<std::string> inodes;
  for (const auto& [number, process] : all) {
    std::string above = process.first;
    while (above != "0" && above != std::to_string(::getpid()) && all.contains(above)) above = all[above].first;
    if (above != std::to_string(::getpid())) continue;
    state.processes.insert(process.second);
    inodes.merge(sockets_of(number));
  }
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"}) {
    std::ifstream file(table);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string place, local, word;
      words >> place >> local;
      for (int i = 0; i < 8; ++i) words >> word;
      if (inodes.contains(word)) state.ports.insert(local);
    }
  }
  return state;
}

std::string HostWatch::State::text() const {
  std::string text;
  for (const auto& [path, form] : bait) text += path + " " + form + "\n";
  for (const auto* set : {&named, &processes, &ports})
    for (const std::string& one : *set) text += one + "\n";
  return text;
}

}  // namespace kg::sandbox::testing
