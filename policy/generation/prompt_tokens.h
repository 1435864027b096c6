#pragma once

#include <cstdint>
#include <vector>

#include "policy/text/chat_template.h"
#include "policy/text/tokenizer.h"
#include "proto/generate.pb.h"

namespace kg::policy {

// The tokens of a request's conversation. In a later turn (`prefix_ids`), earlier tokens are kept as they
// were drawn, and only the template's text after the last answer is tokenised: tokenising a model's text again may give
// other tokens. Throws Error if the template does not show earlier answers.
std::vector<std::int32_t> prompt_tokens(const ChatTemplate& chat, const Tokenizer& tokenizer,
                                        const proto::GenerateRequest& request);

}  // namespace kg::policy
