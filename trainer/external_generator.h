#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "policy/generation/external_engine.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// What kgtrain-generator is told of a server that samples; nothing where none is named.
std::vector<std::string> server_arguments(const ServerOptions& options);

// Throws Error if the server, where one is named, is none that kgtrain can ask.
void require_server(const ServerOptions& options);

// Throws Error if RL cannot train what the server samples: its weights cannot be replaced, or it does not tell what the
// filters of `sampling` left of the vocabulary.
void require_trainable(const ServerOptions& options, const SamplingOptions& sampling);

// The server as an engine; the model gives tokenizer and chat template.
std::unique_ptr<policy::ExternalEngine> open_server(const ServerOptions& options, const policy::LoadedModel& model);

}  // namespace kg::trainer
