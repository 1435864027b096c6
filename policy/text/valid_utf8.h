#pragma once

#include <string>
#include <string_view>

namespace kg::policy {

// Tokens are bytes and may end, or be drawn, inside a character; messages and files must be UTF-8. Each longest
// piece that begins a character without finishing it, and each byte that begins none, becomes U+FFFD, as recommended
// by Unicode and done by Hugging Face's decoder.
std::string valid_utf8(std::string_view bytes);

}  // namespace kg::policy
