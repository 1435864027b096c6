#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "dataset/translation/graph.h"
#include "dataset/translation/walk.h"

namespace kg::dataset::translation {

// Writes a graph as consecutive loops, with a tensor in GM between two of them where a product, a scan, a
// window or a loop of another shape needs one.
class Stages {
 public:
  explicit Stages(Graph& graph);

  std::string program();  // throws Unknown

 private:
  struct Target {
    std::string name, type;
    std::vector<SizeId> dims;
    bool in_pieces = false;  // a kSpread, in the shape of spread_shape()
  };
  bool write_all();
  void attempt();
  void make(int node);
  void write_with_wanted(int node, const Target& target);
  void make_wanted(const Wanted& wanted);
  int open_operand(int node) const;
  std::vector<int> computed_with(int node) const;
  int turned_operand(int node) const;
  void write(int node, const Target& target);
  void walk(int node, const std::function<Sink(int)>& sink_for);
  int view_of(int node, const std::vector<SizeId>& dims);
  std::vector<std::vector<SizeId>> finer_views(int node) const;
  void scan(int node, const Target& target);
  void join(int node, const Target& target);
  void spread(int node, const Target& target);
  void product(int node, const Target& target);
  void taps(int node, const Target& target);
  Sink store(int node, const Target& target);
  Sink store_part(const Node& whole, const Target& target, const std::string& offset);
  void store(Block& block, const Value& value, const Index& index, const std::vector<SizeId>& dims,
             const Target& target);
  bool want(const Wanted& wanted);
  bool unfold();
  bool forget_unread();
  bool used_apart(const std::vector<SizeId>& sizes) const;
  bool is_copy(int node) const;  // of a tensor in memory, moved
  int matrix(int node, bool& turned);
  bool is_written_as(int node) const;
  std::string head() const;
  std::string name_of(int node) const;
  std::string shape_text(const std::vector<SizeId>& dims) const;

  Graph& graph_;
  const int own_nodes_;  // of the graph as it was; views are added
  std::map<int, Storage> inputs_;
  std::map<int, Target> wanted_;  // tensors in GM
  std::set<int> folded_;          // inputs whose shape was decided by a product
  std::set<int> unread_;          // nodes that were wanted and not read
  std::set<int> kept_;            // nodes that keep their own shape whatever a product takes
  std::map<std::string, std::vector<SizeId>> outputs_;
  std::map<std::pair<int, std::vector<SizeId>>, int> views_;
  // State of the current attempt:
  std::map<int, Storage> storage_;
  std::set<std::string> taken_;
  std::optional<Writer> writer_;
  std::string text_;
  int writing_ = 0;
  bool complete_ = true;
};

}  // namespace kg::dataset::translation
