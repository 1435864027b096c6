#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "dsl/parser.h"
#include "grammar/dsl_grammar.h"
#include "grammar/program_tokens.h"

namespace kg::grammar {
namespace {

constexpr const char* kProgram =
    "kernel softmax(x: half[R, C], y: float[C]) -> z: half[R, C]:\n"
    "  w = load y[:]\n"
    "  for r in cores(R):\n"
    "    a = load x[r, :]\n"
    "    e = exp(a - max(a)) * w\n"
    "    if r > 1:\n"
    "      e = clamp(e, -1e-5, 2.5)\n"
    "    store z[r, :] = e / sum(e)\n";

// The word before a parenthesis decides what may stand in it.
constexpr const char* kLoops =
    "kernel k(x: half[..]*, y: float[C]?) -> z: half[..]*:\n"
    "  for l in tensors(x):\n"
    "    if given(y):\n"
    "      for u, v in cores(2, num_programs):\n"
    "        for t in tiles(size(x[l]), 64):\n"
    "          for i in range(3):\n"
    "            store z[l, t] = load x[l, t]\n";

// Bytes, pieces of words as a tokenizer has them, and runs of signs; token 0 ends an answer.
policy::GrammarVocabulary vocabulary() {
  policy::GrammarVocabulary made{.tokens = {""}, .ends = {0}};
  for (int byte = 1; byte < 256; ++byte) made.tokens.push_back(std::string(1, static_cast<char>(byte)));
  for (const char* token :
       {"kernel", " kernel", "ker",   "load",   " load",  " store", "store",  "for",    " for",  " in",  " cores",
        "cores",  "tiles",   "exp",   " exp",   " sum",   "sum",    "max",    " max",   "clamp", "half", " half",
        " float", "float",   "half[", " ->",    " =",     " +",     "+=",     "):",     "):\n",  ":\n",  "](",
        "])",     "],",      ", ",    "  ",     "    ",   "\n  ",   "\n    ", "\n\n",   "ab",    " x",   " y",
        " z",     "()",      "((",    "(-",     " range", "range",  "12",     " 12",    "->",    "**",   "```",
        "```dsl", "dsl",     "dsl\n", "words ", "a (b",   " e",     "soft",   "softmax"})
    made.tokens.emplace_back(token);
  return made;
}

bool allowed(const policy::TokenMask& mask, std::size_t token) { return policy::has_token(mask, token); }

// The two ways: words by what the parser asks for, and every token tried on the parser itself.
TEST(Grammar, AllowedTokensAreThoseThatTheParserTakes) {
  const policy::GrammarVocabulary words = vocabulary();
  const ProgramTokens program(words.tokens);
  for (const std::string whole : {kProgram, kLoops})
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      const std::string text = whole.substr(0, size);
      policy::TokenMask mask((words.tokens.size() + 63) / 64);
      dsl::BeginningReader reader;
      program.add_allowed(text, mask, reader);
      for (std::size_t token = 1; token < words.tokens.size(); ++token) {
        const std::string& bytes = words.tokens[token];
        if (bytes.find('`') != std::string::npos) continue;  // the block's end, not the program's
        if (bytes == "_" && size > 0 && std::string_view("0123456789.").find(whole[size - 1]) != std::string_view::npos)
          continue;  // 1_000 is not drawn
        const std::string longer = text + bytes;
        const bool line_start = dsl::read_beginning(longer).text.line_start;
        const bool twice = !line_start && longer.find("  ", text.empty() ? 0 : text.size() - 1) != std::string::npos &&
                           !dsl::read_beginning(text).text.line_start;
        if (twice) continue;  // a second space is not drawn
        EXPECT_EQ(allowed(mask, token), dsl::read_beginning(longer).right) << text << "|" << bytes << "|";
        if (HasFailure()) return;
      }
    }
}

TEST(Grammar, AnAnswerThatIsRightIsNotStopped) {
  const policy::GrammarVocabulary words = vocabulary();
  const auto grammar = make_dsl_grammar(words);
  const std::string answer = std::string("y is e / sum.\n```dsl\n") + kProgram + "```";
  const auto walk = grammar->begin();
  int left = 2000;
  for (const char c : answer) {
    ASSERT_TRUE(allowed(walk->allowed(left--), static_cast<unsigned char>(c))) << "'" << c << "'";
    walk->take(static_cast<unsigned char>(c));
  }
  EXPECT_TRUE(allowed(walk->allowed(left), 0));
  EXPECT_FALSE(allowed(walk->allowed(left), 'a'));
}

// Whatever is drawn: there is always a token, the answer ends in time, and what it holds parses.
TEST(Grammar, EveryWalkEndsInAProgramWithinItsTokens) {
  const policy::GrammarVocabulary words = vocabulary();
  const auto grammar = make_dsl_grammar(words);
  Philox random(21, 0);
  for (int n = 0; n < 30; ++n) {
    const auto walk = grammar->begin();
    std::string text;
    bool ended = false;
    for (int left = 120 + 40 * (n % 6); left > 0 && !ended; --left) {
      const policy::TokenMask& mask = walk->allowed(left);
      std::vector<std::int32_t> there;
      for (std::size_t token = 0; token < words.tokens.size(); ++token)
        if (allowed(mask, token)) there.push_back(static_cast<std::int32_t>(token));
      ASSERT_FALSE(there.empty()) << text;
      const std::int32_t token = there[random.next_below(there.size())];
      walk->take(token);
      text += words.tokens[static_cast<std::size_t>(token)];
      ended = token == 0;
    }
    ASSERT_TRUE(ended) << text;
    const std::size_t begin = text.find("```dsl\n"), end = text.rfind("```");
    ASSERT_LT(begin, end) << text;
    EXPECT_NO_THROW(dsl::parse(text.substr(begin + 7, end - begin - 7))) << text;
  }
}

}  // namespace
}  // namespace kg::grammar
