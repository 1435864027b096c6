#pragma once

#include <cstdint>
#include <vector>

#include "policy/text/chat_template.h"
#include "policy/text/tokenizer.h"
#include "proto/generate.pb.h"

namespace kg::policy {

// The tokens of a request's conversation. Of a further turn (`prefix_ids`) those of the turns before are kept as they
// were drawn, and only what the template puts behind the last answer is tokenised: text that a model wrote need not
// become the tokens that it wrote. Throws Error if the template does not show earlier answers.
std::vector<std::int32_t> prompt_tokens(const ChatTemplate& chat, const Tokenizer& tokenizer,
                                        const proto::GenerateRequest& request);

}  // namespace kg::policy
