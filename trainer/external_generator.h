#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "policy/generation/external_engine.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// The arguments of kgtrain-generator for a server that samples; none if no server is named.
std::vector<std::string> server_arguments(const ServerOptions& options);

// Throws Error if kgtrain cannot use the named server.
void require_server(const ServerOptions& options);

// Throws Error if RL cannot train on the server's samples: its weights cannot be replaced, or it does not report which
// tokens the filters of `sampling` kept.
void require_trainable(const ServerOptions& options, const SamplingOptions& sampling);

// The server as an engine; the model gives tokenizer and chat template.
std::unique_ptr<policy::ExternalEngine> open_server(const ServerOptions& options, const policy::LoadedModel& model);

}  // namespace kg::trainer
