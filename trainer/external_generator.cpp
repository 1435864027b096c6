#include "trainer/external_generator.h"

#include "base/error.h"
#include "base/http/client.h"

namespace kg::trainer {

std::vector<std::string> server_arguments(const ServerOptions& options) {
  if (options.generator.empty()) return {};
  return {"--server", options.generator, "--server-token", options.generator_token};
}

namespace {

policy::ServerKind kind_of(const ServerOptions& options) {
  http::Client client({.url = policy::server_root(options.generator),
                       .token = http::token_from_environment(options.generator_token),
                       .seconds = 30});
  return policy::find_server_kind(client);
}

}  // namespace

void require_server(const ServerOptions& options) {
  if (!options.generator.empty()) kind_of(options);
}

void require_trainable(const ServerOptions& options, const SamplingOptions& sampling) {
  if (options.generator.empty()) return;
  const policy::ServerKind kind = kind_of(options);
  if (!policy::takes_weights(kind))
    throw Error(policy::server_name(kind) +
                    " has no route for kgtrain to replace its weights, so RL would train on the answers of a policy "
                    "that never changes",
                options.generator, "use SGLang, or leave out --generator; eval and generate can use this server");
  if (sampling.top_k > 0 || (sampling.top_p > 0 && sampling.top_p < 1) || sampling.min_p > 0)
    throw Error("the server does not report which tokens a filter kept, and the loss needs that",
                "--top-k, --top-p, --min-p", "leave them out with --generator");
}

std::unique_ptr<policy::ExternalEngine> open_server(const ServerOptions& options, const policy::LoadedModel& model) {
  return std::make_unique<policy::ExternalEngine>(
      policy::ExternalOptions{.url = options.generator,
                              .token = http::token_from_environment(options.generator_token),
                              .context = model.config.context,
                              .vocabulary = model.config.vocabulary},
      model.tokenizer, model.chat_template);
}

}  // namespace kg::trainer
