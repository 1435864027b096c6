#include "policy/text/byte_bpe.h"

#include <algorithm>
#include <bit>
#include <queue>

#include "base/check.h"
#include "base/error.h"
#include "policy/text/byte_alphabet.h"
#include "policy/text/unicode_nfc.h"

namespace kg::policy {
namespace {

std::size_t slot_of(std::uint64_t pair, std::size_t slots) {
  return static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15ULL) >> 32) & (slots - 1);
}

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

// A part of a word in a doubly linked list; a part that was joined to its left neighbour has id kGone.
struct Part {
  std::int32_t id;
  std::int32_t previous, next;
};
constexpr std::int32_t kGone = -2;

struct Candidate {
  std::int32_t rank;
  std::int32_t left;  // index of the left part
  std::int32_t left_id, right_id, result;
};
struct Later {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  }
};

}  // namespace

ByteBpe::ByteBpe(TokenizerSpec spec) : spec_(std::move(spec)), splitter_(spec_.pattern) {
  const std::size_t count = spec_.tokens.size();
  bytes_of_.resize(count);
  special_.resize(count);
  std::vector<bool> is_added(count);
  for (const TokenizerSpec::AddedToken& token : spec_.added) {
    if (token.id < 0 || static_cast<std::size_t>(token.id) >= count || spec_.tokens[token.id].empty())
      throw Error("added token " + std::to_string(token.id) + " is outside the vocabulary", "tokenizer",
                  "download the model again");
    is_added[token.id] = true;
    special_[token.id] = token.special;
    added_from_[static_cast<unsigned char>(spec_.tokens[token.id][0])].push_back(token.id);
  }
  for (std::vector<std::int32_t>& list : added_from_)
    std::stable_sort(list.begin(), list.end(),
                     [&](std::int32_t a, std::int32_t b) { return spec_.tokens[a].size() > spec_.tokens[b].size(); });
  id_of_.reserve(count);
  for (std::size_t id = 0; id < count; ++id) {
    id_of_.emplace(spec_.tokens[id], static_cast<std::int32_t>(id));
    bytes_of_[id] = is_added[id] ? spec_.tokens[id] : bytes_of_token(spec_.tokens[id]);
  }
  for (int byte = 0; byte < 256; ++byte) id_of_byte_[byte] = id_of(byte_character(static_cast<unsigned char>(byte)));
  add_merges();
}

void ByteBpe::add_merges() {
  merges_.resize(std::bit_ceil(spec_.merges.size() * 3 + 1));
  for (std::size_t rank = 0; rank < spec_.merges.size(); ++rank) {
    const std::string& text = spec_.merges[rank];
    const std::size_t space = text.find(' ');
    const std::string left = text.substr(0, space), right = space == std::string::npos ? "" : text.substr(space + 1);
    const std::int32_t left_id = id_of(left), right_id = id_of(right), result = id_of(left + right);
    if (left_id < 0 || right_id < 0 || result < 0)
      throw Error("merge " + std::to_string(rank) + " (\"" + text + "\") names tokens outside the vocabulary",
                  "tokenizer", "download the model again");
    const std::uint64_t pair = pair_of(left_id, right_id);
    std::size_t slot = slot_of(pair, merges_.size());
    while (merges_[slot].pair != ~0ULL && merges_[slot].pair != pair) slot = (slot + 1) & (merges_.size() - 1);
    merges_[slot] = {pair, static_cast<std::int32_t>(rank), result};
  }
}

const ByteBpe::Merge* ByteBpe::find_merge(std::int32_t left, std::int32_t right) const {
  const std::uint64_t pair = pair_of(left, right);
  std::size_t slot = slot_of(pair, merges_.size());
  while (merges_[slot].pair != ~0ULL) {
    if (merges_[slot].pair == pair) return &merges_[slot];
    slot = (slot + 1) & (merges_.size() - 1);
  }
  return nullptr;
}

std::int32_t ByteBpe::id_of(std::string_view token) const {
  const auto found = id_of_.find(std::string(token));
  return found == id_of_.end() || token.empty() ? -1 : found->second;
}

std::size_t ByteBpe::added_token_at(std::string_view text, std::size_t position, std::int32_t& id) const {
  for (const std::int32_t candidate : added_from_[static_cast<unsigned char>(text[position])]) {
    const std::string& token = spec_.tokens[candidate];
    if (text.compare(position, token.size(), token) != 0) continue;
    id = candidate;
    return token.size();
  }
  return 0;
}

std::vector<std::int32_t> ByteBpe::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 3);
  std::size_t plain_from = 0, position = 0;
  while (position < text.size()) {
    std::int32_t id = -1;
    const std::size_t size = added_token_at(text, position, id);
    if (size == 0) {
      ++position;
      continue;
    }
    encode_plain(text.substr(plain_from, position - plain_from), ids);
    ids.push_back(id);
    plain_from = position += size;
  }
  encode_plain(text.substr(plain_from), ids);
  return ids;
}

void ByteBpe::encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::string composed = spec_.composes ? nfc(text) : "";
  splitter_.split(spec_.composes ? std::string_view(composed) : text,
                  [&](std::string_view word) { encode_word(word, ids); });
}

void ByteBpe::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  if (spec_.whole_words) {
    std::string token;
    for (const char byte : word) token += byte_character(static_cast<unsigned char>(byte));
    if (const std::int32_t id = id_of(token); id >= 0) {
      ids.push_back(id);
      return;
    }
  }
  std::vector<Part> parts;
  parts.reserve(word.size());
  for (const char byte : word) {
    const std::int32_t known = id_of_byte_[static_cast<unsigned char>(byte)], id = known >= 0 ? known : spec_.unknown;
    if (id < 0) continue;
    const std::int32_t index = static_cast<std::int32_t>(parts.size());
    parts.push_back({id, index - 1, index + 1});
  }
  const std::int32_t end = static_cast<std::int32_t>(parts.size());
  std::vector<Candidate> heap;
  const auto consider = [&](std::int32_t left) {
    if (left < 0 || parts[left].next >= end) return;
    const std::int32_t left_id = parts[left].id, right_id = parts[parts[left].next].id;
    const Merge* merge = find_merge(left_id, right_id);
    if (merge == nullptr) return;
    heap.push_back({merge->rank, left, left_id, right_id, merge->result});
    std::push_heap(heap.begin(), heap.end(), Later());
  };
  for (std::int32_t i = 0; i + 1 < end; ++i) consider(i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), Later());
    const Candidate best = heap.back();
    heap.pop_back();
    Part& left = parts[best.left];
    // The parts may have been joined to others since the pair was noted.
    if (left.id != best.left_id || left.next >= end || parts[left.next].id != best.right_id) continue;
    Part& right = parts[left.next];
    left.id = best.result;
    left.next = right.next;
    right.id = kGone;
    if (left.next < end) parts[left.next].previous = best.left;
    consider(left.previous);
    consider(best.left);
  }
  for (std::int32_t i = 0; i < end; i = parts[i].next) ids.push_back(parts[i].id);
}

std::string ByteBpe::decode(const std::vector<std::int32_t>& ids, bool with_special) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= bytes_of_.size())
      throw Error(
          "token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(bytes_of_.size()),
          "decode", "decode with the tokenizer of the model that made the ids");
    if (with_special || !special_[id]) text += bytes_of_[id];
  }
  return text;
}

}  // namespace kg::policy
