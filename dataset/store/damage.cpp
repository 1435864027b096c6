#include "dataset/store/damage.h"

#include "dataset/store/parts.h"
#include "dataset/store/segment_damage.h"

namespace kg::dataset {

std::vector<std::string> damage_of(const fs::path& path) {
  const fs::path real = fs::exists(path) ? fs::canonical(path) : path;
  const Parts parts = open_parts(real);
  std::vector<std::string> lines = parts.complaints();
  for (const auto& segment : parts.segments)
    for (std::string& line : describe(*segment, examine(*segment))) lines.push_back(std::move(line));
  for (const std::string& name : list_folder(folder_of(real)).damaged)
    lines.push_back(name +
                    ": a damaged journal that was kept; its intact records are in the data set; kgtrain data repair "
                    "looks for more in it");
  return lines;
}

}  // namespace kg::dataset
