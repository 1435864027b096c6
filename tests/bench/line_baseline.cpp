// What needs no model: the programs that the operators of a data set's tasks say by themselves (modules/translation.h),
// as JSON lines for `kgtrain eval --answers`. A task that has none gets the answer "none", which counts as wrong.
//
//   line_baseline DATA.h5 >answers.jsonl
#include <cstdio>
#include <nlohmann/json.hpp>

#include "dataset/cot/modules/translation.h"
#include "dataset/store/dataset.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: line_baseline DATA.h5\n"), 2;
  int said = 0, asked = 0;
  kg::dataset::Dataset::open(argv[1], kg::dataset::OpenMode::kRead)->for_each_task([&](const kg::proto::Task& task) {
    std::string why;
    const auto program = kg::dataset::cot::modules::translation(task.prompt_short(), &why);
    if (!program) std::fprintf(stderr, "%s: %s\n", task.id().c_str(), why.c_str());
    ++asked;
    said += program.has_value();
    const std::string answer = program ? "```dsl\n" + *program + "```" : "none";
    std::printf("%s\n", nlohmann::json{{"task", task.id()}, {"answer", answer}}.dump().c_str());
    return true;
  });
  std::fprintf(stderr, "%d of %d tasks said\n", said, asked);
}
