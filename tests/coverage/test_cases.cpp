#include "tests/coverage/test_cases.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/text.h"
#include "tests/coverage/table.h"

namespace kg::npu::coverage {
namespace {

namespace fs = std::filesystem;

std::size_t find_word(const std::string& text, const std::string& word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1]) || !is_word(word.front())) &&
        (end >= text.size() || !is_word(text[end]) || !is_word(word.back()) || word.back() == '_'))
      return at;
  }
  return std::string::npos;
}

std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string line, result = "\n";
  while (std::getline(lines, line)) result += line.substr(0, line.find("// ")) + "\n";
  return result;
}

// "a" "b" becomes "ab"; the two characters \n become a space.
std::string joined(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\n") == 0) {
      result += ' ';
      ++i;
    } else if (text[i] == '"') {
      std::size_t next = i + 1;
      while (next < text.size() && is_space(text[next])) ++next;
      const bool adjacent = next > i + 1 && next < text.size() && text[next] == '"';
      if (adjacent)
        i = next;
      else
        result += '"';
    } else {
      result += text[i];
    }
  }
  return result;
}

// Behind the bracket that closes the one at `open`, or the end.
std::size_t behind(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '{' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == '}' || text[i] == ']';
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// Behind template arguments that begin at `open`; `open` itself if this '<' compares.
std::size_t behind_template(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<')
      ++depth;
    else if (text[i] == '>' && --depth == 0)
      return i + 1;
    else if (!is_word(text[i]) && std::string(":,*&+- \n").find(text[i]) == std::string::npos && text[i] != '>')
      return open;
  }
  return open;
}

// The beginning of the next test or table.
std::size_t next_test(const std::string& text, std::size_t from) {
  std::size_t end = text.size();
  for (const char* start : {"\nTEST(", "\nTEST_F(", "\nTEST_P(", "\nINSTANTIATE_TEST_SUITE_P("})
    end = std::min(end, text.find(start, from));
  return end;
}

struct Extent {
  std::size_t begin = 0, end = 0;
  std::string name;
};

// The tests of the file, and the entries of its tables: Kernel{"Name", ...}.
std::vector<Extent> cases_of(const std::string& text) {
  std::vector<Extent> result;
  for (const char* start : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      const std::size_t open = text.find('(', at), close = text.find(')', open);
      std::string name;
      for (const char c : text.substr(open + 1, close - open - 1))
        if (!is_space(c)) name += c == ',' ? '.' : c;
      result.push_back({at, next_test(text, at + 1), name});
    }
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    if (at == 0 || !is_word(text[at - 1])) continue;
    std::size_t quote = at + 1;
    while (quote < text.size() && is_space(text[quote])) ++quote;
    if (quote >= text.size() || text[quote] != '"') continue;
    const std::size_t close = text.find('"', quote + 1);
    const std::string name = text.substr(quote + 1, close - quote - 1);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_word) || text[close + 1] != ',') continue;
    result.push_back({at, behind(text, at), name});
  }
  return result;
}

// Constants (kName) that a case names belong to it, and those that they name.
std::string with_constants(const std::string& file, std::string text) {
  std::set<std::string> seen;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != 'k' || (at > 0 && is_word(text[at - 1])) || at + 1 >= text.size() || !std::isupper(text[at + 1]))
      continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    if (!seen.insert(name).second) continue;
    for (const char* equals : {" = ", " =\n"})
      if (const std::size_t defined = find_word(file, name + equals); defined != std::string::npos) {
        const bool raw = file.compare(file.find_first_not_of(" =\n", defined + name.size()), 3, "R\"(") == 0;
        const std::size_t last = std::min(file.find(raw ? ")\";\n" : ";\n", defined), file.size());
        text += "\n" + file.substr(defined, last - defined);
      }
  }
  return text;
}

}  // namespace

bool has_word(const std::string& text, const std::string& word) { return find_word(text, word) != std::string::npos; }

std::set<std::size_t> argument_counts(const std::string& text, const std::string& name) {
  std::set<std::size_t> result;
  for (std::size_t at = find_word(text, name); at != std::string::npos; at = find_word(text, name, at + 1)) {
    std::size_t open = at + name.size();
    if (open < text.size() && text[open] == '<') open = behind_template(text, open);
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t end = behind(text, open) - 1;
    std::size_t count = 0;
    bool any = false;
    for (std::size_t i = open + 1; i < end; ++i) {
      if (text[i] == '(' || text[i] == '{' || text[i] == '[')
        i = behind(text, i) - 1;
      else if (text[i] == '<' && is_word(text[i - 1]))
        i = std::max(i, behind_template(text, i) - 1);
      else if (text[i] == ',')
        ++count;
      any = any || !is_space(text[i]);
    }
    result.insert(any ? count + 1 : 0);
  }
  return result;
}

TestSources::TestSources(const fs::path& source) {
  for (const auto& entry : fs::recursive_directory_iterator(source / "tests"))
    if (entry.is_regular_file() && entry.path().extension() == ".cpp" &&
        (entry.path().stem().string().find("_test") != std::string::npos ||
         entry.path().stem().string().find("_cases") != std::string::npos))
      files_[entry.path().stem().string()] = joined(without_comments(text_of(entry.path())));
}

std::string TestSources::text_of_case(const std::string& file, const std::string& name) const {
  const auto it = files_.find(file);
  if (it == files_.end()) return {};
  for (const Extent& extent : cases_of(it->second))
    if (extent.name == name)
      return with_constants(it->second, it->second.substr(extent.begin, extent.end - extent.begin));
  return {};
}

std::vector<TestSources::Case> TestSources::all_cases() const {
  std::vector<Case> result;
  for (const auto& [file, text] : files_) {
    if (file.find("ascendc") == std::string::npos) continue;
    // These only compile.
    if (file.find("compile") != std::string::npos || file.find("language") != std::string::npos ||
        file.find("strict") != std::string::npos)
      continue;
    for (const Extent& extent : cases_of(text))
      result.push_back({file, extent.name, with_constants(text, text.substr(extent.begin, extent.end - extent.begin))});
  }
  return result;
}

}  // namespace kg::npu::coverage
