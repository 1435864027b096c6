#pragma once

#include <string>
#include <string_view>

namespace kg::policy {

// Tokens are bytes and may end, or be drawn, inside a character; messages and files carry UTF-8 only. Each longest
// piece that begins a character but does not finish it, and each byte that begins none, becomes U+FFFD, as Unicode
// recommends and Hugging Face decodes.
std::string valid_utf8(std::string_view bytes);

}  // namespace kg::policy
