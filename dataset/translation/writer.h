#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dataset/translation/block.h"
#include "dataset/translation/graph.h"
#include "dataset/translation/index.h"

namespace kg::dataset::translation {

// Where a tensor is in memory: its name and its shape.
struct Storage {
  std::string name;
  std::vector<SizeId> dims;
};

// A tensor that must be in memory, in this shape, before others can be computed from it.
struct Wanted {
  int node;
  std::vector<SizeId> dims;
};

// Elements of a row that UB can hold next to others, if the whole row is needed.
constexpr std::int64_t kLongestRow = 1 << 14;

// The state of writing a program: elements of tensors are computed from tensors in memory, where they are needed
// and once per turn of the loops that they depend on. Functions below throw Unfit, Wanted and Unknown.
struct Writer {
  Writer(const Graph& of, std::map<int, Storage>& in_memory, std::set<std::string>& names)
      : graph(of),
        storage(in_memory),
        taken(names),
        top(std::make_unique<Block>("", std::vector<std::string>{}, nullptr)),
        home(top.get()),
        current(top.get()) {}

  const Graph& graph;
  std::map<int, Storage>& storage;
  std::set<std::string>& taken;         // names
  std::vector<std::string> made_names;  // of `taken`, in their order
  std::map<std::string, int> next;      // by a name's beginning, how many are taken for certain
  std::unique_ptr<Block> top;           // the outermost block
  Block* home;                          // the block for values that depend on no loop
  Block* current;                       // the innermost open block
  std::map<std::string, Block*> bound;  // names of indices, and the blocks that set them
  std::map<int, Value> totals;          // numbers computed from all elements
  int writing = -1;                     // the node that the current loops compute
  bool moves = false;                   // they copy a tensor to other places

  // A node's value at a place, written if it is not available there.
  Value value(int node, const Index& index);
  Value named(Block& block, const std::string& like, const std::string& expression, Kind kind);
  std::string as_number_or_tile(Block& block, const Value& value);  // a mask as 1 and 0
  std::string fresh(const std::string& like);                       // a new name
  void forget_names(std::size_t count);                             // all but the first ones that were made
  std::string variable(const std::string& like);                    // for a loop
  void release(const std::vector<std::string>& variables);
  Block& place_of(const Index& index);  // the innermost block that it depends on

  bool is_stored(int node) const { return storage.contains(node); }
  std::string text(SizeId size) const { return graph.sizes.text(size); }
  std::string length_of(const Index& index) const;  // length of its range
  std::string product_text(const std::vector<SizeId>& dims) const;
};

// writer_load.cpp: from memory, and by places.
Value load(Writer& in, int node, const Index& index, const std::string& pad = "");
Value slice(Writer& in, const Node& node, const Index& index);
Value flip(Writer& in, const Node& node, const Index& index);
Value pick(Writer& in, int node, const Index& index);
Value gather(Writer& in, int node, const Index& index);
// writer_pointwise.cpp
Value counter(Writer& in, const Index& index);
Value pointwise(Writer& in, const Node& node, const Index& index);
// writer_window.cpp
Value window(Writer& in, int node, const Index& index);
// writer_reduce.cpp
Value reduction(Writer& in, int node, const Index& index);
Value place(Writer& in, int node, const Index& index);
Value scan(Writer& in, int node, const Index& index);

}  // namespace kg::dataset::translation
