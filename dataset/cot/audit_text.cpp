#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "dataset/cot/audit.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kRowsShown = 50;

std::string quantiles(const char* what, std::vector<double> values, double bound) {
  if (values.empty()) return fmt::format("  {:<12} {:>9}\n", what, "none");
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  const auto over = static_cast<std::size_t>(values.end() - std::lower_bound(values.begin(), values.end(), bound));
  return fmt::format("  {:<12} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.2f} {:>9}\n", what, at(0.5), at(0.9), at(0.99),
                     values.back(), bound, over);
}

}  // namespace

std::string audit_table(const AuditReport& report, const AuditOptions& options) {
  std::string text = fmt::format("{} texts of the benchmark against {} texts of the data ({} samples)\n\n",
                                 report.items, report.texts, report.samples);
  text += fmt::format("  {:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "highest", "median", "90 %", "99 %", "largest",
                      "bound", "over");
  text += quantiles("prompt grams", report.highest_grams, options.gram_bound);
  text += quantiles("code grams", report.highest_code_grams, options.code_gram_bound);
  text += quantiles("structure", report.highest_structure, options.structure_bound);
  std::string names;
  for (const std::string& name : report.shared_operators) names += (names.empty() ? "" : ", ") + name;
  text += fmt::format("  {:<12} {} operators of both{}{}\n", "names", report.shared_operators.size(),
                      names.empty() ? "" : ": ", names);
  if (report.findings.empty()) return text + "\nNothing over a bound.\n";
  text += fmt::format("\n{} found\n  {:<8} {:>8} {:>9}  {}\n", report.findings.size(), "part", "13-grams", "structure",
                      "benchmark / sample");
  for (std::size_t i = 0; i < std::min(kRowsShown, report.findings.size()); ++i) {
    const AuditFinding& found = report.findings[i];
    text += fmt::format("  {:<8} {:>8.3f} {:>9.3f}  {} / {}\n", found.part, found.grams, found.structure, found.item,
                        found.sample);
  }
  if (report.findings.size() > kRowsShown) text += fmt::format("  and {} more\n", report.findings.size() - kRowsShown);
  return text;
}

}  // namespace kg::dataset::cot
