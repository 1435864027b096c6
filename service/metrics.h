#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kg::service {

// Counters, gauges and histograms in the text format of Prometheus. Thread-safe.
class Metrics {
 public:
  // `labels`: the text between the braces, such as stage="correct"; empty: none.
  void count(const std::string& name, const std::string& labels = "", double by = 1);
  void observe(const std::string& name, double seconds);  // a histogram of durations

  // `gauges`: values read at this moment. Every name needs a line in the table of metrics.cpp.
  std::string text(const std::map<std::string, double>& gauges) const;

 private:
  struct Histogram {
    std::vector<std::uint64_t> buckets;
    double sum = 0;
    std::uint64_t count = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, double>> counters_;
  std::map<std::string, Histogram> histograms_;
};

}  // namespace kg::service
