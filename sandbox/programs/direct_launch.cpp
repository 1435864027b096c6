#include "sandbox/programs/direct_launch.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "sandbox/programs/launch_macros.h"
#include "sandbox/programs/source_text.h"

namespace kg::sandbox {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& hint) { throw Error(what, "kernel.cpp", hint); }

// The source with comments and literals blanked, place by place, so that brackets and launches in them do not count.
std::string blanked(const std::string& source) {
  std::string text = source;
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < text.size(); ++i)
      if (text[i] != '\n') text[i] = ' ';
    return std::min(end, text.size());
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0)
      i = blank(i, std::min(text.find('\n', i), text.size()));
    else if (text.compare(i, 2, "/*") == 0)
      i = blank(i, std::min(text.find("*/", i), text.size() - 2) + 2);
    else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      i = blank(i + 1, end) + 1;
    } else
      ++i;
  }
  return text;
}

// The start of the kernel's name before a launch: identifiers, ::, ## in a macro, and template arguments.
std::size_t name_begin(const std::string& text, std::size_t launch) {
  std::size_t at = skip_spaces_back(text, launch);
  if (at > 0 && text[at - 1] == '>') {
    int depth = 0;
    do {
      --at;
      depth += text[at] == '>' ? 1 : text[at] == '<' ? -1 : 0;
    } while (at > 0 && depth > 0);
  }
  while (at > 0 && (is_word(text[at - 1]) || text[at - 1] == ':' || text[at - 1] == '#')) --at;
  return at;
}

std::size_t opening(const std::string& text, std::size_t closing, char open, char close) {
  int depth = 0;
  for (std::size_t i = closing + 1; i-- > 0;) {
    depth += text[i] == close ? 1 : text[i] == open ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string::npos;
}

// Blocks around a place, from the inside: the names of the namespaces among them, and the innermost function.
struct Around {
  std::string function;                  // empty: none
  std::string spaces;                    // "a::b::" of the namespaces that hold it
  std::size_t body = std::string::npos;  // where the function's opening brace is
};

// The text before an opening brace: "void launch(int n)", "namespace a::b".
void look_at_block(const std::string& text, std::size_t brace, Around& around) {
  const std::size_t end = skip_spaces_back(text, brace);
  const auto word_before = [&](std::size_t stop) {
    std::size_t begin = stop;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == ':')) --begin;
    return text.substr(begin, stop - begin);
  };
  if (end > 0 && text[end - 1] == ')' && around.function.empty()) {
    const std::size_t open = opening(text, end - 1, '(', ')');
    if (open == std::string::npos) return;
    const std::string name = word_before(skip_spaces_back(text, open));
    static const std::vector<std::string> kWords = {"if", "for", "while", "switch", "catch", "constexpr", ""};
    if (std::find(kWords.begin(), kWords.end(), name) == kWords.end()) {
      around.function = name;
      around.body = brace;
    }
    return;
  }
  const std::string name = word_before(end);
  const std::size_t before = skip_spaces_back(text, end - name.size());
  if (!name.empty() && name != "namespace" && word_before(before) == "namespace")
    around.spaces = name + "::" + around.spaces;
}

// Of the text from `from` on.
Around blocks_around(const std::string& text, std::size_t place, std::size_t from) {
  Around around;
  int depth = 0;
  for (std::size_t i = place; i-- > from;) {
    if (text[i] == '}') ++depth;
    if (text[i] != '{' || depth-- > 0) continue;
    depth = 0;
    look_at_block(text, i, around);
  }
  return around;
}

void blank_lines(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] != '\n' && text[i] != '\r' && !continues_line(text, i)) text[i] = ' ';
}

std::vector<std::size_t> launches_from_the_last(const std::string& text) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find("<<<"); at != std::string::npos; at = text.find("<<<", at + 1)) places.push_back(at);
  std::reverse(places.begin(), places.end());
  return places;
}

std::size_t closing(const std::string& text, std::size_t opening) {
  int depth = 0;
  for (std::size_t i = opening; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i;
  }
  return text.size();
}

// A host function defined outside of any other.
struct HostFunction {
  std::string name;                      // with its namespaces; empty: there is none
  std::size_t body = std::string::npos;  // its opening brace
};

HostFunction defined_function(const std::string& text, const std::string& name, std::size_t from = 0) {
  for (std::size_t at = text.find(name, from); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size(), open = skip_spaces(text, end);
    if ((at > 0 && is_word(text[at - 1])) || open >= text.size() || text[open] != '(') continue;
    const std::size_t body = skip_spaces(text, closing(text, open) + 1);
    if (body >= text.size() || text[body] != '{') continue;
    const std::size_t before = text.find_last_of(";{}", at);
    const std::string head = text.substr(before == std::string::npos ? 0 : before, at - before);
    const Around around = blocks_around(text, at, 0);
    if (head.find("__aicore__") == std::string::npos && head.find("[aicore]") == std::string::npos &&
        around.function.empty())
      return {around.spaces + name, body};
  }
  return {};
}

std::size_t block_end(const std::string& text, std::size_t brace) {
  int depth = 0;
  for (std::size_t i = brace; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return i;
  }
  return text.size();
}

// main() makes its own data by the runtime's functions, and nothing calls it.
std::string without_body_of_main(std::string source) {
  const std::string text = blanked(source);
  // Several, under #if.
  for (std::size_t body = defined_function(text, "main").body; body != std::string::npos;
       body = defined_function(text, "main", body).body)
    blank_lines(source, body + 1, block_end(text, body));
  return source;
}

// The function that holds the last launch of a kernel, or a launch and is called like the entry point; "?": none holds
// it; empty: nothing launches it.
std::string host_function_of(const std::string& text, const std::string& entry_point) {
  for (const std::size_t at : launches_from_the_last(text)) {
    const std::string kernel = text.substr(name_begin(text, at), at - name_begin(text, at));
    const std::string plain = kernel.substr(0, skip_spaces_back(kernel, std::min(kernel.find('<'), kernel.size())));
    const Around around = blocks_around(text, at, 0);
    if (around.function == entry_point || plain == entry_point || plain.ends_with("::" + entry_point))
      return around.function.empty() ? "?" : around.spaces + around.function;
  }
  return defined_function(text, entry_point).name;
}

// The pieces of a list at its commas outside of brackets.
std::vector<std::string> pieces(const std::string& text, std::size_t begin, std::size_t end) {
  std::vector<std::string> found(1);
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    depth += std::strchr("([{<", text[i]) != nullptr ? 1 : std::strchr(")]}>", text[i]) != nullptr ? -1 : 0;
    if (text[i] == ',' && depth == 0)
      found.emplace_back();
    else
      found.back() += text[i];
  }
  return found;
}

std::string last_word(const std::string& text) {
  const std::size_t end = skip_spaces_back(text, text.size());
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Whether a launch of the text takes the word as its control or stream.
bool is_launched_with(const std::string& text, const std::string& word) {
  for (const std::size_t at : launches_from_the_last(text)) {
    const std::vector<std::string> given = pieces(text, at + 3, std::min(text.find(">>>", at), text.size()));
    for (std::size_t i = 1; i < given.size(); ++i)
      if (last_word(given[i]) == word) return true;
  }
  return false;
}

// A bit for each parameter of the host function that is a launch's control or stream, which a void* does not tell from
// data. 0: the text does not say.
std::uint64_t stream_parameters(const std::string& text, const std::string& host) {
  const std::size_t body = defined_function(text, host.substr(host.rfind(':') + 1)).body;
  if (body == std::string::npos) return 0;
  const std::size_t end = text.rfind(')', body), open = opening(text, end, '(', ')');
  const std::vector<std::string> parameters = pieces(text, open + 1, end);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < parameters.size() && i < 64; ++i) {
    const std::string name = last_word(parameters[i].substr(0, parameters[i].find('=')));
    if (parameters[i].find('*') == std::string::npos && parameters[i].find("tream") == std::string::npos) continue;
    if (name == "stream" || name == "l2ctrl" || is_launched_with(text, name)) found |= std::uint64_t{1} << i;
  }
  return found;
}

// The source with each launch as a call of KG_LAUNCH<kernel>. `text`: the source, blanked.
std::string with_calls_for_launches(std::string source, const std::string& text) {
  for (const std::size_t at : launches_from_the_last(text)) {
    const std::size_t begin = name_begin(text, at);
    const std::size_t end = text.find(">>>", at);
    if (begin == at || end == std::string::npos)
      fail("a launch <<<...>>> without a kernel or an end", "kernel<<<blocks, nullptr, stream>>>(...)");
    source.replace(end, std::strlen(">>>"), ")");
    source.replace(at, std::strlen("<<<"), ">(");
    source.insert(begin, "KG_LAUNCH<");
  }
  return source;
}

}  // namespace

std::string without_launchers(const std::string& source) {
  std::string result = source, text = blanked(source);
  for (std::size_t at = text.find("<<<"); at != std::string::npos; at = text.find("<<<", at + 1)) {
    const std::size_t macro = definition_around(text, at);
    const std::size_t body = blocks_around(text, at, macro == std::string::npos ? 0 : macro).body;
    if (body == std::string::npos) {
      if (macro != std::string::npos) blank_lines(result, replacement_begin(text, macro), definition_end(text, macro));
      continue;
    }
    blank_lines(result, body + 1, block_end(text, body));
  }
  return result;
}

bool launches_directly(const std::string& source) { return blanked(source).find("<<<") != std::string::npos; }

DirectLaunch read_direct_launch(const std::string& source, const std::string& entry_point) {
  const std::string kept = without_body_of_main(source), text = blanked(kept);
  const std::string expanded = with_launches_expanded(text);
  const std::string host = host_function_of(expanded, entry_point);
  if (host.empty() && host_function_of(with_launches_expanded(blanked(source)), entry_point) == "main")
    fail("main() cannot be judged: it makes its own data",
         "add a function that takes the block dimension, the stream and device addresses, and launches the kernel");
  if (host.empty())
    fail("no <<<...>>> launches " + entry_point, "name the kernel, or the function that launches it, " + entry_point);
  if (host == "?")
    fail("the launch of " + entry_point + " is outside of any function", "launch it from a host function");
  return {with_calls_for_launches(kept, text), host, stream_parameters(expanded, host)};
}

}  // namespace kg::sandbox
