#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "policy/text/tokenizer_spec.h"

namespace kg::policy {

// Splits text into the words within which BPE merges. Immutable, thread-safe.
class WordSplitter {
 public:
  explicit WordSplitter(TokenizerSpec::WordPattern pattern);
  ~WordSplitter();

  // Calls `word` for each word in order; together they are the whole text. Bytes that are not UTF-8 are words by
  // themselves.
  void split(std::string_view text, const std::function<void(std::string_view)>& word) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace kg::policy
