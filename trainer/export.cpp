#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "policy/files/difference.h"
#include "trainer/commands.h"
#include "trainer/model_options.h"

namespace kg::trainer {

int run_export(int argc, const char* const* argv) {
  ExportOptions options;
  Options declared = declare(options);
  if (!declared.parse(argc, argv)) return 0;
  if (declared.given("bits") && options.difference_to.empty())
    throw Error("--bits needs --difference-to", "kgtrain export", "add --difference-to MODEL, or leave --bits out");
  if (fs::exists(options.out))
    throw Error("a file or folder of that name already exists", options.out, "name another --out, or remove it");
  const policy::LoadedModel model = policy::load_model(policy::find_model(options.model));
  if (!options.difference_to.empty()) {
    const policy::LoadedModel base = policy::load_model(policy::find_model(options.difference_to));
    const std::uintmax_t bytes =
        policy::write_difference(options.out, model, base, {options.difference_to, static_cast<int>(options.bits)});
    std::printf("%s: %.1f MB\n", options.out.c_str(), static_cast<double>(bytes) / 1e6);
    return 0;
  }
  policy::export_model(fs::absolute(options.out), model.config, model.weights, model, options.dtype);
  std::printf("%s\n", options.out.c_str());
  return 0;
}

}  // namespace kg::trainer
