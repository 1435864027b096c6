#include "dsl/form_part.h"

#include <map>
#include <set>

namespace kg::dsl {
namespace {

// Calls `visit` with every tile that the step names, as a reference.
template <typename AnyStep, typename Visit>
void each_tile(AnyStep& step, Visit visit) {
  for (auto& tile : step.sources) visit(tile);
  for (auto& tile : step.scratch) visit(tile);
  if (step.result >= 0) visit(step.result);
  if (step.kind == Step::Kind::kCopyIn || step.kind == Step::Kind::kCopyOut) visit(step.copy.tile);
}

// Gives the tiles that are used numbers of their own.
class Renumbering {
 public:
  Renumbering(const std::vector<Tile>& from, std::vector<Tile>& to) : from_(from), to_(to) {}

  int operator()(int tile) {
    const auto [found, is_new] = numbers_.emplace(tile, static_cast<int>(to_.size()));
    const int number = found->second;
    if (!is_new) return number;
    to_.push_back(from_[static_cast<std::size_t>(tile)]);
    const int root = to_.back().view_of;
    if (root >= 0) {
      const int made = (*this)(root);
      to_[static_cast<std::size_t>(number)].view_of = made;
    }
    return number;
  }

 private:
  const std::vector<Tile>& from_;
  std::vector<Tile>& to_;
  std::map<int, int> numbers_;
};

struct Span {
  std::size_t begin, end;
};

Part part_of(const Form& form, const Span& block, const std::vector<std::size_t>& loose) {
  Part part{.form = {}, .begin = block.begin};
  const Checked& whole = form.checked;
  Checked& checked = part.form.checked;
  checked.cores = whole.cores, checked.launched = whole.launched, checked.groups = whole.groups;
  checked.blocks = whole.blocks, checked.mixed = whole.mixed;
  part.form.index64 = form.index64;
  std::set<int> used;
  for (std::size_t i = block.begin; i < block.end; ++i)
    each_tile(form.steps[i], [&](int tile) { used.insert(form.root(tile)); });
  for (const std::size_t i : loose) {
    bool makes = false;
    each_tile(form.steps[i], [&](int tile) { makes |= used.contains(form.root(tile)); });
    if (makes && i < block.begin) part.form.steps.push_back(form.steps[i]);
  }
  part.before = part.form.steps.size();
  const auto at = [&](std::size_t step) { return form.steps.begin() + static_cast<std::ptrdiff_t>(step); };
  part.form.steps.insert(part.form.steps.end(), at(block.begin), at(block.end));
  Renumbering renumbered(form.tiles, part.form.tiles);
  for (Step& step : part.form.steps) each_tile(step, [&](int& tile) { tile = renumbered(tile); });
  return part;
}

}  // namespace

std::vector<Part> parts_of(const Form& form) {
  std::vector<Span> blocks;
  std::vector<std::size_t> loose;
  int depth = 0;
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    const bool ends = form.steps[i].kind == Step::Kind::kEnd;
    if (form.steps[i].opens() && depth++ == 0) blocks.push_back({i, i});
    if (depth == 0) loose.push_back(i);
    if (ends && --depth == 0) blocks.back().end = i + 1;
  }
  std::vector<std::size_t> places;
  const std::vector<Statement>& body = form.checked.program.body;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (body[i].kind == Statement::Kind::kIf || (body[i].kind == Statement::Kind::kFor && !body[i].cube))
      places.push_back(i);
  if (places.size() != blocks.size()) return {};
  std::vector<Part> parts;
  for (const Span& block : blocks) {
    const std::size_t place = places[parts.size()];
    parts.push_back(part_of(form, block, loose));
    parts.back().place = place;
  }
  return parts;
}

}  // namespace kg::dsl
