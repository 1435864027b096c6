#include "sandbox/pytorch/folder.h"

#include "base/error.h"

namespace kg::sandbox {

fs::path pytorch_folder() {
  for (const fs::path& folder : {program_folder().parent_path() / "share/kgtrain/pytorch", fs::path(KG_PYTORCH_FOLDER)})
    if (fs::exists(folder / "include/pytorch_npu_helper.hpp")) return fs::canonical(folder);
  throw Error("no pytorch_npu_helper.hpp", KG_PYTORCH_FOLDER,
              "install kgtrain with cmake --install, or keep the source tree", Error::Kind::kEnvironment);
}

}  // namespace kg::sandbox
