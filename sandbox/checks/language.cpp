#include "sandbox/checks/language.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "base/text.h"
#include "sandbox/checks/pasted_names.h"
#include "sandbox/checks/published_forms.h"

namespace kg::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "kernel_operator.h";
constexpr const char* kOwnPath = "kgnpu";                // in the names of all our headers
constexpr const char* kLaunchHeader = "kgnpu/launch.h";  // included for checking <<<>>> sources

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Names in the toolchain's own text around a source, after the precompiled header.
const std::set<std::string> kSaidByTheToolchain = {
    "KG_ENTRY_POINT", "KG_LAUNCH",          "KG_TILING_STRUCT", "KG_TEMPLATE_KEY",  "KG_TEMPLATE_TASK",
    "KG_CUBE_HALF",   "KG_DIRECT_LAUNCHES", "kg_core_type_aic", "kg_core_type_aiv", "kg_core_kind"};

bool is_reserved(const std::string& name) {
  return !kSaidByTheToolchain.contains(name) &&
         ((name.starts_with("kg_") && name != "kg_") || name.starts_with("kgnpu") || name.starts_with("KG_"));
}

void collect_reserved(const std::string& text, std::set<std::string>& names) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_word(text[begin])) {
      ++begin;
      continue;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_word) - text.begin());
    if (std::string name = text.substr(begin, end - begin); is_reserved(name)) names.insert(std::move(name));
    begin = end;
  }
}

std::set<std::string> reserved_names(const std::string& include_folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(include_folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file()) collect_reserved(text_of(it->path()), names);
  return names;
}

// Lines that end with a backslash, joined as in a compiler: spaces may follow the backslash.
std::string spliced_lines(const std::string& text) {
  std::string joined;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at + 1;
    if (text[at] == '\\')
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
    if (text[at] == '\\' && end < text.size() && text[end] == '\n')
      at = end;
    else
      joined += text[at];
  }
  return joined;
}

// The position of the text after spaces and comments.
std::size_t behind_spaces(const std::string& text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\v' || text[at] == '\f') {
      ++at;
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

bool begins_line(const std::string& text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\v' || text[at - 1] == '\f')) --at;
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r' || (at > 1 && text.compare(at - 2, 2, "*/") == 0);
}

// Whether the word of a line directive is followed by a number, and then by nothing or a plain file name.
bool is_plain_line(const std::string& text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  if (end == at) return false;
  const std::size_t name = behind_spaces(text, end);
  if (name == text.size() || text[name] == '\n' || text[name] == '\r') return true;
  const std::size_t closing = text.find_first_of("\"\n", name + 1);
  if (text[name] != '"' || closing == std::string::npos || text[closing] != '"') return false;
  const std::string file = text.substr(name, closing - name);
  return file.find('\\') == std::string::npos && file.find(kOwnPath) == std::string::npos;
}

// Headers are distinguished from the kernel's own text by their names, in messages and in the counting of instructions:
// no line directive may give the text such a name.
std::string line_errors(const std::string& name, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t sign = text[at] == '#' ? 1 : text.compare(at, 2, "%:") == 0 ? 2 : 0;
    if (sign == 0 || !begins_line(text, at)) continue;
    std::size_t word = behind_spaces(text, at + sign);
    const bool by_word = text.compare(word, 4, "line") == 0;
    if (by_word) word = behind_spaces(text, word + 4);
    const bool number = word < text.size() && text[word] >= '0' && text[word] <= '9';
    if ((!by_word && !number) || is_plain_line(text, word)) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return name + ":" + std::to_string(line) +
           ": error: #line needs a number and a plain file name here, not one of the toolchain's; remove it\n";
  }
  return {};
}

}  // namespace

std::string compiler_headers(const std::string& compiler) {
  std::error_code error;
  const fs::path program = fs::canonical(compiler, error);
  if (error) return {};
  const fs::path versions = program.parent_path().parent_path() / "lib/clang";
  std::vector<fs::path> found;
  for (fs::directory_iterator it(versions, error), end; !error && it != end; it.increment(error))
    if (fs::exists(it->path() / "include/stddef.h")) found.push_back(it->path() / "include");
  if (found.empty()) return {};
  return std::max_element(found.begin(), found.end())->string();
}

std::string precompiled_source(const std::string& include_folder, const CallForms& forms, bool with_tiling) {
  const std::set<std::string> names = reserved_names(include_folder);
  std::string source = std::string("#include \"") + kHeader + "\"\n";
  if (fs::exists(fs::path(include_folder) / kLaunchHeader))
    source += std::string("#include \"") + kLaunchHeader + "\"\n";
  if (with_tiling)  // its classes are the host's, which has virtual functions
    source += std::string("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wweak-vtables\"\n") +
              "#include \"" + kTilingHeader + "\"\n#pragma clang diagnostic pop\n";
  source += published_forms(forms);
  // A function of the C library may be declared with another name in the object; a kernel's may not.
  source +=
      "#define __asm__(...)\n#define __asm(...)\n#define asm(...)\n#pragma GCC poison asm weakref __weakref__ nodebug "
      "__nodebug__ naked __naked__";  // a naked function has no end but one in assembler
  for (const std::string& name : names) source += " " + name;
  return source + "\n";
}

bool includes_our_header(const std::string& source, const std::string& include_folder) {
  if (source.find(kHeader) != std::string::npos) return true;
  std::error_code error;
  for (fs::recursive_directory_iterator it(include_folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->is_regular_file()) continue;
    const std::string name = it->path().lexically_relative(include_folder).string();
    if (source.find("\"" + name + "\"") != std::string::npos || source.find("<" + name + ">") != std::string::npos)
      return true;
  }
  return false;
}

namespace {

// A source's own "#define __aicore__ [aicore]" repeats the headers' definition; replaced, it would refer to itself.
void drop_own_qualifier(std::string& source) {
  static const std::string kDefinition = "#define __aicore__ [aicore]";
  for (std::size_t at = source.find(kDefinition); at != std::string::npos; at = source.find(kDefinition, at))
    source.erase(at, kDefinition.size());
}

}  // namespace

std::string adapted_source(std::string source) {
  static const std::string kByteOrderMark = "\xEF\xBB\xBF";  // clang accepts one only at the start of a file
  if (source.starts_with(kByteOrderMark)) source.erase(0, kByteOrderMark.size());
  drop_own_qualifier(source);
  for (const char* spelled : {"[aicore]", "[host, aicore]", "[host,aicore]", "[aicore, host]"})
    replace_all(source, spelled, "__aicore__");
  return source;
}

std::string source_errors(const Sources& sources, const std::string& include_folder) {
  std::string errors, all;
  for (const Source& source : sources) {
    const std::string spliced = spliced_lines(source.text);
    all += spliced + '\n';
    errors += line_errors(source.name, spliced);
    if (source.name.find(kOwnPath) != std::string::npos)
      errors += source.name + ":1: error: the toolchain's own headers have kgnpu in their path; rename the file\n";
    const std::size_t at = spliced.find("__asm");
    if (at == std::string::npos) continue;
    const auto line = 1 + std::count(spliced.begin(), spliced.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    errors += source.name + ":" + std::to_string(line) +
              ": error: assembler does not exist on the device; remove every word that begins with '__asm'\n";
  }
  if (include_folder.empty() || (all.find("##") == std::string::npos && all.find("%:%:") == std::string::npos))
    return errors;
  if (const std::string name = pasted_name(all, reserved_names(include_folder)); !name.empty())
    errors += "kernel.cpp: error: ## forms '" + name +
              "', a name that belongs to the toolchain; give your macros other names\n";
  return errors;
}

}  // namespace kg::sandbox
