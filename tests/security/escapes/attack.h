#pragma once

#include <string>
#include <vector>

namespace kg::sandbox::testing {

// How an attack must end. Whatever else it does, the sandbox has no fault, the host is as it was, and the next job is
// judged.
enum class End {
  kStopped,    // the case did not run: a fault with these words
  kRefused,    // the code went on; the system said no: it printed REFUSED, and never DONE
  kNothing,    // the code went on and found nothing: it never printed DONE
  kNoCompile,  // it did not compile, with these words
  kHarmless,   // it may compile or not, run or not
};

struct Attack {
  const char* name;
  std::string code;
  End end = End::kStopped;
  std::string words = {};         // of the fault or of the compiler
  bool needs_namespaces = false;  // what it reaches for is readable by any user of the host where there are none
};

// Statements of a tiling function, plain C++ with the whole C library, which is as native as code gets in the sandbox:
// against what the process may ask of the system. They see `bait`, a folder of the host that anyone may write to.
const std::vector<Attack>& process_attacks();  // processes, signals, other processes' memory
const std::vector<Attack>& system_attacks();   // privileges, namespaces, the kernel's own interfaces
const std::vector<Attack>& file_attacks();     // files, descriptors, sockets, what lies about
// Whole sources, compiled and, if they compile, run.
const std::vector<Attack>& kernel_attacks();    // device code against the process that it runs in
const std::vector<Attack>& compiler_attacks();  // what the compiler is fed

}  // namespace kg::sandbox::testing
