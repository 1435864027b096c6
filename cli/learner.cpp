#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "trainer/commands.h"

namespace kg::cli {
namespace {

// Loading LibTorch takes half a second, too long for reading a help text.
bool printed_help(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool help = word == "--help" || word == "-h";
    if (!help && word != "--reference") continue;
    for (const trainer::LearnerCommand& command : trainer::learner_commands())
      if (std::string(argv[0]) == command.name) {
        std::fputs((help ? command.help() : command.reference()).c_str(), stdout);
        return true;
      }
  }
  return false;
}

}  // namespace

int run_learner(int argc, const char* const* argv) {
  if (printed_help(argc, argv)) return 0;
  const fs::path program = program_folder() / "kgtrain-learner";
  // How long a learner thread spins at the end of a parallel loop before it sleeps. Supervised training has the
  // cores to itself; otherwise generator and sandboxes need them as soon as the learner waits. Without spinning,
  // training loses a fifth of its speed.
  if (std::strcmp(argv[0], "sft") != 0 && std::getenv("OMP_WAIT_POLICY") == nullptr)
    ::setenv("GOMP_SPINCOUNT", "200000", /*overwrite=*/0);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (int i = 0; i < argc; ++i) words.push_back(const_cast<char*>(argv[i]));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw Error("cannot start kgtrain-learner: " + std::string(std::strerror(errno)), program.string(),
              "build with LibTorch (scripts/setup.sh, preset release); kgtrain doctor says what is missing",
              Error::Kind::kEnvironment);
}

}  // namespace kg::cli
