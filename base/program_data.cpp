#include "base/program_data.h"

#include "base/error.h"

namespace kg {

std::vector<fs::path> program_data_folders(const std::string& installed, const std::string& source) {
  return {program_folder().parent_path() / "share/kgtrain" / installed, fs::path(KG_SOURCE_FOLDER) / source};
}

fs::path program_data(const std::string& installed, const std::string& source, const std::string& file) {
  const std::vector<fs::path> folders = program_data_folders(installed, source);
  for (const fs::path& folder : folders)
    if (fs::exists(folder / file)) return fs::canonical(folder);
  throw Error("no " + file, folders.back().string(), "install kgtrain with cmake --install, or keep the source tree",
              Error::Kind::kEnvironment);
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders = {kgtrain_home() / "models", kgtrain_home() / "runs"};
  for (const fs::path& shipped : program_data_folders("models", "models")) folders.push_back(shipped);
  return folders;
}

}  // namespace kg
