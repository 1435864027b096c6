#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kg::grammar {

// A trie of the tokens' bytes.
class TokenTrie {
 public:
  struct Node {
    std::vector<std::pair<char, int>> children;  // sorted by character; the second is the node's index
    std::vector<std::int32_t> tokens;            // tokens that end at this node
  };

  TokenTrie() : nodes_(1) {}
  void add(std::string_view bytes, std::int32_t token);
  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  static constexpr int kRoot = 0, kNone = -1;
  int child(int node, char c) const;  // kNone: no such child

 private:
  std::vector<Node> nodes_;
};

}  // namespace kg::grammar
