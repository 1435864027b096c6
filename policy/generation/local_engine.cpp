#include <utility>

#include "policy/generation/sampling_engine.h"

namespace kg::policy {

LocalEngine::LocalEngine(LoadedModel model, const EngineOptions& options)
    : engine_(model.config, model.tokenizer, model.chat_template, options),
      loader_(model.config, options.device, options.dtype) {
  engine_.set_weights(pack_weights(model.config, model.weights, options.device, options.dtype), /*version=*/0);
}

std::optional<SamplingEngine::Switched> LocalEngine::switch_weights() {
  auto loaded = loader_.take();
  if (!loaded) return {};
  Switched switched{std::move(loaded->manifest), std::move(loaded->error), std::move(loaded->waiters)};
  if (loaded->weights != nullptr && switched.manifest.version() >= engine_.policy_version())
    engine_.set_weights(std::move(loaded->weights), switched.manifest.version());
  return switched;
}

}  // namespace kg::policy
