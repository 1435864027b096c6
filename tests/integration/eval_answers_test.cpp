// `kgtrain eval --answers`: answers of any model from a folder or JSON lines, judged, counted, and gone on with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dataset/store/dataset.h"
#include "tests/security/hacks/hack.h"

namespace kg::cli {
namespace {

using sandbox::testing::elementwise;
using ::testing::HasSubstr;

const std::string kRight = elementwise("Relu(o, a, n);"), kWrong = elementwise("Adds(o, a, 0.0f, n);"),
                  kBroken = elementwise("Rellu(o, a, n);");

class EvalAnswersTest : public ::testing::Test {
 protected:
  EvalAnswersTest() {
    const auto data = dataset::Dataset::open(folder_.path() / "tasks.h5", dataset::OpenMode::kCreate);
    std::vector<proto::JournalRecord> records;
    for (const char* name : {"first", "second"}) {
      proto::Task& task = *records.emplace_back().mutable_task();
      task = sandbox::testing::relu_task();
      task.set_id(std::string("tasks/") + name);
      task.set_structure(name);
      task.set_category(name);
      task.set_split("heldout");
    }
    data->append(records);
  }

  // Standard output and error, status in `status_`.
  std::string eval(const std::string& answers, const std::string& more = "") {
    const std::string command = std::string(KG_BINARY_DIR) + "/bin/kgtrain eval --answers " + answers + " --data " +
                                (folder_.path() / "tasks.h5").string() + " --jobs 1 " + more + " 2>&1";
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
    status_ = ::pclose(pipe);
    return output;
  }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }

  nlohmann::json summary(const std::string& answers) {
    return nlohmann::json::parse(read_file(answers + ".results.jsonl.summary.json"));
  }

  TemporaryFolder folder_;
  int status_ = 0;
};

TEST_F(EvalAnswersTest, FolderOfAnswersIsJudgedCountedAndGoneOnWith) {
  write("answers/tasks/first/0.cpp", kRight);
  write("answers/tasks/first/1.md", "I think:\n```cpp\n" + kWrong + "```\n");
  write("answers/tasks/second/a.txt", kBroken);
  write("answers/tasks/second/b.txt", "There is no ```kernel``` here.");
  const std::string answers = (folder_.path() / "answers").string();
  std::string output = eval(answers, "--html " + (folder_.path() / "page.html").string());
  EXPECT_EQ(status_, 0) << output;
  EXPECT_THAT(output, HasSubstr("ER@1"));
  EXPECT_THAT(read_file(folder_.path() / "page.html"), HasSubstr("<th>CR@2</th>"));
  const auto tables = summary(answers)["tables"];
  EXPECT_EQ(tables["all"]["answers"], 4);
  EXPECT_EQ(tables["all"]["at_k"][0]["compile"]["value"], 0.5);
  EXPECT_EQ(tables["all"]["at_k"][0]["correct"]["value"], 0.25);
  EXPECT_EQ(tables["all"]["at_k"][1]["k"], 2);
  EXPECT_EQ(tables["all"]["at_k"][1]["correct"]["value"], 0.5);
  EXPECT_EQ(tables["parts"]["first"]["at_k"][0]["correct"]["value"], 0.5);
  EXPECT_EQ(tables["all"]["speedup"]["answers"], 1);

  // Stopped while the last result was written: that one is judged again.
  const fs::path results = answers + ".results.jsonl";
  fs::resize_file(results, fs::file_size(results) - 20);
  output = eval(answers, "--json --against " + results.string());
  EXPECT_THAT(output, HasSubstr("3 of 4 answers already have a verdict"));
  EXPECT_THAT(output, HasSubstr("judged 1 of 1"));
  EXPECT_EQ(summary(answers)["tables"]["all"], tables["all"]);
  EXPECT_EQ(summary(answers)["tables"]["against"]["p_value"], 1.0);
}

TEST_F(EvalAnswersTest, LinesOfAnswersAndWhatIsWrongWithThem) {
  const auto line = [](const char* key, const std::string& text) {
    return nlohmann::json{{"task", "tasks/first"}, {key, text}}.dump() + "\n";
  };
  const std::string file = (folder_.path() / "lines.jsonl").string();
  write("lines.jsonl", line("kernel", kRight) + "\n" + line("answer", "```cpp\n" + kRight + "```"));
  const std::string output = eval(file);
  EXPECT_EQ(status_, 0) << output;
  EXPECT_EQ(summary(file)["tables"]["all"]["at_k"][0]["correct"]["value"], 1.0);
  write("lines.jsonl", line("kernel", kRight) + line("kernel", kRight).replace(3, 4, "work"));
  EXPECT_THAT(eval(file), HasSubstr("lines.jsonl:2"));
  write("lines.jsonl", "{\"task\": \"tasks/third\", \"kernel\": \"\"}\n");
  EXPECT_THAT(eval(file), HasSubstr("no task \"tasks/third\""));
  EXPECT_THAT(eval("/nonexistent"), HasSubstr("no such file or folder"));
}

}  // namespace
}  // namespace kg::cli
