#include <ATen/ops/add.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/sub.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/difference.h"
#include "policy/files/safetensors.h"

namespace kg::policy {
namespace {

using ::testing::HasSubstr;

const std::string kBase = std::string(KG_SOURCE_DIR) + "/tests/unit/policy_families/qwen2";

LoadedModel changed(double by) {
  LoadedModel model = load_model(kBase);
  for (NamedTensor& named : model.weights) named.tensor = at::add(named.tensor, at::randn_like(named.tensor), by);
  return model;
}

// Root of the mean squared difference to `model`, matrices and vectors apart.
std::pair<double, double> error_of(const LoadedModel& read, const LoadedModel& model) {
  double squares[2] = {}, count[2] = {};
  EXPECT_EQ(read.weights.size(), model.weights.size());
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    EXPECT_EQ(read.weights[i].name, model.weights[i].name);
    const int vector = model.weights[i].tensor.dim() < 2 ? 1 : 0;
    const at::Tensor off = at::sub(read.weights[i].tensor, model.weights[i].tensor).contiguous();
    for (std::int64_t k = 0; k < off.numel(); ++k) {
      const double value = off.const_data_ptr<float>()[k];
      squares[vector] += value * value;
    }
    count[vector] += static_cast<double>(off.numel());
  }
  return {std::sqrt(squares[0] / count[0]), std::sqrt(squares[1] / count[1])};
}

TEST(Difference, IsAsPreciseAsItsBits) {
  const LoadedModel base = load_model(kBase), model = changed(0.01);
  double last = 0.01;
  for (const auto& [bits, most] : {std::pair{2, 0.40}, {3, 0.21}, {4, 0.12}, {8, 0.01}}) {
    const TemporaryFolder folder;
    const auto bytes = write_difference(folder.path() / "d", model, base, {kBase, bits});
    EXPECT_EQ(bytes, fs::file_size(folder.path() / "d" / "difference.bin"));
    const LoadedModel read = load_model(find_model((folder.path() / "d").string()));
    EXPECT_EQ(read.config.layers, base.config.layers);
    const auto [matrices, vectors] = error_of(read, model);
    EXPECT_LT(matrices, most * 0.01) << bits;
    EXPECT_LT(matrices, last);
    EXPECT_LT(vectors, 1e-5);
    last = matrices;
  }
}

TEST(Difference, OfNothingIsTheBaseItself) {
  const TemporaryFolder folder;
  const LoadedModel base = load_model(kBase);
  write_difference(folder.path(), base, base, {kBase, 3});
  EXPECT_EQ(error_of(load_difference(folder.path()), base), std::pair(0.0, 0.0));
}

TEST(Difference, AnotherBaseIsNamed) {
  const TemporaryFolder folder;
  const LoadedModel model = changed(0.01);
  write_difference(folder.path(), model, changed(0.02), {kBase, 3});
  try {
    load_difference(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("on this machine has other weights"));
  }
}

TEST(Difference, DamagedFilesAreErrors) {
  const TemporaryFolder folder;
  write_difference(folder.path(), changed(0.01), load_model(kBase), {kBase, 3});
  const fs::path file = folder.path() / "difference.bin";
  const std::string whole = read_file(file);
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 37 + 1) {
    write_file_atomically(file, whole.substr(0, size));
    EXPECT_THROW(load_difference(folder.path()), Error) << size;
  }
  write_file_atomically(file, whole + "x");
  EXPECT_THROW(load_difference(folder.path()), Error);
}

}  // namespace
}  // namespace kg::policy
