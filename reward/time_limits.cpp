#include "reward/time_limits.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "proto/dtype.h"

namespace kg::reward {
namespace {

constexpr double kLongest = 600;

constexpr double kCompileSeconds = 20;
constexpr double kSourceBytesPerSecond = 1000;

constexpr double kImportedRunSeconds = 20;
constexpr double kTensorBytesPerSecond = 4e6;

constexpr double kOwnRunSeconds = 10;
constexpr double kMovedBytesPerSecond = 1e7;
constexpr double kProductsPerSecond = 5e7;

double sum(const google::protobuf::RepeatedField<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

}  // namespace

double compile_seconds(std::size_t source_bytes) {
  return std::clamp(static_cast<double>(source_bytes) / kSourceBytesPerSecond, kCompileSeconds, kLongest);
}

double imported_run_seconds(const proto::TaskCase& task_case) {
  const auto bytes = static_cast<double>(proto::byte_size(task_case));
  return std::min(kLongest, kImportedRunSeconds + bytes / kTensorBytesPerSecond);
}

double own_run_seconds(const proto::TaskCase& task_case) {
  return std::min(kLongest, kOwnRunSeconds + sum(task_case.operator_bytes()) / kMovedBytesPerSecond +
                                sum(task_case.operator_products()) / kProductsPerSecond);
}

}  // namespace kg::reward
