#include "dataset/store/answer.h"

#include <algorithm>

namespace kg::dataset {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kOpen = "<kernel_impl>";
constexpr std::string_view kClose = "</kernel_impl>";

bool is_kernel_language(std::string_view language, proto::SourceLanguage wanted) {
  if (wanted == proto::DSL) return language.empty() || language == "dsl";
  return language.empty() || language == "cpp" || language == "c++" || language == "c" || language == "cce";
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

struct Block {
  std::string_view body;
  bool found = false;
  bool open = false;  // a fence was opened and never closed
  bool other_language = false;
};

Block last_block(std::string_view text, proto::SourceLanguage wanted) {
  Block result;
  std::size_t at = 0;
  while ((at = text.find(kFence, at)) != std::string_view::npos) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) {
      result.open = true;
      break;
    }
    const std::string_view language = trimmed(text.substr(at + kFence.size(), line_end - at - kFence.size()));
    const std::size_t close = text.find(kFence, line_end);
    if (close == std::string_view::npos) {
      result.open = true;
      break;
    }
    if (is_kernel_language(language, wanted)) {
      result.body = text.substr(line_end + 1, close - line_end - 1);
      result.found = true;
    } else {
      result.other_language = true;
    }
    at = close + kFence.size();
  }
  return result;
}

}  // namespace

Answer extract_kernel(std::string_view text, proto::SourceLanguage wanted) {
  bool tagged = false;
  if (const auto open = text.rfind(kOpen); open != std::string_view::npos) {
    const std::size_t start = open + kOpen.size();
    const auto close = text.find(kClose, start);
    if (close == std::string_view::npos) return {.reason = "<kernel_impl> is not closed"};
    text = text.substr(start, close - start);
    tagged = true;
  }
  const Block block = last_block(text, wanted);
  // Between the tags the fences may be missing.
  const std::string_view body = block.found                                      ? block.body
                                : tagged && !block.open && !block.other_language ? text
                                                                                 : std::string_view{};
  if (const std::string_view source = trimmed(body); !source.empty()) return {.kernel = std::string(source) + "\n"};
  if (block.found || tagged) return {.reason = block.open ? "the code block is not closed" : "the code block is empty"};
  if (block.open) return {.reason = "the code block is not closed"};
  const bool dsl = wanted == proto::DSL;
  if (block.other_language)
    return {.reason = dsl ? "the code blocks are not in the DSL" : "the code blocks are not C++"};
  return {.reason = dsl ? "the answer has no ```dsl block" : "the answer has no ```cpp block"};
}

}  // namespace kg::dataset
