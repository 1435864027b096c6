#include "trainer/commands.h"

#include "trainer/bench_options.h"
#include "trainer/dpo_options.h"
#include "trainer/eval_options.h"
#include "trainer/model_options.h"
#include "trainer/rl_options.h"
#include "trainer/sft_options.h"

namespace kg::trainer {
namespace {

template <typename Values>
std::string help_of() {
  Values values;
  return declare(values).help();
}

template <typename Values>
std::string reference_of() {
  Values values;
  return declare(values).reference_markdown();
}

}  // namespace

const std::vector<LearnerCommand>& learner_commands() {
#define KG_COMMAND_ROW(name, Values, summary) {#name, summary, &help_of<Values>, &reference_of<Values>},
  static const std::vector<LearnerCommand> table{KG_LEARNER_COMMANDS(KG_COMMAND_ROW)};
#undef KG_COMMAND_ROW
  return table;
}

}  // namespace kg::trainer
