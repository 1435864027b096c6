#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/given_answers.h"
#include "proto/task.pb.h"
#include "proto/verdict.pb.h"

namespace kg::evaluation {

// Verdicts on answers as JSON lines, in a file that grows: an evaluation that was stopped goes on where it was.
class AnswerResults {
 public:
  explicit AnswerResults(
      const std::filesystem::path& file);  // reads what is there; a last line that was cut off does not count

  // Whether the answer is judged. A verdict that a sandbox fault prevented does not count: it is tried again.
  bool has(const GivenAnswer& answer) const;
  void add(const GivenAnswer& answer, const proto::Task& task,
           const proto::Verdict& verdict);  // any thread; written at once

  // Of these answers, the last verdict on each.
  std::vector<JudgedAnswer> judged(const std::vector<GivenAnswer>& answers) const;

 private:
  static std::string name_of(const std::string& task, const std::string& key, std::int64_t sample);

  mutable std::mutex mutex_;
  std::map<std::string, nlohmann::json> records_;
  std::ofstream file_;
};

// Everything in a file of results.
std::vector<JudgedAnswer> read_results(const std::filesystem::path& file);

}  // namespace kg::evaluation
