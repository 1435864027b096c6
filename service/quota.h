#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kg::service {

// The quota of one token.
struct Quota {
  double requests_per_minute = 0;  // 0: no limit
  std::uint32_t waiting = 0;       // requests without a verdict at the same time; 0: no limit
};

// Counts requests against quotas. Time is a parameter, in monotonic seconds.
class QuotaTable {
 public:
  // Counts a request of `name` and returns nothing; or, if it is over its quota, counts nothing and returns the seconds
  // after which to ask again.
  std::optional<double> over(const std::string& name, const Quota& quota, double now);
  void finished(const std::string& name);  // one of the caller's requests has its answer
  std::uint32_t waiting(const std::string& name) const;

 private:
  struct Use {
    std::uint32_t waiting = 0;
    double tokens = 0;  // requests allowed right now; at most ten seconds' worth, and at least one
    double filled = 0;  // when `tokens` was last increased
    bool fresh = true;
  };
  std::map<std::string, Use> uses_;
};

}  // namespace kg::service
