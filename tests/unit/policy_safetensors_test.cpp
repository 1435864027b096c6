#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/gguf.h"
#include "policy/files/safetensors.h"

namespace kg::policy {
namespace {

TEST(Safetensors, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> written{{"b", at::randn({3, 5})}, {"a", at::randn({2}).to(at::kBFloat16)}};
  write_safetensors(folder.path() / "x.safetensors", written, at::kBFloat16);
  const std::vector<NamedTensor> read = read_safetensors(folder.path() / "x.safetensors");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_TRUE(at::equal(read[0].tensor, written[1].tensor));
  EXPECT_TRUE(at::equal(read[1].tensor, written[0].tensor.to(at::kBFloat16)));
}

// Every cut of a file must end in an Error, never in a read outside the map.
template <typename Read>
void expect_errors_for_all_cuts(const std::string& bytes, std::size_t step, Read read) {
  const TemporaryFolder folder;
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    write_file_atomically(folder.path() / "cut", std::string_view(bytes).substr(0, size));
    EXPECT_THROW(read(folder.path() / "cut"), Error) << size;
  }
}

TEST(Safetensors, TruncatedFilesAreErrors) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "x", {{"a", at::randn({4, 4})}}, at::kFloat);
  expect_errors_for_all_cuts(read_file(folder.path() / "x"), 1, [](const fs::path& path) { read_safetensors(path); });
}

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void put_text(std::string& out, const std::string& text) {
  put<std::uint64_t>(out, text.size());
  out += text;
}

TEST(Gguf, TruncatedFilesAreErrors) {
  std::string bytes = "GGUF";
  put<std::uint32_t>(bytes, 3);
  put<std::uint64_t>(bytes, 1);  // tensors
  put<std::uint64_t>(bytes, 2);  // values
  put_text(bytes, "name");
  put<std::uint32_t>(bytes, 8);
  put_text(bytes, "small");
  put_text(bytes, "list");
  put<std::uint32_t>(bytes, 9);
  put<std::uint32_t>(bytes, 5);
  put<std::uint64_t>(bytes, 2);
  put<std::int32_t>(bytes, -4);
  put<std::int32_t>(bytes, 7);
  put_text(bytes, "w");
  put<std::uint32_t>(bytes, 2);
  put<std::uint64_t>(bytes, 4);
  put<std::uint64_t>(bytes, 3);
  put<std::uint32_t>(bytes, 0);
  put<std::uint64_t>(bytes, 0);
  bytes.resize((bytes.size() + 31) / 32 * 32);
  for (int i = 0; i < 12; ++i) put<float>(bytes, static_cast<float>(i));

  expect_errors_for_all_cuts(bytes, 1, [](const fs::path& path) { GgufFile file(path); });
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "whole", bytes);
  const GgufFile file(folder.path() / "whole");
  EXPECT_EQ(file.text("name", ""), "small");
  EXPECT_EQ(file.integers("list"), (std::vector<std::int64_t>{-4, 7}));
  ASSERT_EQ(file.tensors().size(), 1u);
  EXPECT_EQ(file.tensors()[0].shape, (std::vector<std::int64_t>{3, 4}));
}

}  // namespace
}  // namespace kg::policy
