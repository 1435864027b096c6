// Times of whole kernels, read on a real Atlas A2 and published, against the emulated NPU's for kernels of our own of
// the same structure. Prints the table, and holds docs/reference/times.md against it; with KG_WRITE_TIMES it writes
// that page and its picture.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "published_times.h"

namespace kg::npu::testing {
namespace {

std::vector<MeasuredPoint> measured(const char* only) {
  std::vector<MeasuredPoint> points;
  std::printf("%-50s %9s %9s %6s\n", "", "chip, us", "ours, us", "ratio");
  for (const auto& list :
       {published_products(), published_row_kernels(), published_vector_kernels(), published_scalar_loops()})
    for (const PublishedPoint& point : list) {
      if (only != nullptr && point.kernel.find(only) == std::string::npos) continue;
      points.push_back({point, point.ours()});
      std::printf("%-50s %9.4g %9.4g %6.2f\n", point.kernel.c_str(), point.chip, points.back().ours,
                  points.back().ours / point.chip);
      std::fflush(stdout);
    }
  return points;
}

TEST(EndToEndTime, WholeKernelsAsTheChipHasThem) {
  const char* only = std::getenv("KG_TIMES_OF");  // a part of the kernels' names, to look at some
  const std::vector<MeasuredPoint> points = measured(only);
  if (only != nullptr) return;
  std::size_t near = 0;
  for (const MeasuredPoint& one : points) {
    near += is_near(one) ? 1 : 0;
    EXPECT_LT(factor_off(one), 2) << one.point.kernel;
  }
  EXPECT_GE(4 * near, 3 * points.size());
  const std::string folder = std::string(KG_SOURCE_DIR) + "/docs/reference/";
  for (const auto& [name, text] :
       {std::pair{folder + "times.md", times_page(points)}, {folder + "times.svg", times_picture(points)}}) {
    if (std::getenv("KG_WRITE_TIMES") != nullptr)
      write_file_atomically(name, text);
    else
      EXPECT_TRUE(read_file(name) == text)
          << name << " is out of date: cmake --build build/release --target times_page_update";
  }
}

}  // namespace
}  // namespace kg::npu::testing
