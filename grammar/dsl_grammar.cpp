#include "grammar/dsl_grammar.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "dsl/expected_header.h"
#include "grammar/program_tokens.h"

namespace kg::grammar {
namespace {

using policy::TokenMask;

constexpr std::string_view kOpening = "```dsl\n", kClosing = "```";
constexpr int kShort = 200;           // tokens left from which on an end is looked for
constexpr int kMostGrowth = 40;       // bytes by which one token makes the end longer, at most, and a name
constexpr int kShortestProgram = 80;  // tokens for a block

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

  // The longest token that the text begins with, as a node of the trie; TokenTrie::kNone if there is none.
  int longest(std::string_view text) const {
    int found = TokenTrie::kNone, node = TokenTrie::kRoot;
    for (const char c : text) {
      node = trie.child(node, c);
      if (node == TokenTrie::kNone) break;
      if (!trie.node(node).tokens.empty()) found = node;
    }
    return found;
  }

  // The number of tokens if each is the longest that fits.
  int tokens_of(std::string_view text) const {
    int count = 0;
    for (; !text.empty(); ++count) {
      const int node = longest(text);
      text.remove_prefix(
          node == TokenTrie::kNone ? 1 : vocabulary.tokens[static_cast<std::size_t>(trie.node(node).tokens[0])].size());
    }
    return count;
  }

  policy::GrammarVocabulary vocabulary;
  ProgramTokens program;
  std::size_t words;  // words of a mask
  TokenTrie trie;     // all tokens except end tokens
  TokenMask ends, prose[2];
};

// What a task asks of an answer.
struct Task {
  Task(const std::vector<std::vector<dsl::TensorShape>>& cases, const Shared& shared) : header(cases) {
    growth = kMostGrowth + static_cast<int>(header.longest_name);
    dsl::BeginningReader reader(&header);
    const std::optional<std::string> program = dsl::short_end("", reader);
    if (!program) throw Error("no program can have the task's parameters", "grammar task", "ask for the grammar dsl");
    shortest = std::max(kShortestProgram, shared.tokens_of(*program) + growth);
  }

  dsl::ExpectedHeader header;
  int growth = 0, shortest = 0;  // as kMostGrowth and kShortestProgram
};

class DslWalk : public policy::TokenGrammar::Walk {
 public:
  // `task`: null for any.
  DslWalk(std::shared_ptr<const Shared> shared, std::shared_ptr<const Task> task)
      : shared_(std::move(shared)),
        task_(std::move(task)),
        mask_(shared_->words),
        reader_(task_ == nullptr ? nullptr : &task_->header),
        growth_(task_ == nullptr ? kMostGrowth : task_->growth),
        shortest_(task_ == nullptr ? kShortestProgram : task_->shortest),
        looks_at_(std::max(kShort, shortest_ + growth_)) {}

  const TokenMask& allowed(int left) override {
    if (most_ == 0) most_ = left;
    if (phase_ == Phase::kWords && forced_.empty() && (2 * taken_ >= most_ || left <= shortest_))
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
    const int growth = growth_ + static_cast<int>(reader_.read(source_).next.longest_name());
    const std::string rest = *end + std::string(kClosing);
    const int needed = shared_->tokens_of(rest) + 1, spare = left - 1 - needed - growth;
    if (spare <= 0) {
      forced_ = rest;
      hurries_ = true;
    }
    looks_at_ = left - (spare + growth) / (1 + growth);  // before that the spare cannot be used up
  }

  void add_prefixes(std::string_view text) {
    int node = TokenTrie::kRoot;
    for (const char c : text) {
      node = shared_->trie.child(node, c);
      if (node == TokenTrie::kNone) return;
      add_tokens(node);
    }
  }

  void add_tokens(int node) {
    for (const std::int32_t token : shared_->trie.node(node).tokens)
      policy::add_token(mask_, static_cast<std::size_t>(token));
  }

  const TokenMask& forced_mask() {
    std::fill(mask_.begin(), mask_.end(), 0);
    if (const int node = hurries_ ? shared_->longest(forced_) : TokenTrie::kNone; node != TokenTrie::kNone)
      add_tokens(node);
    else
      add_prefixes(forced_);
    return mask_;
  }

  std::shared_ptr<const Shared> shared_;
  std::shared_ptr<const Task> task_;
  TokenMask mask_;
  Phase phase_ = Phase::kWords;
  std::string source_, forced_;
  dsl::BeginningReader reader_;
  int growth_, shortest_;
  int looks_at_;                                 // tokens left when an end is looked for again
  bool at_line_start_ = true, hurries_ = false;  // hurries: the forced text is the end, in as few tokens as it takes
  int most_ = 0, taken_ = 0;
};

std::vector<dsl::TensorShape> tensors_of(const proto::TaskTensors& task_case) {
  std::vector<dsl::TensorShape> tensors;
  for (const bool output : {false, true})
    for (const proto::TensorSpec& spec : output ? task_case.outputs() : task_case.inputs())
      tensors.push_back({.dtype = spec.dtype(),
                         .shape = {spec.shape().begin(), spec.shape().end()},
                         .name = spec.name(),
                         .output = output,
                         .absent = spec.absent(),
                         .optional = spec.kind() == proto::OPTIONAL,
                         .listed = spec.kind() == proto::DYNAMIC,
                         .in_place_of = spec.in_place_of(),
                         .without_parameter = spec.without_parameter()});
  return tensors;
}

class DslGrammar : public policy::TokenGrammar {
 public:
  DslGrammar(std::shared_ptr<const Shared> shared, std::shared_ptr<const Task> task)
      : shared_(std::move(shared)), task_(std::move(task)) {}
  std::unique_ptr<Walk> begin() const override { return std::make_unique<DslWalk>(shared_, task_); }

 protected:
  std::shared_ptr<const Shared> shared_;

 private:
  std::shared_ptr<const Task> task_;
};

class TaskGrammar : public DslGrammar {
 public:
  explicit TaskGrammar(std::shared_ptr<const Shared> shared) : DslGrammar(std::move(shared), nullptr) {}

  std::shared_ptr<const TokenGrammar> for_request(const proto::GenerateRequest& request) const override {
    std::vector<std::vector<dsl::TensorShape>> cases;
    for (const proto::TaskTensors& one : request.cases()) cases.push_back(tensors_of(one));
    if (cases.empty() || cases[0].empty())
      throw Error("the request does not say what tensors the task has", "grammar task",
                  "fill in GenerateRequest.cases, or ask for the grammar dsl");
    return std::make_shared<const DslGrammar>(shared_, std::make_shared<const Task>(cases, *shared_));
  }
};

}  // namespace

std::shared_ptr<const policy::TokenGrammar> make_dsl_grammar(const policy::GrammarVocabulary& vocabulary) {
  return std::make_shared<const DslGrammar>(std::make_shared<const Shared>(vocabulary), nullptr);
}

std::shared_ptr<const policy::TokenGrammar> make_task_grammar(const policy::GrammarVocabulary& vocabulary) {
  return std::make_shared<const TaskGrammar>(std::make_shared<const Shared>(vocabulary));
}

}  // namespace kg::grammar
