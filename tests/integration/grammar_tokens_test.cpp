// The grammar over the vocabulary of SmolLM2, which scripts/setup.sh fetches: programs that are in use, token by token.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/random.h"
#include "dsl/beginning.h"
#include "dsl/parser.h"
#include "dsl/whole.h"
#include "grammar/dsl_grammar.h"
#include "grammar/program_tokens.h"
#include "policy/files/model_io.h"
#include "tests/support/dsl_programs.h"

namespace kg::grammar {
namespace {

struct Vocabulary {
  std::shared_ptr<const policy::Tokenizer> tokenizer;
  policy::GrammarVocabulary tokens;
};

const Vocabulary& smollm2() {
  static const Vocabulary made = [] {
    const policy::LoadedModel model = policy::load_model(policy::find_model("smollm2-135m-instruct"));
    return Vocabulary{model.tokenizer, policy::grammar_vocabulary(*model.tokenizer, model.config.vocabulary,
                                                                  {model.tokenizer->end_of_text()})};
  }();
  return made;
}

// What was found for one line is used again for others of its shape: the sets must be those that are found afresh.
TEST(GrammarTokens, WhatIsRememberedIsWhatIsFoundAfresh) {
  const Vocabulary& vocabulary = smollm2();
  const ProgramTokens remembers(vocabulary.tokens.tokens), forgets(vocabulary.tokens.tokens, /*remembered=*/0);
  const std::size_t words = (vocabulary.tokens.tokens.size() + 63) / 64;
  std::size_t n = 0;
  for (const std::string& program : testing::dsl_programs()) {
    const bool compare = n++ % 8 == 0;
    std::string source;
    dsl::BeginningReader reader, second;
    for (const std::int32_t token : vocabulary.tokenizer->encode(program)) {
      policy::TokenMask kept(words);
      remembers.add_allowed(source, kept, reader);
      const std::string& bytes = vocabulary.tokens.tokens[static_cast<std::size_t>(token)];
      ASSERT_TRUE(policy::has_token(kept, static_cast<std::size_t>(token))) << source << "|" << bytes << "|";
      if (compare) {
        policy::TokenMask afresh(words);
        forgets.add_allowed(source, afresh, second);
        ASSERT_EQ(kept, afresh) << source << "|";
      }
      source += bytes;
    }
  }
}

// The vocabulary has "_," and "_)": they end such a name, as in the programs that a model learns from.
TEST(GrammarTokens, ANameMayEndInATokenWithWhatFollowsIt) {
  const Vocabulary& vocabulary = smollm2();
  const std::string program =
      "```dsl\nkernel k(x: half[N], x2: half[N]) -> y: bool[N]:\n  for t in cores(tiles(N)):\n    x_ = load x[t]\n"
      "    x2_ = load x2[t]\n    a = max(abs(x_), x2_)\n    store y[t] = where(a < x2_, 1, 0)\n```";
  const auto walk = make_dsl_grammar(vocabulary.tokens)->begin();
  std::string source;
  int joined = 0, left = 300;
  for (const std::int32_t token : vocabulary.tokenizer->encode(program)) {
    const std::string& bytes = vocabulary.tokens.tokens[static_cast<std::size_t>(token)];
    joined += bytes.size() > 1 && bytes[0] == '_';
    EXPECT_TRUE(policy::has_token(walk->allowed(left--), static_cast<std::size_t>(token)))
        << source << "|" << bytes << "|";
    walk->take(token);
    source += bytes;
  }
  EXPECT_GE(joined, 2) << "the tokenizer does not join them: the test says nothing";
}

bool has_sign(const std::string& bytes) {
  const std::string rest = bytes.substr(bytes.starts_with(' ') ? 1 : 0);
  return std::any_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
}

// A word with which a statement, a loop or a value begins, or a piece of one.
bool is_piece_of_language(const std::string& bytes) {
  const std::string word = bytes.substr(bytes.starts_with(' ') ? 1 : 0);
  if (word.empty()) return false;
  const auto begins = [&](const std::string& name) { return name.starts_with(word); };
  for (const char* name :
       {"for", "in", "cores", "tiles",   "range", "tensors", "if",  "elif", "else", "store", "load", "pad",
        "ub",  "l1", "l0c",   "scratch", "tile",  "barrier", "inf", "not",  "and",  "or",    "gemm"})
    if (begins(name)) return true;
  const std::vector<std::string>& functions = dsl::called_names();
  return std::any_of(functions.begin(), functions.end(), begins);
}

// One of the allowed tokens: any, one with a sign, or one of the language's own words, all three as often. Of all
// alike, nearly every one would be a name.
std::int32_t draw(const policy::TokenMask& mask, const std::vector<std::string>& tokens, Philox& random) {
  static const std::vector<char> kinds = [&] {
    std::vector<char> made;
    for (const std::string& bytes : tokens) made.push_back(has_sign(bytes) ? 1 : is_piece_of_language(bytes) ? 2 : 0);
    return made;
  }();
  std::vector<std::int32_t> all, of_kind[3];
  for (std::size_t token = 0; token < tokens.size(); ++token) {
    if (!policy::has_token(mask, token)) continue;
    all.push_back(static_cast<std::int32_t>(token));
    of_kind[static_cast<std::size_t>(kinds[token])].push_back(all.back());
  }
  if (all.empty()) return -1;
  const auto& wanted = of_kind[random.next_below(3)];
  const auto& from = wanted.empty() ? all : wanted;
  return from[random.next_below(from.size())];
}

// An answer of at most `left` tokens: `given`, then what is drawn of what is allowed.
std::string drawn_answer(policy::TokenGrammar::Walk& walk, int left, Philox& random,
                         const std::vector<std::int32_t>& given = {}) {
  const policy::GrammarVocabulary& words = smollm2().tokens;
  std::string text;
  std::int32_t token = -1;
  for (std::size_t step = 0; left > 0 && token != words.ends[0]; --left, ++step) {
    const policy::TokenMask& allowed = walk.allowed(left);
    token = step < given.size() ? given[step] : draw(allowed, words.tokens, random);
    if (token < 0) {
      ADD_FAILURE() << "nothing may follow " << text;
      return text;
    }
    walk.take(token);
    text += words.tokens[static_cast<std::size_t>(token)];
  }
  EXPECT_EQ(token, words.ends[0]) << "did not end: " << text;
  return text;
}

// What is wrong with the program that an answer holds; empty: nothing.
std::string fault_of(const std::string& answer) {
  const std::size_t begin = answer.find("```dsl\n"), end = answer.rfind("```");
  if (begin >= end) return "ended as no program";
  try {
    dsl::parse(answer.substr(begin + 7, end - begin - 7));
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
  return "";
}

// Three answers of four begin in a kernel's body. Whatever is drawn, there is always a token, the answer ends in time,
// and what it holds parses. KG_GRAMMAR_WALKS: how many answers; KG_GRAMMAR_FIRST: the seed of the first.
TEST(GrammarTokens, EveryAnswerEndsInAProgramWithinItsTokens) {
  const auto number = [](const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
  };
  const auto grammar = make_dsl_grammar(smollm2().tokens);
  const int first = number("KG_GRAMMAR_FIRST", 1), walks = number("KG_GRAMMAR_WALKS", 10);
  const std::vector<std::int32_t> given =
      smollm2().tokenizer->encode("```dsl\nkernel k(x: half[R, N], n: int32[R]) -> z: half[R, N]:\n  ");
  int wrong = 0;
  for (int seed = first; seed < first + walks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Philox random(static_cast<std::uint64_t>(seed), 0);
    const std::string text =
        drawn_answer(*grammar->begin(), 256, random, seed % 4 != 0 ? given : std::vector<std::int32_t>());
    const std::string fault = fault_of(text);
    if (fault.empty()) continue;
    ADD_FAILURE() << fault << "\n" << text;
    if (++wrong == 10) break;
  }
}

// What is kept for the end is what the end takes in tokens, not in bytes: an answer with many parameters may go on to
// its own end, with little room behind it.
TEST(GrammarTokens, LittleRoomIsKeptForTheEndOfAProgramWithManyParameters) {
  const Vocabulary& vocabulary = smollm2();
  proto::GenerateRequest request;
  proto::TaskTensors& asked = *request.add_cases();
  const auto add = [&](const char* name, proto::DType dtype, std::vector<std::int64_t> shape, bool output) {
    proto::TensorSpec& spec = output ? *asked.add_outputs() : *asked.add_inputs();
    spec.set_name(name);
    spec.set_dtype(dtype);
    for (const std::int64_t extent : shape) spec.add_shape(extent);
  };
  for (const char* name : {"hidden", "residual"}) add(name, proto::FLOAT16, {128, 256}, false);
  for (const char* name : {"scale", "shift"}) add(name, proto::FLOAT16, {256}, false);
  for (const char* name : {"normed", "summed"}) add(name, proto::FLOAT16, {128, 256}, true);
  for (const char* name : {"average", "inverse"}) add(name, proto::FLOAT32, {128, 1}, true);
  const std::string program =
      "kernel custom_op(hidden: half[R, C], residual: half[R, C], scale: half[C], shift: half[C]) -> "
      "(normed: half[R, C], summed: half[R, C], average: float[R, 1], inverse: float[R, 1]):\n"
      "  scale_ = load scale[:]\n  shift_ = load shift[:]\n  for r in cores(R):\n"
      "    hidden_ = load hidden[r, :]\n    residual_ = load residual[r, :]\n    a = hidden_ + residual_\n"
      "    u = mean(a)\n    v = a - u\n    w = rsqrt(mean(v * v) + 1e-5)\n    x = v * w * scale_ + shift_\n"
      "    store normed[r, :] = x\n    store summed[r, :] = a\n    store average[r, 0] = u\n"
      "    store inverse[r, 0] = w\n";
  const std::vector<std::int32_t> answer = vocabulary.tokenizer->encode("```dsl\n" + program + "```");
  const auto walk = make_task_grammar(vocabulary.tokens)->for_request(request)->begin();
  constexpr int kRoom = 110;
  int left = static_cast<int>(answer.size()) + kRoom;
  std::string text;
  for (const std::int32_t token : answer) {
    const std::string& bytes = vocabulary.tokens.tokens[static_cast<std::size_t>(token)];
    ASSERT_TRUE(policy::has_token(walk->allowed(left--), static_cast<std::size_t>(token)))
        << text << "|" << bytes << "|";
    walk->take(token);
    text += bytes;
  }
  // And whatever is drawn, all is stored before the tokens run out.
  Philox random(3, 0);
  for (const int room : {200, 260, 330}) {
    const std::string made =
        drawn_answer(*make_task_grammar(vocabulary.tokens)->for_request(request)->begin(), room, random);
    EXPECT_EQ(fault_of(made), "") << made;
  }
}

}  // namespace
}  // namespace kg::grammar
