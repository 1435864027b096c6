#include "reward/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::reward {
namespace {

double relative_bound(proto::DType dtype) { return dtype == proto::FLOAT32 ? std::ldexp(1.0, -14) : 1e-3; }

bool passes(proto::DType dtype, double found, double wanted, double absolute_bound) {
  const double rounded = operators::round_to(dtype, wanted);
  if (!std::isfinite(found) || !std::isfinite(rounded))
    return (std::isnan(found) && std::isnan(rounded)) || found == rounded;
  if (!operators::is_floating(dtype)) return found == rounded;
  return std::abs(found - wanted) <= element_tolerance(dtype, wanted, absolute_bound);
}

}  // namespace

double element_tolerance(proto::DType dtype, double wanted, double absolute_bound) {
  if (!operators::is_floating(dtype)) return 0;
  return std::max(
      {relative_bound(dtype) * std::abs(wanted), 2 * operators::unit_in_last_place(dtype, wanted), absolute_bound});
}

Comparison compare(const proto::Tensor& found, const operators::GoldenTensor& wanted, double absolute_bound) {
  Comparison result;
  result.count = wanted.values.size();
  if (found.data().size() != result.count * proto::element_size(found.dtype())) {
    result.failing = result.count;
    result.first_failing = 0;
    result.max_abs_error = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  bool non_finite_mismatch = false;
  for (std::size_t n = 0; n < wanted.values.size(); ++n) {
    const double value = operators::read_element(found.dtype(), found.data().data(), n);
    const bool pass = passes(found.dtype(), value, wanted.values[n], absolute_bound);
    if (std::isfinite(value) && std::isfinite(wanted.values[n]))
      result.max_abs_error = std::max(result.max_abs_error, std::abs(value - wanted.values[n]));
    else if (!pass)
      non_finite_mismatch = true;
    if (pass) continue;
    if (result.failing++ == 0) {
      result.first_failing = static_cast<std::int64_t>(n);
      result.first_found = value;
      result.first_wanted = wanted.values[n];
    }
  }
  if (non_finite_mismatch) result.max_abs_error = std::numeric_limits<double>::quiet_NaN();
  result.equal = result.failing == 0;
  return result;
}

}  // namespace kg::reward
