#include "dataset/translation/in_memory.h"

#include <algorithm>
#include <vector>

namespace kg::dataset::translation {
namespace {

using Kind = Node::Kind;

// Computed by loops of its own.
bool is_loop(const Node& node) {
  return is_made_whole(node.kind) || node.kind == Kind::kReduce || node.kind == Kind::kPlace ||
         node.kind == Kind::kScan;
}

class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), users_(graph.nodes.size()), needed_(graph.nodes.size(), false) {
    for (const Graph::Output& output : graph.outputs) needed_[place(output.node)] = true;
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
      if (!needed_[i]) continue;
      for (const int of : graph.nodes[i].of) {
        needed_[place(of)] = true;
        users_[place(of)].insert(static_cast<int>(i));
      }
    }
  }

  std::set<int> run() const {
    std::set<int> found;
    std::vector<bool> long_work(graph_.nodes.size(), false);  // it takes a loop over windows for each element
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const int id = static_cast<int>(i);
      const Node& node = graph_[id];
      if (!needed_[i]) continue;
      if (node.in_memory) found.insert(id);
      const bool of_long = std::any_of(node.of.begin(), node.of.end(), [&](int of) { return long_work[place(of)]; });
      long_work[i] = node.kind == Kind::kReduce ? over_window(node.of[0]) : of_long && !is_loop(node);
      if (!long_work[i] || users_[i].size() < 2) continue;
      std::set<int> loops;
      add_loops(id, loops);
      if (loops.size() < 2) continue;
      found.insert(moved(id));
      long_work[i] = false;
    }
    return found;
  }

 private:
  static std::size_t place(int node) { return static_cast<std::size_t>(node); }

  // What a view is of: it costs nothing where that is in memory.
  int moved(int id) const {
    while (is_move(graph_[id].kind)) id = graph_[id].of[0];
    return id;
  }

  bool over_window(int id) const {
    const Node& node = graph_[id];
    if (node.kind == Kind::kWindow) return true;
    if (is_loop(node) || node.kind == Kind::kInput) return false;
    return std::any_of(node.of.begin(), node.of.end(), [&](int of) { return over_window(of); });
  }

  // The loops that compute it: those of the results and of other nodes that are made of it.
  void add_loops(int id, std::set<int>& loops) const {
    for (const Graph::Output& output : graph_.outputs)
      if (output.node == id) loops.insert(id);
    for (const int user : users_[place(id)]) {
      if (loops.contains(user)) continue;
      if (is_loop(graph_[user]) || graph_[user].in_memory)
        loops.insert(user);
      else
        add_loops(user, loops);
    }
  }

  const Graph& graph_;
  std::vector<std::set<int>> users_;
  std::vector<bool> needed_;
};

}  // namespace

std::set<int> in_memory(const Graph& graph) { return Search(graph).run(); }

}  // namespace kg::dataset::translation
