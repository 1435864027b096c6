#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kg::testing {

// Programs that are in use, without their comments.
inline std::vector<std::string> dsl_programs() {
  std::vector<std::string> all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(KG_SOURCE_DIR "/tests/integration/dsl_programs")) {
    if (entry.path().extension() != ".dsl") continue;
    std::ifstream file(entry.path());
    std::string text;
    for (std::string line; std::getline(file, line);) {
      line = line.substr(0, line.find('#'));
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (!line.empty()) text += line + "\n";
    }
    all.push_back(text);
  }
  return all;
}

}  // namespace kg::testing
