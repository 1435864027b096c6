#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/program_data.h"
#include "policy/files/difference.h"
#include "policy/files/model_io.h"

namespace kg::policy {
namespace {

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

// The model inside a folder: a difference to another one, a Hugging Face directory, the only GGUF file, or what a run
// has trained so far.
std::optional<fs::path> model_in(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  if (is_difference(folder)) return folder;
  if (fs::exists(folder / "config.json") && fs::exists(folder / "tokenizer.json")) return folder;
  if (fs::exists(folder / "model" / "tokenizer.json")) return folder / "model";  // a run that ended, or a checkpoint
  if (fs::is_directory(folder / "checkpoints")) {
    const std::vector<fs::path> steps = sorted_entries(folder / "checkpoints");  // step-NNNNNN: the last is the newest
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      if (step->filename().string().starts_with("step-"))
        if (const auto model = model_in(*step)) return model;
  }
  std::vector<fs::path> files;
  for (const fs::path& entry : sorted_entries(folder))
    if (entry.extension() == ".gguf") files.push_back(entry);
  if (files.size() > 1)
    throw Error("the folder holds " + std::to_string(files.size()) + " GGUF files", folder.string(),
                "name one of the files");
  if (files.size() == 1) return files.front();
  return std::nullopt;
}

// Names that would have been found.
std::vector<std::string> known_models() {
  std::vector<std::string> names;
  for (const fs::path& folder : model_folders())
    if (fs::is_directory(folder))
      for (const fs::path& entry : sorted_entries(folder))
        if (fs::is_directory(entry)) names.push_back(entry.filename().string());
  return names;
}

// Why a folder that is there holds no model.
std::string lack_of(const fs::path& folder) {
  if (!fs::is_directory(folder)) return "absent";
  const bool config = fs::exists(folder / "config.json"), tokenizer = fs::exists(folder / "tokenizer.json");
  if (config != tokenizer) return config ? "config.json without tokenizer.json" : "tokenizer.json without config.json";
  return "no model in it";
}

}  // namespace

fs::path find_model(const std::string& name) {
  if (fs::is_regular_file(name)) return fs::absolute(name);
  std::string looked;
  std::vector<fs::path> candidates = {fs::absolute(name)};
  if (fs::path(name).is_relative())
    for (const fs::path& folder : model_folders()) candidates.push_back(folder / name);
  for (const fs::path& candidate : candidates) {
    if (const auto model = model_in(candidate)) return *model;
    looked += (looked.empty() ? "" : ", ") + candidate.string() + " (" + lack_of(candidate) + ")";
  }
  std::vector<std::string> others = known_models();
  std::erase(others, name);  // a folder of that name without a model in it
  const std::string near = nearest_name(name, others);
  throw Error("no model \"" + name + "\"", looked,
              near.empty() ? "give a Hugging Face directory, a GGUF file or a run; kernelgen-small comes with kgtrain, "
                             "scripts/setup.sh fetches smollm2-135m-instruct"
                           : "did you mean " + near + "?");
}

}  // namespace kg::policy
