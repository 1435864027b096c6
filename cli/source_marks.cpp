#include "cli/source_marks.h"

#include <spdlog/fmt/fmt.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <vector>

#include "cli/report_chart.h"

namespace kg::cli {
namespace {

constexpr int kAround = 2;        // lines shown before and after a marked one
constexpr std::size_t kMost = 6;  // marked lines shown

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

}  // namespace

std::multimap<int, std::string> marks_of(const proto::Verdict& verdict) {
  std::multimap<int, std::string> marks;
  for (const proto::Fault& fault : verdict.faults())
    if (fault.line() > 0) marks.emplace(fault.line(), fault.message());
  for (const std::string& line : lines_of(verdict.compiler_output())) {
    const std::size_t error = line.find(" error: ");
    int number = 0;
    if ((line.starts_with("kernel.cpp:") || line.starts_with("kernel.dsl:")) && error != std::string::npos &&
        std::sscanf(line.c_str() + 10, ":%d", &number) == 1 && number > 0)
      marks.emplace(number, line.substr(error + 8));
  }
  return marks;
}

std::string marked_excerpt(const std::string& kernel, const std::multimap<int, std::string>& marks) {
  const std::vector<std::string> lines = lines_of(kernel);
  std::set<int> shown, marked;
  for (const auto& [number, message] : marks) {
    if (number > static_cast<int>(lines.size()) || (marked.size() == kMost && !marked.contains(number))) continue;
    marked.insert(number);
    for (int near = number - kAround; near <= number + kAround; ++near)
      if (near >= 1 && near <= static_cast<int>(lines.size())) shown.insert(near);
  }
  if (marked.empty()) return "";
  std::string html = "<pre class=\"excerpt\">";
  int before = 0;
  for (const int number : shown) {
    if (before > 0 && number > before + 1) html += "<span class=\"number\">  ⋮</span>\n";
    const std::string text = escape_html(lines[static_cast<std::size_t>(number) - 1]);
    html += fmt::format("<span class=\"number\">{:>4} </span>{}\n", number,
                        marked.contains(number) ? "<mark>" + text + "</mark>" : text);
    const auto [first, last] = marks.equal_range(number);
    std::set<std::string> said;  // the same of several cores is said once
    for (auto mark = first; mark != last; ++mark)
      if (said.insert(mark->second).second)
        html += "<span class=\"message\">     ▲ " + escape_html(mark->second) + "</span>\n";
    before = number;
  }
  return html + "</pre>";
}

std::string marks_style() {
  return R"css(
.number{color:var(--soft);user-select:none}.message{color:#c2410c;white-space:pre-wrap}
mark,.faulty{background:color-mix(in srgb,#dd8332 30%,transparent);color:inherit}
.excerpt{border-left:3px solid #dd8332;max-height:none}
)css";
}

}  // namespace kg::cli
