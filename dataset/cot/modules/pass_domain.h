#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::cot::modules {

// The common domain of a prompt's reductions, and how a program walks over it. Extents are called A, B, ... by their
// axes, places i0, i1, ...; the last axes, from `block` on, are walked in tiles, t.
class PassDomain {
 public:
  // nullopt: there is no reduction, they differ, or some of a tile's axes are reduced and some are not.
  static std::optional<PassDomain> of(const translation::TracedPrompt& prompt);

  bool all() const { return outer_.empty(); }  // to one number, by all cores together
  bool to_numbers() const { return reduced_.back(); }
  const std::string& elements() const { return elements_; }  // number of elements reduced together
  const std::string& outer() const { return outer_; }        // line; empty: none
  const std::vector<std::string>& loops() const { return loops_; }

  struct Place {
    std::string shape, at;
    bool inside = false, tile = false;  // loaded in the loops; a tile, not a number
  };
  // The place of a tensor of this shape that broadcasts like `aligned`. nullopt: a part of a tile.
  std::optional<Place> place(const translation::Shape& shape, translation::Shape aligned) const;
  // The shape of a result with its axes where the whole has them; reduced ones are 1.
  translation::Shape aligned_result(const translation::Shape& shape) const;

 private:
  void choose_loops(bool flat);

  translation::Shape whole_;
  std::vector<bool> reduced_;  // by axis
  std::size_t block_ = 0;
  std::string elements_, outer_;
  std::vector<std::string> loops_;
};

std::string extent_letter(std::size_t axis);
// The axes that a batch norm reduces, in training, for a tensor of that rank.
std::vector<std::int64_t> batch_norm_axes(std::size_t rank);

}  // namespace kg::dataset::cot::modules
