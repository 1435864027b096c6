#include "base/error.h"
#include "base/file.h"
#include "dataset/store/dataset.h"

// A data set of one file, read from end to end. HDF5 itself is a library of the system and is not instrumented.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kg::TemporaryFolder folder("kg-fuzz");
  const kg::fs::path path = folder.path() / "set.h5";
  kg::write_file_atomically(path, std::string(reinterpret_cast<const char*>(data), size));
  try {
    const auto set = kg::dataset::Dataset::open(path, kg::dataset::OpenMode::kRead);
    (void)set->counts();
    set->for_each_task([](const kg::proto::Task&) { return true; });
    set->for_each_sample([](const kg::proto::Sample&) { return true; });
    set->for_each_rollout([](const kg::proto::Rollout&) { return true; });
    set->for_each_preference([](const kg::proto::Preference&) { return true; });
  } catch (const kg::Error&) {
  }
  return 0;
}
