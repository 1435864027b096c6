#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "dataset/cot/import_samples.h"
#include "dataset/store/json_records.h"

namespace kg::dataset::cot {
namespace {

std::vector<std::string> cut(const std::string& text) {
  std::istringstream in(text);
  JsonRecordReader reader(in, "test");
  std::vector<std::string> records;
  while (const auto record = reader.next()) records.push_back(record->text);
  return records;
}

TEST(JsonRecords, AListIsCutAtItsElements) {
  EXPECT_THAT(cut(R"( [ {"a": "}],{\"\\"} ,{"b":[1,{}]},7 , "x]" , null ])"),
              testing::ElementsAre(R"({"a": "}],{\"\\"})", R"({"b":[1,{}]})", "7", R"("x]")", "null"));
  EXPECT_TRUE(cut("[]").empty());
  EXPECT_TRUE(cut(" [ \n ] ").empty());
  EXPECT_TRUE(cut("").empty());
}

TEST(JsonRecords, LinesAreCutAtLineEnds) {
  EXPECT_THAT(cut("\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{\"b\":2}\nbroken {\n{\"c\":3}"),
              testing::ElementsAre("{\"a\":1}\r", "{\"b\":2}", "broken {", "{\"c\":3}"));
}

TEST(JsonRecords, AListThatBreaksOffNamesItsLine) {
  try {
    cut("[{\"a\":1},\n{\"b\":");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("test:2 (record 1)"));
  }
  EXPECT_THROW(cut("[{} {}]"), Error);
}

class Import : public testing::Test {
 protected:
  ImportReport import(const std::string& content) {
    const fs::path file = folder.path() / "cot.json";
    write_file_atomically(file, content);
    const auto data = Dataset::open(path, OpenMode::kAppendOrCreate);
    return import_samples(
        file, *data, [&](const std::string& where, const std::string& what) { bad.push_back(where + " " + what); },
        nullptr);
  }
  std::vector<proto::Sample> stored() const {
    std::vector<proto::Sample> samples;
    Dataset::open(path, OpenMode::kRead)->for_each_sample([&](const proto::Sample& sample) {
      samples.push_back(sample);
      return true;
    });
    return samples;
  }
  TemporaryFolder folder;
  fs::path path = folder.path() / "ascend_cot.h5";
  std::vector<std::string> bad;
};

TEST_F(Import, TextComesThroughUnchanged) {
  import(R"([{"instruction": "写一个 Add 算子 🚀", "input": "\u4e2d\ud83d\ude80", "output": "a\tb\u0001\n\"c\""}])");
  const auto samples = stored();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].instruction(), "写一个 Add 算子 🚀");
  EXPECT_EQ(samples[0].input(), "中🚀");
  EXPECT_EQ(samples[0].output(), "a\tb\x01\n\"c\"");
  EXPECT_EQ(samples[0].provenance(), "import cot.json:0");
  const auto again = nlohmann::json::parse(published_form(samples[0]));
  EXPECT_EQ(again["instruction"], samples[0].instruction());
  EXPECT_EQ(again["output"], samples[0].output());
}

TEST_F(Import, BadRecordsAreNamedAndTheOthersStored) {
  const auto report = import(
      "{\"instruction\":\"a\",\"output\":\"b\"}\n{\"instruction\":\"c\"}\n{\"instruction\":1,\"output\":\"d\"}\n"
      "{\"instruction\":\"e\",\"output\":\"\xff\"}\n[]\n{\"instruction\":\"f\",\"input\":null,\"output\":\"g\"}\n");
  EXPECT_EQ(report.records, 6u);
  EXPECT_EQ(report.stored, 2u);
  ASSERT_EQ(bad.size(), 4u);
  EXPECT_THAT(bad[0],
              testing::AllOf(testing::HasSubstr("cot.json:2 (record 1)"), testing::HasSubstr("has no \"output\"")));
  EXPECT_THAT(bad[1], testing::HasSubstr("\"instruction\" is of type number"));
  EXPECT_THAT(bad[2], testing::HasSubstr("UTF-8"));
  EXPECT_THAT(bad[3], testing::HasSubstr("is of type array"));
  EXPECT_EQ(stored().size(), 2u);
}

TEST_F(Import, ASecondImportStoresNothingTwice) {
  std::string lines;
  for (int i = 0; i < 1500; ++i) lines += R"({"instruction":"i)" + std::to_string(i) + R"(","output":"o"})" + "\n";
  EXPECT_EQ(import(lines.substr(0, lines.size() / 2)).bad, 1u);  // as if it had broken off in the middle of a record
  const auto report = import(lines);
  EXPECT_EQ(report.stored + report.known, 1500u);
  EXPECT_GT(report.known, 700u);
  EXPECT_EQ(stored().size(), 1500u);
  EXPECT_EQ(import(lines).stored, 0u);
}

}  // namespace
}  // namespace kg::dataset::cot
