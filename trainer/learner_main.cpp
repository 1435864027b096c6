#include <cstdio>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest_name.h"
#include "base/program.h"
#include "dataset/benchmarks/stored_cases.h"
#include "grammar/dsl_grammar.h"
#include "policy/generation/token_grammar.h"
#include "trainer/commands.h"
#include "trainer/rollout_source.h"

namespace kg::trainer {
namespace {

reward::BenchmarkCases stored_cases(const dataset::Dataset& data) {
  const auto cases = std::make_shared<dataset::benchmarks::StoredCases>(data, dataset::benchmarks::WorkerOptions{});
  return {.get = [cases](const proto::Task& task, int index) { return cases->get(task, index); },
          .other = [cases](const proto::Task& task, int index,
                           const reward::OtherInputs& inputs) { return cases->other(task, index, inputs); }};
}

struct Entry {
  const char* name;
  int (*run)(int argc, const char* const* argv);
};

int run_command(int argc, char** argv) {
#define KG_ENTRY(name, Values, summary) {#name, &run_##name},
  static constexpr Entry kEntries[] = {KG_LEARNER_COMMANDS(KG_ENTRY)};
#undef KG_ENTRY
  const std::string name = argc > 1 ? argv[1] : "--help";
  std::vector<std::string> known;
  std::string list;
  for (const Entry& entry : kEntries) {
    if (name == entry.name) return entry.run(argc - 1, argv + 1);
    known.emplace_back(entry.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  if (name == "--help" || name == "-h") {
    std::printf("kgtrain-learner COMMAND [options]: the commands of kgtrain that need LibTorch: %s\n", list.c_str());
    return 0;
  }
  const std::string near = nearest_name(name, known);
  throw Error("unknown command \"" + name + "\"", "kgtrain-learner",
              near.empty() ? "it has " + list : "did you mean " + near + "?");
}

}  // namespace
}  // namespace kg::trainer

int main(int argc, char** argv) {
  kg::start_logging("kgtrain-learner");
  kg::policy::known_grammars() = {{"dsl", &kg::grammar::make_dsl_grammar}, {"task", &kg::grammar::make_task_grammar}};
  kg::trainer::known_cases() = &kg::trainer::stored_cases;
  return kg::run_program([&] { return kg::trainer::run_command(argc, argv); });
}
