// A summary of cycles for readers: text, JSON, HTML.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cycle_summary.h"
#include "cli/report_chart.h"

namespace kg::cli {
namespace {

constexpr std::size_t kMostLines = 6, kMostMends = 3, kColumns = 80;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string bytes_text(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (amount < 1e4) return fmt::format("{} bytes", bytes);
  return amount < 1e6 ? fmt::format("{:.1f} kB", amount / 1e3) : fmt::format("{:.2f} MB", amount / 1e6);
}

std::string fitted(std::string line) {
  if (line.size() > kColumns) line = line.substr(0, kColumns - 3) + "...";
  return line + "\n";
}

// Lines of at most 80 columns, those but the first below the first word.
std::string wrapped(const std::string& head, const std::string& text) {
  std::string out, line = head;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    if (line.size() > head.size() && line.size() + 1 + (space - at) > kColumns) {
      out += line + "\n";
      line = std::string(head.size(), ' ');
    }
    line += (line.size() > head.size() ? " " : "") + text.substr(at, space - at);
    at = space + 1;
  }
  return out + line + "\n";
}

std::string waits_text(const CycleSummary::Pipe& pipe) {
  if (pipe.waits.empty()) return "";
  const CycleSummary::Wait& most = pipe.waits.front();
  return fmt::format("for {}{}", most.on, most.line > 0 ? " at " + place_of(most.line, most.file) : std::string());
}

std::string cores_text(const CycleSummary& s) {
  return fmt::format("{} of {} have work; the last one ends after {:.0f} cycles, on average they end after {:.0f}",
                     s.cores_used, s.cores, s.last_end, s.mean_end);
}

std::string memory_text(const CycleSummary& s) {
  return fmt::format(
      "{} read, {} written, {:.2f} times the tensors; at 1.46 TB/s {:.0f} cycles, {:.0f} % of the time "
      "after the launch; sharing adds {:.0f}",
      bytes_text(s.bytes_read), bytes_text(s.bytes_written), s.needed_cycles > 0 ? s.moved_cycles / s.needed_cycles : 0,
      s.moved_cycles, percent(s.moved_cycles, s.working), s.shared);
}

std::string mend_text(const CycleSummary& s, const CycleSummary::Mend& mend) {
  return fmt::format("{} (at most {:.0f} cycles, {:.0f} %)", mend.what, mend.cycles, percent(mend.cycles, s.total));
}

}  // namespace

std::string text_of(const CycleSummary& s) {
  std::string text = fmt::format("\nwhere the cycles of case {} go\n", s.case_index);
  text += fmt::format("launch    {:.0f} of {:.0f} cycles, {:.0f} %\n", s.launch, s.total, percent(s.launch, s.total));
  text += wrapped("cores     ", cores_text(s));
  text += wrapped("memory    ", memory_text(s));
  for (const CycleSummary::Pipe& pipe : s.pipes)
    text += fitted(fmt::format("pipe      {:<5} busy {:3.0f} %, waits {:3.0f} % {}", pipe.name,
                               percent(pipe.busy, s.mean_end), percent(pipe.waiting, s.mean_end), waits_text(pipe)));
  for (std::size_t i = 0; i < std::min(kMostLines, s.lines.size()); ++i) {
    const CycleSummary::Line& line = s.lines[i];
    text += fitted(fmt::format("line      {:>5} {:6.0f} cycles, {:<5} {}",
                               line.number > 0 ? std::to_string(line.number) : "?", line.busy, line.pipe,
                               line.file.empty() ? line.text : line.file));
  }
  if (s.launch > 0.5 * s.total)
    text += wrapped("mend      ",
                    "most of the time is the launch: fuse this kernel with its neighbours, or give it more to do; the "
                    "rest is below");
  for (std::size_t i = 0; i < std::min(kMostMends, s.mends.size()); ++i)
    text += wrapped(fmt::format("mend      {}. ", i + 1), mend_text(s, s.mends[i]));
  return text;
}

nlohmann::json json_of(const CycleSummary& s) {
  nlohmann::json pipes = nlohmann::json::array(), lines = nlohmann::json::array(), mends = nlohmann::json::array();
  for (const CycleSummary::Pipe& pipe : s.pipes) {
    nlohmann::json waits = nlohmann::json::array();
    for (const CycleSummary::Wait& wait : pipe.waits)
      waits.push_back({{"for", wait.on}, {"line", wait.line}, {"file", wait.file}, {"cycles", wait.cycles}});
    pipes.push_back({{"pipe", pipe.name},
                     {"busy", pipe.busy},
                     {"waiting", pipe.waiting},
                     {"waits", std::move(waits)},
                     {"instructions", pipe.instructions},
                     {pipe.unit, pipe.amount}});
  }
  for (const CycleSummary::Line& line : s.lines)
    lines.push_back({{"line", line.number},
                     {"file", line.file},
                     {"text", line.text},
                     {"busy", line.busy},
                     {"pipe", line.pipe},
                     {"instructions", line.instructions}});
  for (const CycleSummary::Mend& mend : s.mends) mends.push_back({{"cycles", mend.cycles}, {"what", mend.what}});
  return {
      {"case", s.case_index},
      {"cycles", s.total},
      {"launch", s.launch},
      {"cores", {{"launched", s.cores}, {"used", s.cores_used}, {"mean_end", s.mean_end}, {"last_end", s.last_end}}},
      {"memory",
       {{"bytes_read", s.bytes_read},
        {"bytes_written", s.bytes_written},
        {"tensor_bytes", s.tensor_bytes},
        {"moved_cycles", s.moved_cycles},
        {"needed_cycles", s.needed_cycles},
        {"shared_cycles", s.shared}}},
      {"pipes", std::move(pipes)},
      {"lines", std::move(lines)},
      {"mend", std::move(mends)}};
}

std::string html_of(const CycleSummary& s) {
  std::string html = fmt::format("<h2>Where the cycles of case {} go</h2><table class=\"config\">", s.case_index);
  const auto row = [&](const std::string& name, const std::string& text) {
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>", name, escape_html(text));
  };
  row("launch", fmt::format("{:.0f} of {:.0f} cycles, {:.0f} %", s.launch, s.total, percent(s.launch, s.total)));
  row("cores", cores_text(s));
  row("memory", memory_text(s));
  for (std::size_t i = 0; i < std::min(kMostMends, s.mends.size()); ++i)
    row(i == 0 ? "mend first" : "then", mend_text(s, s.mends[i]));
  html +=
      "</table><table class=\"cycles\"><tr><th>pipe</th><th>busy</th><th>waits</th><th>mostly</th><th>instructions</th>"
      "</tr>";
  for (const CycleSummary::Pipe& pipe : s.pipes)
    html += fmt::format("<tr><td>{}</td><td>{:.0f} %</td><td>{:.0f} %</td><td>{}</td><td>{}</td></tr>",
                        escape_html(pipe.name), percent(pipe.busy, s.mean_end), percent(pipe.waiting, s.mean_end),
                        escape_html(waits_text(pipe)), pipe.instructions);
  return html + "</table><p class=\"note\">Shares of a core's working time, averaged over the cores.</p>";
}

}  // namespace kg::cli
