#include "cli/solve/model_check.h"

#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/http/client.h"
#include "base/program_data.h"
#include "base/suggestion.h"

namespace kg::cli {
namespace {

void require_local_model(const std::string& model) {
  std::vector<std::string> known;
  std::error_code ignored;
  if (fs::exists(model, ignored)) return;
  for (const fs::path& folder : model_folders()) {
    if (fs::exists(folder / model, ignored)) return;
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored))
      known.push_back(entry->path().filename().string());
  }
  throw Error("no model \"" + model + "\"", "--model",
              suggestion(model, known, "models and runs",
                         "give a Hugging Face directory, a GGUF file, a run, or http://HOST:PORT/v1 of a server"));
}

}  // namespace

void require_model(const std::string& model, const std::string& key_variable) {
  if (model.find("://") == std::string::npos) return require_local_model(model);
  http::Client({.url = model, .token = http::token_from_environment(key_variable), .seconds = 30}).get("/models");
}

}  // namespace kg::cli
