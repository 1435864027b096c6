#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "base/program.h"
#include "cli/command.h"

namespace {

void print_help() {
  std::puts("Teaches language models to write Ascend NPU kernels from what happens when they are compiled and run.\n");
  std::puts("Usage: kgtrain COMMAND [options]     kgtrain COMMAND --help\n");
  for (const kg::cli::Command& command : kg::cli::commands())
    std::printf("  %-10s %s\n", command.name, command.summary);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    print_help();
    return 2;
  }
  const std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return 0;
  }
  if (name == "--version") {
    std::puts("kgtrain " KG_VERSION);
    return 0;
  }
  std::vector<std::string> known;
  for (const kg::cli::Command& command : kg::cli::commands()) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    known.emplace_back(command.name);
  }
  const std::string near = kg::nearest_name(name, known);
  throw kg::Error("unknown command \"" + name + "\"", "kgtrain",
                  near.empty() ? "kgtrain --help lists the commands" : "did you mean \"kgtrain " + near + "\"?");
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("kgtrain");
  return kg::run_program([&] { return run(argc, argv); });
}
