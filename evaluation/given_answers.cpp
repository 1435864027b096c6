#include "evaluation/given_answers.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "dataset/store/answer.h"
#include "evaluation/project_files.h"

namespace kg::evaluation {
namespace {

bool is_text(const nlohmann::json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

std::string content_of(const std::string& project) {
  std::string all;
  for (const proto::ProjectFile& file : project_files(project)) all += file.path() + '\n' + file.content() + '\n';
  return all;
}

std::vector<GivenAnswer> from_lines(const fs::path& file) {
  std::vector<GivenAnswer> answers;
  std::istringstream lines(read_file(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const bool whole = object.is_object() && is_text(object, "task") &&
                       is_text(object, "answer") + is_text(object, "kernel") + is_text(object, "project") == 1;
    if (!whole)
      throw Error("not an object with the texts \"task\" and one of \"answer\", \"kernel\" and \"project\"",
                  file.string() + ":" + std::to_string(number), "one such object a line");
    GivenAnswer answer{.task = object["task"].get<std::string>(),
                       .text = object.value("kernel", object.value("answer", ""))};
    if (is_text(object, "project"))
      answer.project = (file.parent_path() / object["project"].get<std::string>()).string();
    answers.push_back(std::move(answer));
  }
  return answers;
}

std::vector<GivenAnswer> from_folder(const fs::path& folder) {
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string extension = entry->path().extension().string();
    if (entry->is_directory() && fs::is_directory(entry->path() / "op_host")) {
      entry.disable_recursion_pending();
      found.push_back(entry->path());
    } else if (entry->is_regular_file() &&
               (extension == ".cpp" || extension == ".txt" || extension == ".md" || extension == ".py")) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<GivenAnswer> answers;
  for (const fs::path& path : found) {
    GivenAnswer answer{.task = path.parent_path().lexically_relative(folder).generic_string()};
    if (fs::is_directory(path))
      answer.project = path.string();
    else
      answer.text = read_file(path);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

std::vector<GivenAnswer> read_answers(const std::string& path) {
  if (!fs::exists(path))
    throw Error("no such file or folder", path, "--answers takes JSON lines, or a folder of answers");
  std::vector<GivenAnswer> answers = fs::is_directory(path) ? from_folder(path) : from_lines(path);
  if (answers.empty())
    throw Error("no answers", path, "FOLDER/<task id>/<name>.cpp, or lines {\"task\": ..., \"answer\": ...}");
  std::map<std::string, std::int64_t> samples;
  for (GivenAnswer& answer : answers) {
    answer.sample = samples[answer.task]++;
    answer.key = hash128_hex(answer.project.empty() ? answer.text : content_of(answer.project));
  }
  return answers;
}

std::string kernel_of(const GivenAnswer& answer, proto::SourceLanguage language, std::string& reason) {
  if (answer.text.find("```") == std::string::npos && answer.text.find("<kernel_impl>") == std::string::npos)
    return answer.text;
  const dataset::Answer found = dataset::extract_kernel(answer.text, language);
  reason = found.reason;
  return found.kernel;
}

}  // namespace kg::evaluation
