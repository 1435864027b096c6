#include "service/quota.h"

#include <algorithm>

namespace kg::service {
namespace {

constexpr double kBurstSeconds = 10;
constexpr double kLookAgain = 1;  // where it depends on verdicts, not on time

}  // namespace

std::optional<double> QuotaTable::over(const std::string& name, const Quota& quota, double now) {
  Use& use = uses_[name];
  if (quota.waiting > 0 && use.waiting >= quota.waiting) return kLookAgain;
  if (quota.requests_per_minute > 0) {
    const double rate = quota.requests_per_minute / 60, most = std::max(1.0, rate * kBurstSeconds);
    use.tokens = use.fresh ? most : std::min(most, use.tokens + (now - use.filled) * rate);
    use.filled = now;
    use.fresh = false;
    if (use.tokens < 1) return (1 - use.tokens) / rate;
    use.tokens -= 1;
  }
  ++use.waiting;
  return {};
}

void QuotaTable::finished(const std::string& name) {
  const auto use = uses_.find(name);
  if (use != uses_.end() && use->second.waiting > 0) --use->second.waiting;
}

std::uint32_t QuotaTable::waiting(const std::string& name) const {
  const auto use = uses_.find(name);
  return use == uses_.end() ? 0 : use->second.waiting;
}

}  // namespace kg::service
