#include "dataset/cot/import_samples.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "dataset/store/json_records.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kBatchRecords = 512;
constexpr std::size_t kBatchBytes = 4 << 20;

// The error of a record, or the sample in it.
struct Parsed {
  std::string wrong;
  proto::Sample sample;
};

std::string take_text(const nlohmann::json& object, const char* key, bool required, std::string& text) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null())
    return required ? std::string("has no \"") + key + "\"" : std::string();
  if (!found->is_string())
    return std::string("\"") + key + "\" is of type " + found->type_name() + ", a string is wanted";
  text = found->get<std::string>();
  return required && text.empty() ? std::string("\"") + key + "\" is empty" : std::string();
}

// nlohmann's message without its own error number: "[json.exception.parse_error.101] parse error at ...".
std::string plain(const std::string& what) {
  const auto end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

Parsed parse(const JsonRecord& record) {
  Parsed parsed;
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(record.text);
  } catch (const nlohmann::json::exception& error) {
    parsed.wrong = "is not JSON: " + plain(error.what());
    return parsed;
  }
  if (!object.is_object()) {
    parsed.wrong =
        std::string("is of type ") + object.type_name() + ", an object with instruction, input and output is wanted";
    return parsed;
  }
  proto::Sample& sample = parsed.sample;
  for (const auto& [key, required, text] :
       {std::tuple{"instruction", true, sample.mutable_instruction()},
        std::tuple{"input", false, sample.mutable_input()}, std::tuple{"output", true, sample.mutable_output()}}) {
    parsed.wrong = take_text(object, key, required, *text);
    if (!parsed.wrong.empty()) return parsed;
  }
  return parsed;
}

std::string content_id(const proto::Sample& sample) {
  std::string all;
  for (const std::string* text : {&sample.instruction(), &sample.input(), &sample.output()})
    all += std::to_string(text->size()) + ":" + *text;
  return "import/" + hash128_hex(all);
}

}  // namespace

ImportReport import_samples(const fs::path& file, Dataset& data,
                            const std::function<void(const std::string&, const std::string&)>& on_bad,
                            const std::function<void(const ImportProgress&)>& on_progress) {
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw Error("cannot read the file", file.string(), "check the path and its permissions");
  const std::string name = file.filename().string();
  JsonRecordReader reader(in, file.string());
  ImportReport report;
  ImportProgress progress{.bytes_total = fs::file_size(file)};
  std::vector<proto::JournalRecord> batch;
  std::size_t batch_bytes = 0;
  const auto store = [&] {
    const std::size_t stored = data.append(batch);
    report.stored += stored;
    report.known += batch.size() - stored;
    batch.clear();
    batch_bytes = 0;
    progress.records = report.records;
    if (on_progress) on_progress(progress);
  };
  try {
    while (const auto record = reader.next()) {
      ++report.records;
      progress.bytes += record->text.size();
      Parsed parsed = parse(*record);
      if (!parsed.wrong.empty()) {
        ++report.bad;
        on_bad(file.string() + ":" + std::to_string(record->line) + " (record " + std::to_string(record->index) + ")",
               parsed.wrong);
        continue;
      }
      proto::Sample& sample = parsed.sample;
      sample.set_id(content_id(sample));
      sample.set_kind("imported");
      sample.set_split("train");
      sample.set_prompt_form("imported");
      sample.set_provenance("import " + name + ":" + std::to_string(record->index));
      batch_bytes += record->text.size();
      *batch.emplace_back().mutable_sample() = std::move(sample);
      if (batch.size() == kBatchRecords || batch_bytes >= kBatchBytes) store();
    }
  } catch (...) {
    store();  // keep the good records before the place where the file breaks off
    throw;
  }
  store();
  if (in.bad()) throw Error("reading failed in the middle", file.string(), "check the disk", Error::Kind::kEnvironment);
  return report;
}

std::string published_form(const proto::Sample& sample) {
  const nlohmann::ordered_json object = {
      {"instruction", sample.instruction()}, {"input", sample.input()}, {"output", sample.output()}};
  return object.dump();
}

}  // namespace kg::dataset::cot
