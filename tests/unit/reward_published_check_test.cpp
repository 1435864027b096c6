#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "proto/dtype.h"
#include "reward/published_check.h"

namespace kg::reward {
namespace {

proto::Tensor tensor_of(const nlohmann::json& cell) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::dtype_from_name(cell["dtype"]));
  for (const auto& extent : cell["shape"]) tensor.add_shape(extent);
  const std::string hex = cell["hex"];
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  tensor.set_data(std::move(bytes));
  return tensor;
}

proto::Tensor floats(proto::DType dtype, const std::vector<float>& values) {
  proto::Tensor tensor;
  tensor.set_dtype(dtype);
  tensor.add_shape(static_cast<std::int64_t>(values.size()) / (dtype == proto::COMPLEX64 ? 2 : 1));
  tensor.set_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

// As the checker of AbsMath, which takes `.real` of what the kernel leaves.
TEST(PublishedCheck, ARealReferenceLooksAtTheRealPartsOfWhatIsComplex) {
  proto::Check check;
  check.set_name("scaled");
  check.set_relative(1.0 / 2048);
  const proto::Tensor expected = floats(proto::FLOAT32, {3, 4});
  EXPECT_TRUE(check_as_published(check, {expected}, {floats(proto::COMPLEX64, {3, 9, 4, 9})}).pass);
  EXPECT_FALSE(check_as_published(check, {expected}, {floats(proto::COMPLEX64, {3, 0, 4.1F, 0})}).pass);
}

// reward_published_reference.json is what reward_published_reference.py, beside it, gets from PyTorch.
TEST(PublishedCheck, SaysWhatPyTorchSays) {
  const auto cases =
      nlohmann::json::parse(read_file(fs::path(KG_SOURCE_DIR) / "tests/unit/reward_published_reference.json"));
  ASSERT_GT(cases.size(), 1000u);
  int passed = 0;
  for (const auto& one : cases) {
    proto::Check check;
    check.set_name(one["rule"]["name"]);
    check.set_absolute(one["rule"]["absolute"]);
    check.set_relative(one["rule"]["relative"]);
    const PublishedResult result = check_as_published(check, {tensor_of(one["expected"])}, {tensor_of(one["found"])});
    EXPECT_EQ(result.pass, one["pass"].get<bool>()) << one.dump().substr(0, 400) << "\n" << result.why;
    passed += result.pass;
  }
  EXPECT_GT(passed, 200);
}

TEST(PublishedCheck, ComparesAsManyTensorsAsBothListsHave) {
  proto::Check check;
  check.set_name("both");
  check.set_absolute(1e-3);
  check.set_relative(1e-3);
  proto::Tensor one;
  one.set_dtype(proto::FLOAT32);
  one.set_data(std::string("\0\0\x80\x3f", 4));
  EXPECT_TRUE(check_as_published(check, {one}, {one, one}).pass);
}

}  // namespace
}  // namespace kg::reward
