#include "grammar/token_trie.h"

#include <algorithm>

namespace kg::grammar {
namespace {

bool before(const std::pair<char, int>& child, char c) { return child.first < c; }

}  // namespace

int TokenTrie::child(int node, char c) const {
  const auto& children = nodes_[static_cast<std::size_t>(node)].children;
  const auto at = std::lower_bound(children.begin(), children.end(), c, before);
  return at != children.end() && at->first == c ? at->second : kNone;
}

void TokenTrie::add(std::string_view bytes, std::int32_t token) {
  int at = kRoot;
  for (const char c : bytes) {
    int next = child(at, c);
    if (next == kNone) {
      next = static_cast<int>(nodes_.size());
      nodes_.emplace_back();
      auto& children = nodes_[static_cast<std::size_t>(at)].children;
      children.insert(std::lower_bound(children.begin(), children.end(), c, before), {c, next});
    }
    at = next;
  }
  nodes_[static_cast<std::size_t>(at)].tokens.push_back(token);
}

}  // namespace kg::grammar
