#include "sandbox/check.h"

#include <cstdio>

#include "base/error.h"
#include "sandbox/cell/cell.h"
#include "sandbox/cell/host.h"
#include "sandbox/compiler/find_tools.h"

namespace kg::sandbox {
namespace {

bool print_line(bool present, const char* what, const std::string& detail) {
  std::printf("%-8s %-22s %s\n", present ? "ok" : "missing", what, detail.c_str());
  return present;
}

bool print_program(const char* what, const fs::path& path, const char* hint) {
  return print_line(!path.empty(), what, path.empty() ? hint : path.string());
}

void print_optional(const char* what, const fs::path& path, const char* without) {
  const std::string missing = std::string("not built: ") + without + "; run scripts/setup.sh, scripts/build.sh";
  std::printf("%-8s %-22s %s\n", path.empty() ? "none" : "ok", what, path.empty() ? missing.c_str() : path.c_str());
}

const char* describe(Isolation isolation) {
  switch (isolation) {
    case Isolation::kNamespaces:
      return "mount, process, network, ipc and host name namespaces, made by root; kernels run as nobody";
    case Isolation::kUserNamespaces:
      return "user, mount, process, network, ipc and host name namespaces, made by an ordinary user";
    case Isolation::kLess:
      break;
  }
  return "none: only resource limits and the system call filter; host files are readable";
}

}  // namespace

bool print_check(bool allow_less_isolation) {
  bool complete = print_program("compiler", find_compiler(), "apt-get install clang, or set KGTRAIN_CLANG");
  print_optional("warm compiler", find_warm_compiler(), "every kernel starts its own clang++");
  print_optional("kernel passes", find_kernel_passes(find_compiler()),
                 "double is accepted, and __gm__ and __ubuf__ pointers are told apart only by their values");
  complete &= print_program("linker", find_linker(), "apt-get install binutils, or set KGTRAIN_LINKER");
  complete &= print_program("bubblewrap", find_program("KGTRAIN_BWRAP", {"bwrap"}), "apt-get install bubblewrap") ||
              allow_less_isolation;
  try {
    complete &= print_line(true, "kernel_operator.h", header_folder().string());
  } catch (const Error& error) {
    complete = print_line(false, "kernel_operator.h", error.hint());
  }
  try {
    print_line(true, "isolation", describe(find_isolation(allow_less_isolation)));
  } catch (const Error& error) {
    complete = print_line(false, "isolation", std::string(error.what()) + "; " + error.hint());
  }
  return complete;
}

}  // namespace kg::sandbox
