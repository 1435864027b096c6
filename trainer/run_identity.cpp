#include "trainer/run_identity.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "policy/files/difference_name.h"

namespace kg::trainer {
namespace {

struct Part {
  const char* key;
  const char* what;
  const char* hint;
};

constexpr Part kParts[] = {
    {"model_hash", "model", "give --model the model that the run began with, or start a new run from its newest model"},
    {"reward", "reward", "use the reward that the run began with, or start a new run"},
    {"language", "language of the kernels", "use the language that the run began with, or start a new run"},
    {"judge_version", "judge version",
     "use the kgtrain and the clang++ that it began with, or start a new run from its newest model"},
};

}  // namespace

std::string model_hash(const fs::path& model) {
  if (!fs::is_directory(model)) return hash128_hex_of_file(model);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(model))
    if (const fs::path name = entry.path().filename();
        name.extension() == ".safetensors" || name == "config.json" || name == policy::kDifferenceFile)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) all += file.filename().string() + " " + hash128_hex_of_file(file) + "\n";
  return hash128_hex(all);
}

void require_same_run(const nlohmann::json& recorded, const nlohmann::json& present, const fs::path& run) {
  for (const Part& part : kParts) {
    const nlohmann::json before = recorded.value(part.key, nlohmann::json()),
                         now = present.value(part.key, nlohmann::json());
    if (before.is_null() || now.is_null() || before == now) continue;
    const auto word = [](const nlohmann::json& one) { return one.is_string() ? one.get<std::string>() : one.dump(); };
    throw Error("the run began with another " + std::string(part.what) + ": " + word(before) + ", now " + word(now),
                run.string(), part.hint);
  }
}

}  // namespace kg::trainer
