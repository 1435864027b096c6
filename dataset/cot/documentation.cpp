#include "dataset/cot/documentation.h"

#include "dataset/cot/call_questions.h"
#include "dataset/cot/dsl_questions.h"
#include "dataset/cot/limit_questions.h"

namespace kg::dataset::cot {
namespace {

std::vector<QuestionFamily> joined() {
  std::vector<QuestionFamily> all;
  for (const auto* each : {&call_questions(), &limit_questions(), &dsl_questions()})
    all.insert(all.end(), each->begin(), each->end());
  return all;
}

const std::vector<QuestionFamily>& families() {
  static const std::vector<QuestionFamily> all = joined();
  return all;
}

}  // namespace

std::uint64_t question_count() {
  std::uint64_t all = 0;
  for (const QuestionFamily& family : families()) all += family.count;
  return all;
}

Answer ask(std::uint64_t index, sandbox::Sandbox& sandbox) {
  for (const QuestionFamily& family : families()) {
    if (index < family.count) return family.ask(index, sandbox);
    index -= family.count;
  }
  return std::nullopt;
}

}  // namespace kg::dataset::cot
