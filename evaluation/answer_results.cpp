#include "evaluation/answer_results.h"

#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "proto/fault_class.h"
#include "proto/message_json.h"

namespace kg::evaluation {
namespace {

JudgedAnswer judged_of(const nlohmann::json& record) {
  const nlohmann::json& verdict = record.at("verdict");
  const auto text = [&](const char* key) {
    return verdict.contains(key) && verdict[key].is_string() ? verdict[key].get<std::string>() : "";
  };
  JudgedAnswer answer;
  answer.task = record.at("task");
  answer.cluster = record.value("cluster", "");
  answer.level = record.value("level", "");
  answer.category = record.value("category", "");
  answer.dtype = record.value("dtype", "");
  answer.sandbox_fault = !text("sandbox_error").empty();
  answer.valid = !answer.sandbox_fault && verdict.value("reward_valid", false);
  answer.judge_version = text("judge_version");
  answer.compiled = verdict.value("compiled", false);
  answer.correct = verdict.value("correct", false);
  for (const nlohmann::json& fault : verdict.value("faults", nlohmann::json::array()))
    answer.scalar_only |= fault.is_object() && fault.value("class", "") == proto::name_of(proto::FaultClass::kScalar);
  answer.speedup = verdict.contains("speedup") && verdict["speedup"].is_number() ? verdict["speedup"].get<double>() : 0;
  return answer;
}

std::vector<nlohmann::json> read_records(const fs::path& file) {
  std::vector<nlohmann::json> records;
  if (!fs::exists(file)) return records;
  std::istringstream lines(read_file(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_discarded() && lines.peek() == std::istringstream::traits_type::eof())
      break;  // cut off while it was written
    if (!record.is_object() || !record.contains("task") || !record.contains("key") || !record.contains("verdict"))
      throw Error("not a result of kgtrain eval", file.string() + ":" + std::to_string(number), "name another --out");
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

AnswerResults::AnswerResults(const fs::path& file) {
  std::string kept;
  for (nlohmann::json& record : read_records(file)) {
    kept += record.dump() + "\n";
    const std::string name = name_of(record.at("task"), record.at("key"), record.value("sample", std::int64_t{0}));
    records_[name] = std::move(record);
  }
  if (!kept.empty()) write_file_durably(file, kept);
  file_.open(file, std::ios::app);
  if (!file_) throw Error("cannot write", file.string(), "name another --out", Error::Kind::kEnvironment);
}

std::string AnswerResults::name_of(const std::string& task, const std::string& key, std::int64_t sample) {
  return task + '\n' + key + '\n' + std::to_string(sample);
}

bool AnswerResults::has(const GivenAnswer& answer) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(name_of(answer.task, answer.key, answer.sample));
  return found != records_.end() && !judged_of(found->second).sandbox_fault;
}

void AnswerResults::add(const GivenAnswer& answer, const proto::Task& task, const proto::Verdict& verdict) {
  const JudgedAnswer place = described(answer.task, task);
  nlohmann::json record = {{"task", answer.task},  {"sample", answer.sample},
                           {"key", answer.key},    {"cluster", place.cluster},
                           {"level", place.level}, {"category", place.category},
                           {"dtype", place.dtype}, {"verdict", proto::to_json(verdict)}};
  const std::lock_guard lock(mutex_);
  file_ << record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  if (!file_)
    throw Error("cannot write a result", "kgtrain eval", "free disk space, then start it again",
                Error::Kind::kEnvironment);
  records_[name_of(answer.task, answer.key, answer.sample)] = std::move(record);
}

std::vector<JudgedAnswer> AnswerResults::judged(const std::vector<GivenAnswer>& answers) const {
  const std::lock_guard lock(mutex_);
  std::vector<JudgedAnswer> all;
  for (const GivenAnswer& answer : answers)
    if (const auto found = records_.find(name_of(answer.task, answer.key, answer.sample)); found != records_.end())
      all.push_back(judged_of(found->second));
  return all;
}

std::vector<JudgedAnswer> read_results(const fs::path& file) {
  if (!fs::exists(file))
    throw Error("no such file of results", file.string(), "kgtrain eval --answers ... --out writes one");
  std::vector<JudgedAnswer> all;
  for (const nlohmann::json& record : read_records(file)) all.push_back(judged_of(record));
  return all;
}

}  // namespace kg::evaluation
