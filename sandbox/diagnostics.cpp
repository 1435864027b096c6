#include "sandbox/diagnostics.h"

namespace kg::sandbox {
namespace {

void remove_all(std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder) {
  remove_all(text, work_folder + "/");
  remove_all(text, header_folder + "/");
  return text;
}

bool blames_the_compiler(const std::string& diagnostics) {
  for (const char* words : {"fatal error: ", "error: ", "clang"})
    if (diagnostics.starts_with(words) || diagnostics.find(std::string("\n") + words) != std::string::npos) return true;
  return diagnostics.find(".pch") != std::string::npos;
}

}  // namespace kg::sandbox
