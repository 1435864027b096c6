#include "proto/kept_set.h"

#include "base/error.h"

namespace kg::proto {
namespace {

constexpr std::uint64_t kWhole = 0, kBitmap = 1;

void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

std::string bitmap_of(std::span<const std::int32_t> tokens) {
  std::string bits(static_cast<std::size_t>(tokens.back()) / 8 + 1, '\0');
  for (const std::int32_t token : tokens)
    bits[static_cast<std::size_t>(token) / 8] =
        static_cast<char>(bits[static_cast<std::size_t>(token) / 8] | 1 << token % 8);
  return bits;
}

class Reader {
 public:
  Reader(std::string_view bytes, std::int64_t vocabulary) : bytes_(bytes), vocabulary_(vocabulary) {}

  bool at_end() const { return at_ == bytes_.size(); }

  KeptSet next() {
    const std::uint64_t head = varint();
    if (head == kWhole) return {};
    KeptSet set{.whole = false, .tokens = {}};
    if (head == kBitmap)
      read_bitmap(set);
    else
      read_list(set, head - 1);
    if (set.tokens.empty()) fail("a token was drawn from nothing");
    return set;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw Error("the sets of kept tokens are not readable: " + what, "Completion.kept",
                "the rollout was written by another program, or damaged");
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (at_end()) fail("they end in the middle");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number has more than 63 bits");
  }
  void keep(KeptSet& set, std::uint64_t token) const {
    if (token >= static_cast<std::uint64_t>(vocabulary_))
      fail("token " + std::to_string(token) + " of a vocabulary of " + std::to_string(vocabulary_));
    set.tokens.push_back(static_cast<std::int32_t>(token));
  }
  void read_bitmap(KeptSet& set) {
    const std::uint64_t size = varint();
    if (size > bytes_.size() - at_) fail("a bitmap ends in the middle");
    for (std::uint64_t i = 0; i < size; ++i)
      for (unsigned bit = 0; bit < 8; ++bit)
        if ((static_cast<unsigned char>(bytes_[at_ + i]) >> bit & 1) != 0) keep(set, 8 * i + bit);
    at_ += size;
  }
  void read_list(KeptSet& set, std::uint64_t count) {
    if (count > bytes_.size() - at_) fail("a list ends in the middle");
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t token = next + varint();
      keep(set, token);
      next = token + 1;
    }
  }

  std::string_view bytes_;
  std::int64_t vocabulary_;
  std::size_t at_ = 0;
};

}  // namespace

void append_whole_vocabulary(std::string& kept) { append_varint(kept, kWhole); }

void append_kept_set(std::string& kept, std::span<const std::int32_t> tokens) {
  std::string list;
  std::int32_t next = 0;
  for (const std::int32_t token : tokens) {
    append_varint(list, static_cast<std::uint64_t>(token - next));
    next = token + 1;
  }
  if (!tokens.empty() && static_cast<std::size_t>(tokens.back()) / 8 + 4 < list.size()) {
    const std::string bits = bitmap_of(tokens);
    append_varint(kept, kBitmap);
    append_varint(kept, bits.size());
    kept += bits;
  } else {
    append_varint(kept, 1 + tokens.size());
    kept += list;
  }
}

std::vector<KeptSet> read_kept_sets(std::string_view kept, std::size_t tokens, std::int64_t vocabulary) {
  Reader reader(kept, vocabulary);
  std::vector<KeptSet> sets;
  sets.reserve(tokens);
  for (std::size_t i = 0; i < tokens; ++i) sets.push_back(reader.next());
  if (!reader.at_end())
    throw Error("there are more sets of kept tokens than the " + std::to_string(tokens) + " tokens", "Completion.kept",
                "the rollout was written by another program, or damaged");
  return sets;
}

}  // namespace kg::proto
