#pragma once

#include <functional>
#include <set>
#include <string>

#include "dataset/cot/translation/writer.h"

namespace kg::dataset::cot::translation {

// What is done in loops over a tensor.
struct Sink {
  std::function<void(Block&, const Index&)> before;  // in front of the loops inside
  std::function<void(Block&, const Value&, const Index&)> at;
};

struct Manner {
  bool by_element = true;  // where it must be
  bool alone = false;      // on one core
  int last = -1;           // the axis that is walked over innermost, one by one; -1: none
};

// Every element of a tensor. Throws Unfit, Wanted, Unknown.
void walk(Writer& in, int node, const Sink& sink, const Manner& manner);

// Whether the last `axes` axes can be walked over as one, of the tensor and of all that it is computed of.
bool can_be_flat(const Writer& in, int node, int axes);
int single_axes(const Writer& in, int node);  // of one element, at the end

// A number that loops around it would have computed again in each of their turns.
struct Recompute {
  int node;
  std::set<std::string> words;  // of the index that it has
};

}  // namespace kg::dataset::cot::translation
