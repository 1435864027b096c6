#include "policy/text/word_splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string>

#include "base/check.h"

namespace kg::policy {
namespace {

// White space as Unicode defines it. PCRE2's own \s differs (it takes U+180E in).
#define KG_SPACE \
  "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"

// The words of GPT-2: a contraction; letters, numbers or other signs with at most one space before them; white space,
// which leaves its last character to a word that follows.
constexpr const char* kGpt2 = "'(?:[stmd]|re|ve|ll)| ?\\p{L}+| ?\\p{N}+| ?[^" KG_SPACE "\\p{L}\\p{N}]+|[" KG_SPACE
                              "]+(?![^" KG_SPACE "])|[" KG_SPACE "]+";
// SmolLM cuts numbers out first, one character each, and then applies the GPT-2 words to the pieces; so a number ends a
// run of white space like the end of the text does.
constexpr const char* kSmolLm = "'(?:[stmd]|re|ve|ll)| ?\\p{L}+|\\p{N}| ?[^" KG_SPACE "\\p{L}\\p{N}]+|[" KG_SPACE
                                "]+(?![^" KG_SPACE "\\p{N}])|[" KG_SPACE "]+";

// Contractions in either case; letters with at most one other sign before them; numbers, up to a maximum length;
// other signs with at most one space before them and the line breaks after them; white space up to its last line
// break, or else all but its last character, which belongs to the following word.
#define KG_MODERN(digits)                                                               \
  "(?i:'[st]|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "| ?[^" KG_SPACE \
  "\\p{L}\\p{N}]+[\\r\\n]*|[" KG_SPACE "]*[\\r\\n]+|[" KG_SPACE "]+(?![^" KG_SPACE "])|[" KG_SPACE "]+"
constexpr const char* kLlama3 = KG_MODERN("\\p{N}{1,3}");
constexpr const char* kQwen = KG_MODERN("\\p{N}");

const char* pattern_text(TokenizerSpec::WordPattern pattern) {
  switch (pattern) {
    case TokenizerSpec::WordPattern::kSmolLm:
      return kSmolLm;
    case TokenizerSpec::WordPattern::kGpt2:
      return kGpt2;
    case TokenizerSpec::WordPattern::kLlama3:
      return kLlama3;
    case TokenizerSpec::WordPattern::kQwen:
      return kQwen;
  }
  KG_CHECK(false);
  return nullptr;
}

}  // namespace

struct WordSplitter::Compiled {
  pcre2_code* code = nullptr;
};

WordSplitter::WordSplitter(TokenizerSpec::WordPattern pattern) : compiled_(std::make_unique<Compiled>()) {
  const char* text = pattern_text(pattern);
  int error = 0;
  PCRE2_SIZE offset = 0;
  compiled_->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text), PCRE2_ZERO_TERMINATED,
                                  PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &error, &offset, nullptr);
  KG_CHECK(compiled_->code != nullptr);
  pcre2_jit_compile(compiled_->code, PCRE2_JIT_COMPLETE);  // without a JIT, matching interprets
}

WordSplitter::~WordSplitter() { pcre2_code_free(compiled_->code); }

void WordSplitter::split(std::string_view text, const std::function<void(std::string_view)>& word) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(pcre2_match_data_create(1, nullptr),
                                                                                  &pcre2_match_data_free);
  const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match.get());
  std::size_t position = 0;
  while (position < text.size()) {
    const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), position,
                                  /*options=*/0, match.get(), nullptr);
    KG_CHECK(found > 0 || found == PCRE2_ERROR_NOMATCH);
    const std::size_t begin = found > 0 ? range[0] : text.size(), end = found > 0 ? range[1] : text.size();
    if (begin > position) word(text.substr(position, begin - position));  // no UTF-8
    if (end > begin) word(text.substr(begin, end - begin));
    position = end;
  }
}

}  // namespace kg::policy
