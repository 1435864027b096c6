#include <gtest/gtest.h>

#include "base/hash.h"

namespace kg {
namespace {

TEST(Hash64, PartsHashAsTheWhole) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * 7);
  Hash64 hash;
  for (std::size_t at = 0; at < bytes.size(); at += 333) hash.add(std::string_view(bytes).substr(at, 333));
  EXPECT_EQ(hash.value(), hash64(bytes));
  EXPECT_EQ(Hash64().value(), hash64(""));
}

}  // namespace
}  // namespace kg
