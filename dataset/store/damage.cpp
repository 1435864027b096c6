#include "dataset/store/damage.h"

#include "dataset/store/parts.h"

namespace kg::dataset {

std::vector<std::string> damage_of(const fs::path& path) {
  std::vector<std::string> lines;
  for (const auto& journal : open_parts(path).journals)
    for (std::string& line : journal->complaints()) lines.push_back(std::move(line));
  for (const std::string& name : list_folder(folder_of(path)).damaged)
    lines.push_back(name + ": a damaged journal that was kept; its whole records are in the data set");
  return lines;
}

}  // namespace kg::dataset
