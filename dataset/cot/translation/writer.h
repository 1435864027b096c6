#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/cot/translation/block.h"
#include "dataset/cot/translation/graph.h"
#include "dataset/cot/translation/index.h"

namespace kg::dataset::cot::translation {

// Where a tensor lies in memory: under which name, with which shape.
struct Storage {
  std::string name;
  std::vector<SizeId> dims;
};

// A tensor that has to be in memory before others can be made of it, in this shape.
struct Wanted {
  int node;
  std::vector<SizeId> dims;
};

// Elements of a row that UB holds beside others, where all of it has to be there.
constexpr std::int64_t kLongestRow = 1 << 14;

// Writes loops in which elements of a tensor are computed from what is in memory: what is in between is computed where
// it is needed, once for each turn of the loops that it changes with.
class Writer {
 public:
  Writer(const Graph& graph, std::map<int, Storage>& storage, std::set<std::string>& taken)
      : graph_(graph),
        storage_(storage),
        taken_(taken),
        root_(std::make_unique<Block>("", std::vector<std::string>{}, nullptr)),
        home_(root_.get()),
        current_(root_.get()) {}

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
  void walk(int node, const Sink& sink, const Manner& manner);

  int writing = -1;  // what the present loops are for

  Value value(int node, const Index& index);
  std::string as_number_or_tile(Block& block, const Value& value, const Index& index);  // a mask as 1 and 0
  Block& root() { return *root_; }
  std::string fresh(const std::string& like);
  std::string text(SizeId size) const { return graph_.sizes.text(size); }
  const Storage& stored(int node) const { return storage_.at(node); }
  bool is_stored(int node) const { return storage_.contains(node); }
  std::string variable(const std::string& like);  // of a loop
  void release(const std::vector<std::string>& variables);
  void bind(const std::string& variable, Block& block) { bound_[variable] = &block; }

 private:
  struct Recompute {
    int node;
    std::set<std::string> words;
  };
  struct Walk {
    int suffix = 0;        // axes that are one range
    std::set<int> header;  // axes of the loop over cores
    bool alone = false;
    int last = -1;
  };

  void try_walk(int node, const Sink& sink, const Walk& how);
  bool attempt(int node, const Sink& sink, Walk how);
  bool can_be_flat(int node, int axes) const;
  int longest_suffix(int node) const;
  int single_axes(int node) const;  // of one element, at the end

  Value load(int node, const Index& index, const std::string& pad = "");
  Value across(int node, const Index& given, const Index& index);
  Value pointwise(const Node& node, const Index& index);
  Value as_mask(const Value& condition, const Index& index);
  Value chosen(const Node& node, const std::vector<Value>& of, const Index& index);
  Value slice(const Node& node, const Index& index);
  Value flip(const Node& node, const Index& index);
  Value counter(const Node& node, const Index& index);
  Value reduction(int node, const Index& index);
  Value of_all(int node);
  Value place(int node, const Index& index);
  Value scan(int node, const Index& index);
  Value pick(int node, const Index& index);
  Value gather(int node, const Index& index);
  Value window(int node, const Index& index);
  int without_single_axes(int node) const;

  std::string subscript(Block& block, const Value& value);
  Value named(Block& block, const std::string& like, const std::string& expression, modules::Kind kind);
  Block& place_of(const Index& index);
  void check_once(int node, const Block& place, const Index& index) const;
  std::string length_of(const Index& index) const;
  std::string product_text(const std::vector<SizeId>& dims) const;

  const Graph& graph_;
  std::map<int, Storage>& storage_;
  std::set<std::string>& taken_;
  std::unique_ptr<Block> root_;
  Block* home_;
  Block* current_;
  std::map<std::string, Block*> bound_;
  std::map<int, Value> totals_;
};

}  // namespace kg::dataset::cot::translation
