#include "base/error.h"
#include "dataset/cot/import_samples.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

// Takes everything and keeps nothing.
class Nowhere : public kg::dataset::Dataset {
 public:
  std::size_t append(const std::vector<kg::proto::JournalRecord>& records) override { return records.size(); }
  void fold() override {}
  kg::dataset::Counts counts() const override { return {}; }
  std::optional<kg::proto::Task> task(const std::string&) const override { return std::nullopt; }
  std::vector<std::string> task_ids(const std::string&) const override { return {}; }
  void for_each_task(const std::function<bool(const kg::proto::Task&)>&) const override {}
  void for_each_sample(const std::function<bool(const kg::proto::Sample&)>&) const override {}
  void for_each_rollout(const std::function<bool(const kg::proto::Rollout&)>&) const override {}
  void for_each_preference(const std::function<bool(const kg::proto::Preference&)>&) const override {}
  kg::proto::Sample sample(std::uint64_t) const override { return {}; }
  std::optional<std::string> meta(const std::string&) const override { return std::nullopt; }
  std::vector<kg::proto::CaseTensor> tensors(const std::string&, std::uint32_t) const override { return {}; }
};

}  // namespace

// A file of records to import.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kg::testing::FuzzFile file(data, size);
  Nowhere nowhere;
  try {
    kg::dataset::import_samples(
        file.path(), nowhere, [](const std::string&, const std::string&) {}, [](const kg::dataset::ImportProgress&) {});
  } catch (const kg::Error&) {
  }
  return 0;
}
