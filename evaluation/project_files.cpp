#include "evaluation/project_files.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"

namespace kg::evaluation {
namespace {

bool is_one_of(const std::string& text, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* entry) { return text == entry; });
}

}  // namespace

std::vector<proto::ProjectFile> project_files(const std::string& folder) {
  if (!fs::is_directory(folder)) throw Error("no such folder", folder, "--project takes the operator project's folder");
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name.starts_with(".") || name.starts_with("build")))
      entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    const fs::path path = entry->path().lexically_relative(folder);
    const bool inside = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
      return is_one_of(part.string(), {"op_host", "op_kernel"});
    });
    const std::string extension = path.extension().string();
    if (is_one_of(extension, {".h", ".hpp"}) || (inside && is_one_of(extension, {".cpp", ".cc", ".inc"})))
      found.push_back(path);
  }
  if (found.empty()) throw Error("no operator project", folder, "its sources lie in the folders op_host and op_kernel");
  std::sort(found.begin(), found.end());
  std::vector<proto::ProjectFile> files;
  for (const fs::path& path : found) {
    proto::ProjectFile& file = files.emplace_back();
    file.set_path(path.generic_string());
    file.set_content(read_file(fs::path(folder) / path));
  }
  return files;
}

}  // namespace kg::evaluation
