#include "cli/cycle_summary.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "npu/chip.h"

namespace kg::cli {
namespace {

namespace chip = npu::chip;

constexpr double kLeastCopy = 2048;  // bytes; shorter copies pay more for their start than for their bytes

double cycles_of_bytes(double bytes) { return bytes / chip::kMeasuredBytesPerSecond * chip::kHertz; }

std::vector<std::string> stripped_lines_of(const std::string& source) {
  std::vector<std::string> lines{""};
  std::istringstream stream(source);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    lines.push_back(begin == std::string::npos ? "" : line.substr(begin));
  }
  return lines;
}

void add_pipes(const proto::CycleProfile& profile, CycleSummary& made) {
  const double cores = std::max(1, made.cores_used);
  for (const proto::CycleProfile::Pipe& pipe : profile.pipes()) {
    CycleSummary::Pipe& row = made.pipes.emplace_back();
    row.name = pipe.name();
    row.busy = pipe.busy() / cores;
    row.instructions = pipe.instructions();
    row.amount = pipe.amount();
    row.unit = pipe.name() == "V" || pipe.name() == "M" ? "elements" : "bytes";
    for (const proto::CycleProfile::Wait& wait : pipe.waits()) {
      row.waiting += wait.cycles() / cores;
      row.waits.push_back({wait.on(), wait.line(), wait.file(), wait.cycles() / cores});
    }
  }
  std::stable_sort(made.pipes.begin(), made.pipes.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
}

void add_lines(const proto::CycleProfile& profile, const std::vector<std::string>& texts, CycleSummary& made) {
  const double cores = std::max(1, made.cores_used);
  std::map<std::pair<std::string, int>, CycleSummary::Line> lines;
  std::map<std::pair<std::string, int>, double> dearest;
  for (const proto::CycleProfile::Line& line : profile.lines()) {
    const std::pair place(line.file(), line.line());
    CycleSummary::Line& row = lines[place];
    row.number = line.line();
    row.file = line.file();
    if (line.file().empty() && line.line() > 0 && static_cast<std::size_t>(line.line()) < texts.size())
      row.text = texts[static_cast<std::size_t>(line.line())];
    row.busy += line.busy() / cores;
    row.instructions += line.instructions();
    if (line.busy() > dearest[place]) {
      dearest[place] = line.busy();
      row.pipe = line.pipe();
    }
  }
  for (auto& [place, row] : lines) made.lines.push_back(std::move(row));
  std::stable_sort(made.lines.begin(), made.lines.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
}

std::string line_words(const CycleSummary& made, const std::string& pipe) {
  for (const CycleSummary::Line& line : made.lines)
    if (line.pipe == pipe && line.number > 0) return ", most of it at " + place_of(line.number, line.file);
  return "";
}

void add(CycleSummary& made, double cycles, std::string what) {
  if (cycles >= 1) made.mends.push_back({cycles, std::move(what)});
}

// The saving if only this one thing were ideal; the sum over several means nothing.
void add_mends(CycleSummary& made) {
  if (made.cores_used == 0) return;
  const double launched = std::max(made.cores, 1), used = made.cores_used;
  const double spread = made.mean_end * used / launched;
  if (made.cores_used < made.cores)
    add(made, made.last_end - spread,
        fmt::format("only {} of {} cores have work: split it into smaller parts", made.cores_used, made.cores));
  else
    add(made, made.last_end - spread, "the cores finish at different times: split the work into more, equal parts");
  add(made, made.shared, "the cores share global memory: move fewer bytes, or overlap computing with copying");
  if (made.moved_cycles > 1.05 * made.needed_cycles)
    add(made, made.moved_cycles - made.needed_cycles,
        fmt::format("it moves {:.1f} times the bytes of the tensors: keep data that is used again in UB",
                    made.moved_cycles / made.needed_cycles));
  if (made.pipes.empty()) return;
  const CycleSummary::Pipe& busiest = made.pipes.front();
  const CycleSummary::Pipe* waiting = nullptr;
  for (const CycleSummary::Pipe& pipe : made.pipes)
    if (!pipe.waits.empty() && pipe.name != "S" && (waiting == nullptr || pipe.waiting > waiting->waiting))
      waiting = &pipe;
  if (waiting != nullptr)
    add(made, made.mean_end - busiest.busy,
        fmt::format("pipes wait for each other ({} for {} at {}): let them overlap, with two buffers or longer tiles",
                    waiting->name, waiting->waits.front().on,
                    place_of(waiting->waits.front().line, waiting->waits.front().file)));
  const double per_instruction =
      static_cast<double>(busiest.amount) / static_cast<double>(std::max<std::uint64_t>(1, busiest.instructions));
  if (busiest.name == "V") {
    const double starts = static_cast<double>(busiest.instructions) * chip::kVectorStart / used;
    if (starts > 0.3 * busiest.busy)
      add(made, starts,
          fmt::format("V starts {} instructions of {:.0f} elements each: use longer tiles{}", busiest.instructions,
                      per_instruction, line_words(made, "V")));
  }
  if (busiest.name.starts_with("MTE") && per_instruction > 0 && per_instruction < kLeastCopy)
    add(made, busiest.busy * (1 - per_instruction / kLeastCopy),
        fmt::format("{} moves {:.0f} bytes per copy: use longer tiles{}", busiest.name, per_instruction,
                    line_words(made, busiest.name)));
  add(made, busiest.busy - made.needed_cycles,
      fmt::format("{} is the bottleneck{}: give it less to do", busiest.name, line_words(made, busiest.name)));
  std::stable_sort(made.mends.begin(), made.mends.end(),
                   [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
}

}  // namespace

std::string place_of(int line, const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return fmt::format("line {}", line) + (name.empty() ? "" : " of " + name);
}

CycleSummary summarise(const reward::CycleReport& report, const std::string& source) {
  const proto::CycleProfile& profile = report.profile;
  CycleSummary made{.case_index = report.index, .total = profile.total(), .launch = profile.launch()};
  made.working = made.total - made.launch;
  made.shared = profile.shared();
  made.cores = profile.core_ends_size();
  for (const double end : profile.core_ends()) {
    made.cores_used += end > chip::kScalarIssue ? 1 : 0;
    made.last_end = std::max(made.last_end, end);
    made.mean_end += end;
  }
  made.mean_end /= std::max(1, made.cores_used);
  made.bytes_read = report.bytes_read;
  made.bytes_written = report.bytes_written;
  made.tensor_bytes = report.tensor_bytes;
  made.moved_cycles = cycles_of_bytes(static_cast<double>(made.bytes_read + made.bytes_written));
  made.needed_cycles = cycles_of_bytes(static_cast<double>(made.tensor_bytes));
  add_pipes(profile, made);
  add_lines(profile, stripped_lines_of(source), made);
  add_mends(made);
  return made;
}

}  // namespace kg::cli
