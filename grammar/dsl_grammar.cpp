#include "grammar/dsl_grammar.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "grammar/program_tokens.h"

namespace kg::grammar {
namespace {

using policy::TokenMask;

constexpr std::string_view kOpening = "```dsl\n", kClosing = "```";
constexpr int kShort = 200;           // tokens left from which on an end is looked for
constexpr int kMostGrowth = 40;       // bytes by which one token makes the end longer, at most
constexpr int kShortestProgram = 80;  // tokens for a block, if each is a byte

// Shared by all walks over a vocabulary.
struct Shared {
  explicit Shared(const policy::GrammarVocabulary& given)
      : vocabulary(given), program(given.tokens), words((given.tokens.size() + 63) / 64) {
    ends.resize(words);
    for (TokenMask* mask : {&prose[0], &prose[1]}) mask->resize(words);
    for (const std::int32_t end : given.ends) policy::add_token(ends, static_cast<std::size_t>(end));
    for (std::size_t i = 0; i < given.tokens.size(); ++i) {
      const std::string& bytes = given.tokens[i];
      if (bytes.empty() || policy::has_token(ends, i)) continue;
      trie.add(bytes, static_cast<std::int32_t>(i));
      for (const bool at_line_start : {false, true})
        if (is_prose(bytes, at_line_start)) policy::add_token(prose[at_line_start ? 1 : 0], i);
    }
  }

  // Words, and the beginning of the block where a line begins.
  static bool is_prose(const std::string& bytes, bool at_line_start) {
    const std::size_t fence = bytes.find('`');
    if (fence == std::string::npos) return true;
    return (fence == 0 ? at_line_start : bytes[fence - 1] == '\n') && kOpening.starts_with(bytes.substr(fence));
  }

  policy::GrammarVocabulary vocabulary;
  ProgramTokens program;
  std::size_t words;  // words of a mask
  TokenTrie trie;     // all tokens except end tokens
  TokenMask ends, prose[2];
};

class DslWalk : public policy::TokenGrammar::Walk {
 public:
  explicit DslWalk(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)), mask_(shared_->words) {}

  const TokenMask& allowed(int left) override {
    if (most_ == 0) most_ = left;
    if (phase_ == Phase::kWords && forced_.empty() && (2 * taken_ >= most_ || left <= kShortestProgram))
      forced_ = (at_line_start_ ? "" : "\n") + std::string(kOpening);
    if (phase_ == Phase::kProgram && forced_.empty()) end_in_time(left);
    if (!forced_.empty()) return forced_mask();
    if (phase_ == Phase::kWords) return shared_->prose[at_line_start_ ? 1 : 0];
    if (phase_ == Phase::kDone) return shared_->ends;
    std::fill(mask_.begin(), mask_.end(), 0);
    shared_->program.add_allowed(source_, mask_, reader_);
    if (whole()) add_prefixes(kClosing);
    // Nothing that a token begins with can follow: the answer ends here, as no program.
    if (std::all_of(mask_.begin(), mask_.end(), [](std::uint64_t bits) { return bits == 0; })) {
      phase_ = Phase::kDone;
      return shared_->ends;
    }
    return mask_;
  }

  void take(std::int32_t token) override {
    ++taken_;
    if (phase_ == Phase::kDone) return;  // an end
    const std::string& bytes = shared_->vocabulary.tokens[static_cast<std::size_t>(token)];
    if (!forced_.empty()) {
      KG_CHECK(forced_.starts_with(bytes));
      forced_.erase(0, bytes.size());
      if (phase_ == Phase::kProgram) source_ += bytes;
      if (forced_.empty()) phase_ = phase_ == Phase::kWords ? Phase::kProgram : Phase::kDone;
      return;
    }
    if (phase_ == Phase::kWords) return take_words(bytes);
    if (bytes[0] == '`') {  // the block ends
      forced_ = kClosing.substr(bytes.size());
      if (forced_.empty()) phase_ = Phase::kDone;
      return;
    }
    source_ += bytes;
  }

 private:
  enum class Phase { kWords, kProgram, kDone };

  void take_words(const std::string& bytes) {
    at_line_start_ = bytes.back() == '\n';
    const std::size_t fence = bytes.find('`');
    if (fence == std::string::npos) return;
    forced_ = kOpening.substr(bytes.size() - fence);
    if (forced_.empty()) phase_ = Phase::kProgram;
  }

  bool whole() { return !source_.empty() && source_.back() == '\n' && reader_.read(source_).whole; }

  // Gives the end of the program where a further token of choice might leave too few for it.
  void end_in_time(int left) {
    if (left > looks_at_) return;
    looks_at_ = left - 1;
    dsl::BeginningReader ahead = reader_;
    const std::optional<std::string> end = dsl::short_end(source_, ahead);
    if (!end) return;  // none was found: the model continues freely, and may be cut off
    const int needed = static_cast<int>(end->size() + kClosing.size()) + 1, spare = left - 1 - needed - kMostGrowth;
    if (spare <= 0) forced_ = *end + std::string(kClosing);
    looks_at_ = left - (spare + kMostGrowth) / (1 + kMostGrowth);  // before that the spare cannot be used up
  }

  void add_prefixes(std::string_view text) {
    int node = TokenTrie::kRoot;
    for (const char c : text) {
      node = shared_->trie.child(node, c);
      if (node == TokenTrie::kNone) return;
      for (const std::int32_t token : shared_->trie.node(node).tokens)
        policy::add_token(mask_, static_cast<std::size_t>(token));
    }
  }

  const TokenMask& forced_mask() {
    std::fill(mask_.begin(), mask_.end(), 0);
    add_prefixes(forced_);
    return mask_;
  }

  std::shared_ptr<const Shared> shared_;
  TokenMask mask_;
  Phase phase_ = Phase::kWords;
  std::string source_, forced_;
  dsl::BeginningReader reader_;
  int looks_at_ = kShort;  // tokens left when an end is looked for again
  bool at_line_start_ = true;
  int most_ = 0, taken_ = 0;
};

class DslGrammar : public policy::TokenGrammar {
 public:
  explicit DslGrammar(const policy::GrammarVocabulary& vocabulary)
      : shared_(std::make_shared<const Shared>(vocabulary)) {}
  std::unique_ptr<Walk> begin() const override { return std::make_unique<DslWalk>(shared_); }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::shared_ptr<const policy::TokenGrammar> make_dsl_grammar(const policy::GrammarVocabulary& vocabulary) {
  return std::make_shared<const DslGrammar>(vocabulary);
}

}  // namespace kg::grammar
