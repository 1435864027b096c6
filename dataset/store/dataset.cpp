#include "dataset/store/dataset.h"

#include "dataset/store/stored_dataset.h"
#include "dataset/store/writable_dataset.h"

namespace kg::dataset {

std::unique_ptr<Dataset> Dataset::open(const fs::path& path, OpenMode mode) {
  // The folder lies beside the file itself, not beside a symbolic link to it.
  const fs::path real = fs::exists(path) ? fs::canonical(path) : fs::absolute(path);
  if (mode == OpenMode::kRead) return std::make_unique<ReadOnlyDataset>(real);
  return std::make_unique<WritableDataset>(real, mode);
}

fs::path find_dataset(const std::string& name) {
  const fs::path given(name);
  if (given.has_parent_path() || fs::exists(given)) return given;
  const fs::path at_home = kgtrain_home() / "data" / given;
  return fs::exists(at_home) ? at_home : given;
}

}  // namespace kg::dataset
