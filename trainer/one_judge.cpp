#include "trainer/one_judge.h"

#include "base/error.h"

namespace kg::trainer {

std::string judge_of(const proto::Sample& sample) {
  if (!sample.judge_version().empty()) return sample.judge_version();
  return sample.cycles() > 0 ? "unknown" : "";
}

void require_one_judge(const std::map<std::string, std::uint64_t>& samples) {
  if (samples.size() < 2) return;
  std::string names;
  for (const auto& [version, count] : samples)
    names += (names.empty() ? "" : ", ") + version + " (" + std::to_string(count) + " samples)";
  throw Error("the samples were judged by different versions of the judge: " + names, "--data",
              "choose one by --judge-version, or build the data again");
}

}  // namespace kg::trainer
