#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "policy/text/tokenizer_spec.h"

namespace kg::policy {

// Cuts text into the words that BPE merges within. Immutable, thread-safe.
class WordSplitter {
 public:
  explicit WordSplitter(TokenizerSpec::WordPattern pattern);
  ~WordSplitter();

  // Calls `word` for each word in order; together they are the whole text. Bytes that are no UTF-8 are words of their
  // own.
  void split(std::string_view text, const std::function<void(std::string_view)>& word) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace kg::policy
