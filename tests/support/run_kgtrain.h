#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace kg::testing {

struct Ran {
  int status = -1;  // -1: ended by a signal
  std::string output;
};

// `kgtrain WORDS` by the shell, with variables like "A=1 B=2" before it; both of its outputs.
inline Ran run_kgtrain(const std::string& words, const std::string& environment = "") {
  const std::string command = environment + " '" + std::string(KG_BINARY_DIR) + "/bin/kgtrain' " + words + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  Ran ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) < 128) ran.status = WEXITSTATUS(status);
  return ran;
}

}  // namespace kg::testing
