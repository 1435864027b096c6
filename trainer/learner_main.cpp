#include <cstdio>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "base/program.h"
#include "trainer/eval.h"
#include "trainer/export.h"
#include "trainer/generate.h"
#include "trainer/rl.h"
#include "trainer/sft.h"

namespace {

struct Command {
  const char* name;
  int (*run)(int argc, const char* const* argv);
};
constexpr Command kCommands[] = {{"sft", kg::trainer::run_sft},
                                 {"rl", kg::trainer::run_rl},
                                 {"eval", kg::trainer::run_eval},
                                 {"generate", kg::trainer::run_generate},
                                 {"export", kg::trainer::run_export}};

int run_command(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "--help";
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    names.emplace_back(command.name);
  }
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  if (name == "--help" || name == "-h") {
    std::printf("kgtrain-learner COMMAND [options]: the commands of kgtrain that need LibTorch: %s\n", list.c_str());
    return 0;
  }
  if (name == "dpo" || name == "bench")
    throw kg::Error("this version has no " + name + " yet", "kgtrain-learner", "it has " + list);
  const std::string near = kg::nearest_name(name, names);
  throw kg::Error("unknown command \"" + name + "\"", "kgtrain-learner",
                  near.empty() ? list : "did you mean " + near + "?");
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("kgtrain-learner");
  return kg::run_program([&] { return run_command(argc, argv); });
}
