#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "policy/text/tokenizer_spec.h"

namespace kg::policy {

// tokenizer.json, the file of the Hugging Face `tokenizers` library. Reads byte-level BPE with the word patterns of
// TokenizerSpec and refuses, by name, anything unsupported that would change the ids. bos, eos and pad are not in
// this file.
TokenizerSpec parse_tokenizer_json(const nlohmann::json& json, const std::string& where);
nlohmann::json to_tokenizer_json(const TokenizerSpec& spec);

}  // namespace kg::policy
