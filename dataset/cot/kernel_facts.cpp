#include "dataset/cot/kernel_facts.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace kg::dataset::cot {
namespace {

std::string call_of(const dsl::Line& line) { return line.step.op == "SelectScalar" ? "Select" : line.step.op; }

// The vector calls that each statement became, and whether it is a number; casts of what is loaded are left out.
std::vector<std::string> plan_of(const dsl::Code& code, const std::string& program) {
  std::vector<std::string> names = {""}, plan;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "store") words >> name;
    names.push_back(line.find("= load ") != std::string::npos && line.ends_with(']') ? ""
                                                                                     : name.substr(0, name.find('[')));
  }
  int last = 0;
  for (const dsl::Line& line : code.lines) {
    const auto number = static_cast<std::size_t>(line.line);
    if (number >= names.size() || names[number].empty()) continue;
    const bool is_number = line.text.starts_with("float " + names[number] + " = ");
    if (line.kind != dsl::Line::Kind::kVector && !is_number) continue;
    const std::string call = is_number ? "a number" : call_of(line);
    if (line.line == last)
      plan.back() += ", " + call;
    else
      plan.push_back(names[number] + ": " + call);
    last = line.line;
  }
  return plan;
}

}  // namespace

Facts facts_of(const dsl::Form& form, const dsl::Code& code, const std::string& program) {
  Facts facts{.launched = form.checked.launched, .ub_bytes = form.ub_bytes, .work_bytes = form.work_bytes};
  for (const dsl::Tile& tile : form.tiles) {
    facts.longest = std::max(facts.longest, tile.bytes);
    facts.queues += tile.buffers > 0 ? 1 : 0;
    facts.double_buffered += tile.buffers == 2 ? 1 : 0;
  }
  std::set<std::string> seen;
  for (const dsl::Line& line : code.lines) {
    if (line.kind == dsl::Line::Kind::kCopyIn || line.kind == dsl::Line::Kind::kCopyOut) {
      const dsl::Tile& tile = form.tile(line.step.copy.tile);
      ++(line.kind == dsl::Line::Kind::kCopyIn ? facts.copies_in : facts.copies_out);
      facts.pads |= line.step.copy.form == dsl::Copy::Form::kPad;
      if (line.step.copy.tensor == dsl::kWorkspace) continue;  // partial results
      if (tile.capacity > facts.tile) facts.tile_bytes = tile.capacity * dsl::element_bytes(tile.dtype);
      facts.tile = std::max(facts.tile, tile.capacity);
    } else if (line.kind == dsl::Line::Kind::kVector) {
      ++facts.vector_calls;
      const std::string call = call_of(line);
      facts.casts |= call == "Cast";
      if (seen.insert(call).second) facts.calls.push_back(call);
    } else if (line.text.starts_with("PipeBarrier") || line.text.starts_with("WaitFlag")) {
      ++facts.orders;
    }
  }
  if (form.compact) facts.ub_bytes = form.work_bytes;
  facts.plan = plan_of(code, program);
  if (const auto slot = form.checked.extents.find("S"); slot != form.checked.extents.end()) facts.slot = slot->second;
  return facts;
}

}  // namespace kg::dataset::cot
