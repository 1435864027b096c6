#include "base/program_data.h"

#include "base/error.h"

namespace kg {

fs::path program_data(const std::string& installed, const std::string& source, const std::string& file) {
  const fs::path in_source = fs::path(KG_SOURCE_FOLDER) / source;
  for (const fs::path& folder : {program_folder().parent_path() / "share/kgtrain" / installed, in_source})
    if (fs::exists(folder / file)) return fs::canonical(folder);
  throw Error("no " + file, in_source.string(), "install kgtrain with cmake --install, or keep the source tree",
              Error::Kind::kEnvironment);
}

}  // namespace kg
