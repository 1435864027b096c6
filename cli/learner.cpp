#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"

namespace kg::cli {

int run_learner(int argc, const char* const* argv) {
  const fs::path program = program_folder() / "kgtrain-learner";
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (int i = 0; i < argc; ++i) words.push_back(const_cast<char*>(argv[i]));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw Error("cannot start kgtrain-learner: " + std::string(std::strerror(errno)), program.string(),
              "build with LibTorch (scripts/setup.sh, preset release); kgtrain doctor says what is missing",
              Error::Kind::kEnvironment);
}

}  // namespace kg::cli
