#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kg::service {

// What one token may ask for.
struct Quota {
  double requests_per_minute = 0;  // 0: no bound
  std::uint32_t waiting = 0;       // requests without a verdict at a time; 0: no bound
};

// Counts requests against quotas. Time is a parameter: monotonic seconds.
class QuotaTable {
 public:
  // Takes a request of `name` into account and gives nothing; or, if it is over its quota, gives the seconds after
  // which to ask again and counts nothing.
  std::optional<double> over(const std::string& name, const Quota& quota, double now);
  void finished(const std::string& name);  // one of its requests has got its answer
  std::uint32_t waiting(const std::string& name) const;

 private:
  struct Use {
    std::uint32_t waiting = 0;
    double tokens = 0;  // requests that may come at once; at most ten seconds' worth, and at least one
    double filled = 0;  // when it was last added to
    bool fresh = true;
  };
  std::map<std::string, Use> uses_;
};

}  // namespace kg::service
