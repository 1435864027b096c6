#include "dataset/cot/modules/pass_domain.h"

#include <algorithm>
#include <set>

namespace kg::dataset::cot::modules {
namespace {

void join(std::string& text, const std::string& part, const char* between = ", ") {
  text += (text.empty() ? "" : between) + part;
}

std::string index_name(std::size_t axis) { return "i" + std::to_string(axis); }

// nullopt: no reduction; axes empty: of all.
std::optional<std::vector<std::int64_t>> axes_of(const translation::TracedLine& line, const translation::Shape& shape) {
  static const std::set<std::string> losses = {"mse_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy"};
  if (losses.contains(line.op)) return std::vector<std::int64_t>{};
  if (line.op == "batch_norm") return batch_norm_axes(shape.size());
  return translation::reduced_axes(line);
}

}  // namespace

std::string extent_letter(std::size_t axis) { return std::string(1, static_cast<char>('A' + axis)); }

std::vector<std::int64_t> batch_norm_axes(std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (i != 1) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

std::optional<PassDomain> PassDomain::of(const translation::TracedPrompt& prompt) {
  std::set<std::vector<std::int64_t>> found;
  for (const translation::TracedLine& line : prompt.lines) {
    const auto of = prompt.shapes.find(line.given[0]);
    auto axes = axes_of(line, of == prompt.shapes.end() ? translation::Shape{} : of->second);
    if (!axes) continue;
    if (of == prompt.shapes.end() || translation::count_of(of->second) != translation::count_of(prompt.whole))
      return std::nullopt;
    if (axes->size() == of->second.size()) axes->clear();
    if (!axes->empty() && of->second != prompt.whole) return std::nullopt;
    std::sort(axes->begin(), axes->end());
    found.insert(*axes);
  }
  if (found.size() != 1 || prompt.whole.empty()) return std::nullopt;
  const std::vector<std::int64_t>& axes = *found.begin();
  PassDomain domain;
  domain.whole_ = prompt.whole;
  domain.reduced_.assign(prompt.whole.size(), axes.empty());
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(prompt.whole.size())) return std::nullopt;
    domain.reduced_[static_cast<std::size_t>(axis)] = true;
  }
  const bool flat = std::all_of(prompt.inputs.begin(), prompt.inputs.end(), [&](const translation::TracedTensor& one) {
    return translation::count_of(one.shape) == 1 ||
           translation::count_of(one.shape) == translation::count_of(prompt.whole);
  });
  domain.choose_loops(flat);
  return domain;
}

void PassDomain::choose_loops(bool flat) {
  const std::size_t rank = whole_.size();
  const bool all = std::find(reduced_.begin(), reduced_.end(), false) == reduced_.end();
  block_ = rank - 1;
  while (block_ > 0 && reduced_[block_ - 1] == reduced_.back() && (!all || flat)) --block_;
  std::string tiles, names, cuts;
  for (std::size_t i = block_; i < rank; ++i) join(tiles, extent_letter(i), " * ");
  for (std::size_t i = 0; i < rank; ++i)
    if (reduced_[i]) join(elements_, extent_letter(i), " * ");
  if (elements_.find(' ') != std::string::npos) elements_ = "(" + elements_ + ")";
  for (std::size_t i = 0; i < block_; ++i) {
    if (reduced_[i] && !all)
      loops_.push_back("for " + index_name(i) + " in range(" + extent_letter(i) + "):");
    else
      join(names, index_name(i)), join(cuts, extent_letter(i));
  }
  if (all || !reduced_.back()) join(names, "t"), join(cuts, "tiles(" + tiles + ")");
  const std::string cores = "for " + names + " in cores(" + cuts + "):";
  if (all) {
    loops_.push_back(cores);
    return;
  }
  outer_ = cores;
  if (reduced_.back()) loops_.push_back("for t in tiles(" + tiles + "):");
}

std::optional<PassDomain::Place> PassDomain::place(const translation::Shape& shape, translation::Shape aligned) const {
  if (aligned.size() > whole_.size()) return std::nullopt;
  aligned.insert(aligned.begin(), whole_.size() - aligned.size(), 1);
  Place made;
  std::vector<std::size_t> axes;  // those that it has
  std::size_t in_block = 0, block_axes = 0;
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    if (i >= block_ && whole_[i] != 1) ++block_axes;
    if (aligned[i] == 1) continue;
    if (aligned[i] != whole_[i]) return std::nullopt;
    axes.push_back(i);
    if (i >= block_) ++in_block;
    made.inside = made.inside || reduced_[i];
  }
  if (in_block != 0 && in_block != block_axes) return std::nullopt;
  made.tile = in_block > 0;
  std::size_t next = 0;
  bool in_tile = false;
  for (const std::int64_t extent : shape) {
    if (extent == 1) {
      join(made.shape, "1");
      if (!in_tile) join(made.at, "0");
      continue;
    }
    if (next == axes.size() || whole_[axes[next]] != extent) return std::nullopt;
    join(made.shape, extent_letter(axes[next]));
    if (axes[next] < block_)
      join(made.at, index_name(axes[next]));
    else if (!in_tile)
      join(made.at, "t"), in_tile = true;
    ++next;
  }
  if (next != axes.size()) return std::nullopt;
  if (shape.empty()) made.shape = "1", made.at = "0";
  return made;
}

translation::Shape PassDomain::aligned_result(const translation::Shape& shape) const {
  const auto left = static_cast<std::size_t>(std::count(reduced_.begin(), reduced_.end(), false));
  if (shape.size() != left || shape.size() == whole_.size()) return shape;
  translation::Shape aligned;
  std::size_t next = 0;
  for (std::size_t i = 0; i < whole_.size(); ++i) aligned.push_back(reduced_[i] ? 1 : shape[next++]);
  return aligned;
}

}  // namespace kg::dataset::cot::modules
