#include <cstdio>
#include <string>

#include "base/log.h"
#include "base/program.h"
#include "cli/command.h"

namespace {

void print_help() {
  std::puts("Teaches language models to write Ascend NPU kernels from what happens when they are compiled and run.\n");
  std::puts("Usage: kgtrain COMMAND [options]     kgtrain COMMAND --help\n");
  kg::cli::print_commands(kg::cli::commands());
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "help" && argc > 2) {
    const char* const words[] = {"kgtrain", argv[2], "--help"};
    return kg::cli::run_one_of(kg::cli::commands(), "kgtrain", 3, words);
  }
  if (name.empty() || name == "--help" || name == "-h" || name == "help") {
    print_help();
    return name.empty() ? 2 : 0;
  }
  if (name == "--version" || name == "-v" || name == "version") {
    std::puts("kgtrain " KG_VERSION);
    return 0;
  }
  if (name == "--reference")
    std::puts(
        "# Commands of kgtrain\n\n"
        "Every command with its options, as `kgtrain --reference` prints them. The declarations in the sources are "
        "the\n"
        "only copy: a build's target `cli_reference_update` writes this page, and a test compares it.\n\n"
        "`--config FILE` reads any of a command's options from a TOML file, with the same names as keys; what is "
        "given\n"
        "on the command line wins. `--no-NAME` turns a switch off.\n");
  return kg::cli::run_one_of(kg::cli::commands(), "kgtrain", argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("kgtrain");
  return kg::run_program([&] { return run(argc, argv); });
}
