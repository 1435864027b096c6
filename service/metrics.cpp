#include "service/metrics.h"

#include <spdlog/fmt/fmt.h>

#include <array>

namespace kg::service {
namespace {

struct Described {
  const char* name;
  const char* type;
  const char* help;
};
constexpr std::array<Described, 10> kMetrics{{
    {"kgtrain_requests_total", "counter", "HTTP responses, by route and status"},
    {"kgtrain_verdicts_total", "counter", "requests judged, by the stage where the kernel ended"},
    {"kgtrain_faults_total", "counter", "judgements in which the sandbox failed; they are tried again"},
    {"kgtrain_unjudged_total", "counter", "requests that ended without a valid verdict, by reason"},
    {"kgtrain_repeated_total", "counter", "requests whose id was already known"},
    {"kgtrain_queue_seconds", "histogram", "from a request's arrival to the start of its judgement"},
    {"kgtrain_judge_seconds", "histogram", "from the start of a judgement to its verdict"},
    {"kgtrain_waiting", "gauge", "requests in the queue"},
    {"kgtrain_judging", "gauge", "requests being judged"},
    {"kgtrain_up_seconds", "gauge", "since the service was started"},
}};
constexpr std::array<double, 12> kBounds{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600};

void add_histogram(std::string& text, const std::string& name, const std::vector<std::uint64_t>& buckets, double sum,
                   std::uint64_t count) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    below += buckets[i];
    text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, kBounds[i], below);
  }
  text += fmt::format("{0}_bucket{{le=\"+Inf\"}} {2}\n{0}_sum {1}\n{0}_count {2}\n", name, sum, count);
}

}  // namespace

void Metrics::count(const std::string& name, const std::string& labels, double by) {
  const std::lock_guard lock(mutex_);
  counters_[name][labels] += by;
}

void Metrics::observe(const std::string& name, double seconds) {
  const std::lock_guard lock(mutex_);
  Histogram& histogram = histograms_[name];
  histogram.buckets.resize(kBounds.size());
  for (std::size_t i = 0; i < kBounds.size(); ++i)
    if (seconds <= kBounds[i]) {
      ++histogram.buckets[i];
      break;
    }
  histogram.sum += seconds;
  ++histogram.count;
}

std::string Metrics::text(const std::map<std::string, double>& gauges) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const Described& metric : kMetrics) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", metric.name, metric.help, metric.type);
    if (const auto counter = counters_.find(metric.name); counter != counters_.end())
      for (const auto& [labels, value] : counter->second)
        text += fmt::format("{}{} {}\n", metric.name, labels.empty() ? "" : "{" + labels + "}", value);
    if (const auto gauge = gauges.find(metric.name); gauge != gauges.end())
      text += fmt::format("{} {}\n", metric.name, gauge->second);
    if (const auto found = histograms_.find(metric.name); found != histograms_.end())
      add_histogram(text, metric.name, found->second.buckets, found->second.sum, found->second.count);
  }
  return text;
}

}  // namespace kg::service
