#include <gtest/gtest.h>

#include "evaluation/provenance.h"

namespace kg::evaluation {
namespace {

TEST(EvalProvenance, LeadsFromAModelToWhatTheAuditOfItsTrainingDataFound) {
  const TemporaryFolder folder;
  const fs::path data = folder.path() / "cot.h5", run = folder.path() / "run";
  fs::create_directories(run / "model");
  EXPECT_EQ(training_data_of(run / "model"), fs::path());
  write_file_durably(run / "config.json", R"({"command": "sft", "data": ")" + data.string() + "\"}");
  write_file_durably(run / "model" / "config.json", R"({"hidden_size": 576})");
  EXPECT_EQ(training_data_of(run / "model"), data);
  EXPECT_EQ(training_data_of(run), data);
  EXPECT_TRUE(audit_of(data).is_null());
  EXPECT_TRUE(audit_of({}).is_null());
  write_file_durably(data.string() + ".audit.json", R"({"against": "bench.h5", "findings": [{"item": "a"}]})");
  const nlohmann::json audit = audit_of(data);
  EXPECT_EQ(audit.at("against"), "bench.h5");
  EXPECT_EQ(audit.at("findings"), 1);
  EXPECT_EQ(audit.at("hash").get<std::string>().size(), 32u);
}

TEST(EvalProvenance, HashOfTasksSeesTheirOrderAndEveryField) {
  proto::Task a, b;
  a.set_id("a");
  b.set_id("b");
  proto::Task other = a;
  other.set_prompt_short("x");
  EXPECT_NE(hash_of({a, b}), hash_of({b, a}));
  EXPECT_NE(hash_of({a}), hash_of({other}));
  EXPECT_EQ(hash_of({a, b}), hash_of({a, b}));
}

}  // namespace
}  // namespace kg::evaluation
