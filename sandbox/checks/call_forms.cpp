#include "sandbox/checks/call_forms.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"

namespace kg::sandbox {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), is_space).base();
  std::string result;
  for (auto it = begin; it != end; ++it)
    if (!is_space(*it) || !is_space(it[-1])) result += is_space(*it) ? ' ' : *it;
  return result;
}

// Comments gone, continued lines joined.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    } else if (text.compare(i, 2, "\\\n") == 0) {
      result += ' ';
      i += 2;
    } else {
      result += text[i++];
    }
  }
  return result;
}

// The position after the bracket that closes the one at `open`.
std::size_t behind(const std::string& text, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == opening ? 1 : text[i] == closing ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

std::optional<CallForm::Parameter> parameter(std::string text) {
  if (text.find("KG_WHERE") != std::string::npos || text.find("::kgnpu::Where") != std::string::npos)
    return std::nullopt;
  CallForm::Parameter result;
  if (const std::size_t equals = text.find(" = "); equals != std::string::npos) {
    result.optional = true;
    text.resize(equals);
  }
  text = trimmed(text);
  std::size_t end = text.size();
  if (const std::size_t open = text.find('['); open != std::string::npos && text.ends_with(']')) end = open;
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  const bool named = begin > 0 && text.find_first_of(" &*") != std::string::npos && text[begin - 1] != ':' &&
                     text[begin - 1] != '<' && text.substr(0, begin).find_first_not_of(" ") != std::string::npos &&
                     trimmed(text.substr(0, begin)) != "const";
  result.name = named ? text.substr(begin, end - begin) : std::string();
  result.type = named ? trimmed(text.substr(0, begin)) + text.substr(end) : text;
  return result;
}

class Reader {
 public:
  Reader(CallForms& forms, std::string header) : forms_(forms), header_(std::move(header)) {}

  void read(const std::string& file_text) {
    std::string rest;
    const std::string text = plain(file_text);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (const std::string start = trimmed(line); !start.starts_with("#"))
        rest += line + '\n';
      else if (start.starts_with("#define KG_"))
        define(start.substr(8));
    }
    scope(without_rows(rest), {});
    space_ = rest.find("namespace AscendC {") == std::string::npos ? "" : "AscendC";  // for all tables
    rows(rest);
  }

 private:
  struct Macro {
    std::vector<std::string> parameters;
    std::string body;
  };

  void define(const std::string& text) {
    const std::size_t open = text.find_first_of("( ");
    if (open == std::string::npos || text[open] != '(') return;
    const std::size_t end = behind(text, open, '(', ')');
    macros_[text.substr(0, open)] = {split(text.substr(open + 1, end - open - 2)), text.substr(end)};
  }

  // For a table of functions, or of rows of another table.
  static bool is_row(const Macro& macro) {
    return macro.body.find('{') != std::string::npos || macro.body.find("KG_") != std::string::npos;
  }

  // A row KG_X(Name, types...) stands for the functions of the macro's body.
  void rows(const std::string& text) {
    for (const auto& [name, macro] : macros_) {
      if (!is_row(macro)) continue;
      for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1)) {
        if (at > 0 && is_word(text[at - 1])) continue;
        const std::size_t open = at + name.size();
        const std::vector<std::string> given = split(text.substr(open + 1, behind(text, open, '(', ')') - open - 2));
        const std::string row = expanded(macro, given);
        if (row.find('{') != std::string::npos)
          scope(row, {});
        else
          rows(row);
      }
    }
  }

  // The rest of a header without the tables' rows, which have no semicolons and would join the next declaration.
  std::string without_rows(std::string text) const {
    for (const auto& [name, macro] : macros_) {
      if (!is_row(macro)) continue;
      for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at))
        if (at > 0 && is_word(text[at - 1]))
          ++at;
        else
          text.erase(at, behind(text, at + name.size(), '(', ')') - at);
    }
    return text;
  }

  static std::string expanded(const Macro& macro, const std::vector<std::string>& given) {
    std::string result;
    for (std::size_t i = 0; i < macro.body.size();) {
      if (macro.body.compare(i, 2, "##") == 0) {  // joins the words around it
        i += 2;
        continue;
      }
      if (!is_word(macro.body[i])) {
        result += macro.body[i++];
        continue;
      }
      std::size_t end = i;
      while (end < macro.body.size() && is_word(macro.body[end])) ++end;
      std::string word = macro.body.substr(i, end - i);
      for (std::size_t p = 0; p < macro.parameters.size() && p < given.size(); ++p)
        if (word == macro.parameters[p]) word = given[p];
      if (word == "__VA_ARGS__") {
        word.clear();
        for (std::size_t p = macro.parameters.size() - 1; p < given.size(); ++p)
          word += (word.empty() ? "" : ", ") + given[p];
      }
      result += word;
      i = end;
    }
    return result;
  }

  // Walks over declarations: enters namespaces and classes, records functions, skips everything else.
  void scope(const std::string& text, const std::string& owner) {
    std::size_t head = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ';') {
        record(text.substr(head, i - head), "", owner);
        head = i + 1;
      } else if (text[i] == '}') {
        head = i + 1;
      } else if (text[i] == '(') {
        i = behind(text, i, '(', ')') - 1;
      } else if (text[i] == '{') {
        const std::size_t end = behind(text, i, '{', '}');
        block(trimmed(text.substr(head, i - head)), text.substr(i + 1, end - i - 2), owner);
        i = end - 1;
        head = end;
      }
    }
  }

  void block(const std::string& start, const std::string& body, const std::string& owner) {
    std::string head = start;
    if (head.starts_with("template")) {
      const std::size_t open = head.find('<');
      head = trimmed(head.substr(open == std::string::npos ? 8 : behind(head, open, '<', '>')));
    }
    if (head.starts_with("namespace")) {
      if (head.find("kg") != std::string::npos || head == "namespace std") return;
      const std::string around = std::exchange(space_, head.substr(head.find_last_of(" :") + 1));
      scope(body, owner);
      space_ = around;
    } else if (head.starts_with("extern \"C\"")) {
      return;
    } else if ((head.starts_with("class ") || head.starts_with("struct ")) && head.find('(') == std::string::npos) {
      std::string name = head.substr(head.find(' ') + 1);
      name = name.substr(0, name.find_first_of(" :<"));
      std::string visible = head.starts_with("struct ") ? body : "";
      if (visible.empty())
        if (const std::size_t at = body.find("public:"); at != std::string::npos) visible = body.substr(at + 7);
      if (const std::size_t hidden = visible.find("private:"); hidden != std::string::npos) visible.resize(hidden);
      if (!name.starts_with("kg")) scope(visible, name);
    } else {
      record(start, body, owner);
    }
  }

  void record(const std::string& declaration, const std::string& body, const std::string& owner) {
    const std::string head = trimmed(declaration);
    CallForm form{.owner = owner, .header = header_};
    std::size_t begin = 0;
    if (head.starts_with("template")) {
      const std::size_t open = head.find('<');
      if (open == std::string::npos) return;
      begin = behind(head, open, '<', '>');
      form.template_parameters = trimmed(head.substr(open + 1, begin - open - 2));
      for (const std::string comma = " KG_COMMA"; form.template_parameters.find(comma) != std::string::npos;)
        form.template_parameters.replace(form.template_parameters.find(comma), comma.size(), ",");
    }
    const std::size_t open = head.find('(', begin);
    if (open == std::string::npos || head.find("operator") != std::string::npos) return;
    std::size_t name_begin = open;
    while (name_begin > begin && is_word(head[name_begin - 1])) --name_begin;
    const std::string name = head.substr(name_begin, open - name_begin);
    const std::string before = trimmed(head.substr(begin, name_begin - begin));
    if (name.empty() || before.empty() || before.back() == '~' || before.back() == '.' || before.back() == ':' ||
        before.find('=') != std::string::npos || before.starts_with("using") || before.starts_with("static_assert") ||
        before.starts_with("return") || before.starts_with("friend") || name == owner || name.starts_with("kg") ||
        name.starts_with("KG_") || name == "static_assert" || name == "__attribute__")
      return;
    form.space = space_;
    form.returns = before;
    for (const char* word : {"inline ", "constexpr ", "static "})
      if (const std::size_t at = form.returns.find(word); at != std::string::npos)
        form.returns.erase(at, std::string(word).size());
    for (const std::string& part : split(head.substr(open + 1, behind(head, open, '(', ')') - open - 2)))
      if (auto found = parameter(part))
        form.parameters.push_back(*found);
      else
        form.has_line = true;
    takes(body, form);
    forms_.emplace(name, form);
  }

  static void takes(const std::string& body, CallForm& form) {
    const std::size_t at = body.find("KG_TAKES(");
    if (at == std::string::npos) return;
    const std::size_t open = at + 8;
    const std::vector<std::string> parts = split(body.substr(open + 1, behind(body, open, '(', ')') - open - 2));
    if (parts.size() < 3) return;
    form.type_parameter = parts[1];
    form.types.assign(parts.begin() + 2, parts.end());
  }

  CallForms& forms_;
  std::string header_;
  std::string space_;
  std::map<std::string, Macro> macros_;
};

}  // namespace

std::size_t CallForm::least() const {
  return static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return !p.optional; }));
}

bool CallForm::needs_template_arguments() const {
  for (const std::string& part : split(template_parameters)) {
    const std::size_t space = part.rfind(' ');
    const std::string word = part.substr(space == std::string::npos ? 0 : space + 1);
    if (part.find('=') == std::string::npos &&
        std::none_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& p) { return p.type.find(word) != std::string::npos; }))
      return true;
  }
  return false;
}

std::string CallForm::text(const std::string& name) const {
  std::string result = owner.empty() ? name : owner + "::" + name;
  if (needs_template_arguments()) result += "<" + template_parameters + ">";
  result += "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::size_t array = std::min(p.type.find('['), p.type.size());
    result += (i > 0 ? ", " : "") + p.type.substr(0, array) + (p.name.empty() ? "" : " " + p.name) +
              p.type.substr(array) + (p.optional ? " = default" : "");
  }
  result += ")";
  if (!types.empty()) {
    result += ", " + type_parameter + ": ";
    for (std::size_t i = 0; i < types.size(); ++i) result += (i > 0 ? ", " : "") + types[i];
  }
  return result;
}

CallForms read_call_forms(const std::string& include_folder) {
  CallForms forms;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(include_folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory() && it->path().filename() == "host")
      it.disable_recursion_pending();  // included by op_host
    else if (it->is_regular_file() && !it->path().filename().string().starts_with("abi"))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Reader(forms, file.filename().string()).read(text);
  }
  return forms;
}

}  // namespace kg::sandbox
