// A policy version that a generator has read is the one that the learner had, or it is refused.
#include "policy/files/policy_version.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "policy/generation/generator_weights.h"
#include "policy/model/lora.h"
#include "tests/support/trainer_tiny_model.h"

namespace kg::policy {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

BaseModel base_of(const LoadedModel& model) {
  return {.weights = [&model] { return model.weights; }, .checksum = ""};
}

// One byte of the last tensor, in a file whose length stays.
void damage(const fs::path& file) {
  std::string bytes = read_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file_atomically(file, bytes);
}

TEST(PolicyVersion, AWholeModelIsReadAsItWasWrittenOrRefused) {
  const LoadedModel model = trainer::tiny_model();
  TemporaryFolder folder;
  for (const std::string dtype : {"float32", "bfloat16"}) {
    const fs::path version = folder.path() / dtype;
    const WrittenTensors written = write_full_version(version, model.config, model.weights, model, dtype);
    EXPECT_EQ(written.file_checksum, hash128_hex_of_file(version / "model.safetensors"));
    BaseModel base = base_of(model);
    const std::vector<NamedTensor> read = read_version(version, model.config, base);
    ASSERT_EQ(read.size(), model.weights.size());
    EXPECT_EQ(tensors_checksum(read), written.tensors);
    EXPECT_EQ(tensors_checksum(read) == tensors_checksum(model.weights), dtype == "float32") << "in whatever order";
    damage(version / "model.safetensors");
    EXPECT_THAT(message_of([&] { read_version(version, model.config, base); }),
                testing::AllOf(testing::HasSubstr("the weights have checksum"), testing::HasSubstr(written.tensors)));
  }
}

TEST(PolicyVersion, AdaptersAreWorkedIntoTheModelThatTheyBelongToAndNoOther) {
  const LoadedModel model = trainer::tiny_model();
  LoraAdapters adapters = new_adapters({.rank = 2, .alpha = 4}, model.config, /*seed=*/3);
  for (NamedTensor& one : adapters.tensors) one.tensor = one.tensor + 0.25;
  TemporaryFolder folder;
  const fs::path version = folder.path() / "version";
  write_adapter_version(version, adapters, model, tensors_checksum(model.weights));
  EXPECT_FALSE(fs::exists(version / "model.safetensors"));
  BaseModel base = base_of(model);
  const std::vector<NamedTensor> read = read_version(version, model.config, base),
                                 wanted = merged(model.weights, adapters);
  EXPECT_EQ(tensors_checksum(read), tensors_checksum(wanted));
  EXPECT_NE(tensors_checksum(read), tensors_checksum(model.weights));

  LoadedModel other = trainer::tiny_model();
  other.weights.back().tensor = other.weights.back().tensor * 2;
  BaseModel wrong = base_of(other);
  EXPECT_THAT(message_of([&] { read_version(version, model.config, wrong); }),
              testing::HasSubstr("start the generator with the model that the run began with"));
  damage(version / "adapter_model.safetensors");
  EXPECT_THAT(message_of([&] { read_version(version, model.config, base); }),
              testing::HasSubstr("the adapters have checksum"));
}

}  // namespace
}  // namespace kg::policy
