#include "sandbox/programs/project_files.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/programs/source_text.h"

namespace kg::sandbox {
namespace {

constexpr int kMostFiles = 256;
constexpr std::size_t kMostBytes = 8 << 20;
constexpr std::string_view kKeyed = "REGISTER_TILING_FOR_TILINGKEY", kDefault = "REGISTER_TILING_DEFAULT";

[[noreturn]] void fail(const std::string& what, const std::string& hint) {
  throw Error(what, "operator project", hint);
}

bool is_plain_path(const std::string& path) {
  if (path.empty() || path.size() > 200 || path.front() == '/') return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == '+';
  });
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/") || path.find("/" + folder + "/") != std::string::npos;
}

bool is_source(const std::string& path) { return path.ends_with(".cpp") || path.ends_with(".cc"); }

std::string without_comments(const std::string& source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) i = std::min(source.find('\n', i), source.size());
    if (source.compare(i, 2, "/*") == 0)
      i = std::min(source.find("*/", i), source.size() - 2) + 1;
    else if (i < source.size())
      text += source[i];
  }
  return text;
}

// The interface that applications call; kernels are launched without it here.
bool is_interface(const Project::File& file) {
  const std::size_t slash = file.path.rfind('/');
  const std::string name = slash == std::string::npos ? file.path : file.path.substr(slash + 1);
  return lies_in(file.path, "op_api") || name.starts_with("aclnn_") ||
         file.content.find("#include \"opdev/") != std::string::npos ||
         file.content.find("#include \"aclnn") != std::string::npos;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::size_t skip_blanks(const std::string& text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// The names of the files that a source includes, without their folders. Nothing if only the preprocessor knows them.
// Searched by hand, as below: std::regex recurses once for each character, and a source is not ours.
std::optional<std::set<std::string>> included_names(const std::string& source) {
  if (source.find("__has_include") != std::string::npos) return std::nullopt;
  std::set<std::string> names;
  for (std::size_t line = 0; line < source.size(); line = std::min(source.find('\n', line), source.size() - 1) + 1) {
    std::size_t at = skip_blanks(source, line);
    if (at >= source.size() || source[at] != '#') continue;
    at = skip_blanks(source, at + 1);
    if (source.compare(at, 7, "include") != 0 && source.compare(at, 6, "import") != 0) continue;
    while (at < source.size() && is_word(source[at])) ++at;
    at = skip_blanks(source, at);
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::size_t close = source.find_first_of("\">", std::min(at + 1, end));
    if (close >= end || (source[at] != '"' && source[at] != '<')) return std::nullopt;
    names.insert(name_of(source.substr(at + 1, close - at - 1)));
  }
  return names;
}

std::string content_of(const std::vector<const Project::File*>& files) {
  std::string all;
  for (const Project::File* file : files) all += file->path + '\n' + hash128_hex(file->content) + '\n';
  return all;
}

// "question/op_host/x.cpp": what precedes op_host.
std::string root_of(const proto::ExecutionRequest& request) {
  for (const proto::ProjectFile& file : request.project())
    for (const char* folder : {"op_host/", "op_kernel/"})
      if (const std::size_t at = file.path().find(folder);
          at != std::string::npos && (at == 0 || file.path()[at - 1] == '/'))
        return file.path().substr(0, at);
  return "";
}

}  // namespace

Project read_project(const proto::ExecutionRequest& request) {
  if (request.project_size() > kMostFiles)
    fail(std::to_string(request.project_size()) + " files, at most " + std::to_string(kMostFiles),
         "leave only op_host and op_kernel");
  const std::string root = root_of(request);
  Project project;
  std::size_t bytes = 0;
  for (const proto::ProjectFile& file : request.project()) {
    if (!is_plain_path(file.path()))
      fail("\"" + file.path() + "\" cannot be a path of a project", "relative paths of letters, digits, _ - . and /");
    bytes += file.content().size();
    const std::string path = file.path().starts_with(root) ? file.path().substr(root.size()) : file.path();
    project.files.push_back({path, file.content()});
    if (!is_source(path)) continue;
    if (lies_in(path, "op_kernel"))
      project.kernel_sources.push_back(path);
    else if (lies_in(path, "op_host") && !is_interface(project.files.back()))
      project.host_sources.push_back(path);
  }
  if (bytes > kMostBytes)
    fail("more than " + std::to_string(kMostBytes) + " bytes of sources", "leave out files that are not sources");
  if (project.host_sources.empty())
    fail("no .cpp file in op_host", "the operator's definition and tiling function go there");
  if (project.kernel_sources.empty()) fail("no .cpp file in op_kernel", "the kernel function goes there");
  return project;
}

std::string content_of(const Project& project) {
  std::vector<const Project::File*> all;
  for (const Project::File& file : project.files) all.push_back(&file);
  return content_of(all);
}

std::string host_content(const Project& project) {
  std::vector<const Project::File*> read, others;
  for (const Project::File& file : project.files) (lies_in(file.path, "op_kernel") ? others : read).push_back(&file);
  for (std::size_t next = 0; next < read.size(); ++next) {
    const auto names = included_names(read[next]->content);
    if (!names) return content_of(project);
    const auto included = [&](const Project::File* file) { return names->contains(name_of(file->path)); };
    std::ranges::copy_if(others, std::back_inserter(read), included);
    std::erase_if(others, included);
  }
  return content_of(read);
}

std::string kernel_file(const Project& project, const std::string& name) {
  std::string names;
  for (const std::string& path : project.kernel_sources) {
    if (path.ends_with("/" + name + ".cpp")) return path;
    names += (names.empty() ? "" : ", ") + path;
  }
  fail("no op_kernel/" + name + ".cpp, where the kernel of this operator is expected; there is " + names,
       "name the file and the function after the operator, in lower case with underscores");
}

namespace {

struct Registration {
  std::string key, structure;  // key: empty for the default
};

// "REGISTER_TILING_DEFAULT(structure);", "REGISTER_TILING_FOR_TILINGKEY("key", structure);": what the call of `macro`
// at `at` registers.
std::optional<Registration> registration_at(const std::string& text, std::size_t at, std::string_view macro) {
  const std::size_t open = skip_spaces(text, at + macro.size()), semicolon = text.find(';', open);
  if (semicolon == std::string::npos || text[open] != '(') return std::nullopt;
  const std::size_t close = skip_spaces_back(text, semicolon) - 1;
  if (text[close] != ')') return std::nullopt;
  std::size_t begin = skip_spaces(text, open + 1);
  Registration found;
  if (macro == kKeyed) {
    const std::size_t quote = text.find('"', begin + 1);
    if (begin >= close || text[begin] != '"' || quote >= close) return std::nullopt;
    found.key = text.substr(begin + 1, quote - begin - 1);
    const std::size_t comma = skip_spaces(text, quote + 1);
    if (text[comma] != ',') return std::nullopt;
    begin = skip_spaces(text, comma + 1);
  }
  const std::size_t end = std::max(skip_spaces_back(text, close), begin);
  found.structure = text.substr(begin, end - begin);
  return found;
}

std::vector<Registration> registrations(const std::string& text, std::string_view macro) {
  std::vector<Registration> all;
  for (std::size_t at = text.find(macro); at != std::string::npos; at = text.find(macro, at + 1))
    if (auto found = registration_at(text, at, macro)) all.push_back(*std::move(found));
  return all;
}

}  // namespace

std::string registered_tiling(const Project& project) {
  std::string branches, otherwise;
  for (const Project::File& file : project.files) {
    if (!lies_in(file.path, "op_kernel") || file.content.find("REGISTER_TILING_") == std::string::npos) continue;
    const std::string text = without_comments(file.content);
    for (const Registration& one : registrations(text, kKeyed))
      branches += (branches.empty() ? "#if " : "#elif ") + one.key + "\n#undef KG_TILING_STRUCT\n" +
                  "#define KG_TILING_STRUCT " + one.structure + "\n";
    if (const auto plain = registrations(text, kDefault); !plain.empty()) otherwise = plain.front().structure;
  }
  const std::string define =
      otherwise.empty() ? "" : "#undef KG_TILING_STRUCT\n#define KG_TILING_STRUCT " + otherwise + "\n";
  if (branches.empty()) return define;
  return branches + (define.empty() ? "" : "#else\n" + define) + "#endif\n";
}

bool mentions(const Project& project, const std::string& where, const char* text) {
  return std::any_of(project.files.begin(), project.files.end(), [&](const Project::File& file) {
    return (file.path == where || lies_in(file.path, where)) && file.content.find(text) != std::string::npos;
  });
}

bool has_cube_half(const Project& project) {
  return std::any_of(project.files.begin(), project.files.end(), [](const Project::File& file) {
    return file.path.find("op_kernel") != std::string::npos && has_cube_half(file.content);
  });
}

}  // namespace kg::sandbox
