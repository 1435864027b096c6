#pragma once

#include <functional>
#include <set>
#include <string>

#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

// The work in loops over a tensor.
struct Sink {
  std::function<void(Block&, const Index&)> before;  // called before the inner loops
  std::function<void(Block&, const Value&, const Index&)> at;
};

struct Manner {
  bool by_element = true;  // required element by element
  bool alone = false;      // on one core
  int last = -1;           // the axis that is walked innermost, one by one; -1: none
};

// Visits every element of a tensor. Throws Unfit, Wanted, Unknown.
void walk(Writer& in, int node, const Sink& sink, const Manner& manner);

// Whether the last `axes` axes can be walked as one, in the tensor and all its operands.
bool can_be_flat(const Writer& in, int node, int axes);
int single_axes(const Writer& in, int node);  // axes of one element, at the end

// A number that the surrounding loops would compute again in each turn.
struct Recompute {
  int node;
  std::set<std::string> words;  // words in its index
};

}  // namespace kg::dataset::translation
