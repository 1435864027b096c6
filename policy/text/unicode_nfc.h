#pragma once

#include <string>
#include <string_view>

namespace kg::policy {

// Unicode's normal form C (composed), as tokenizers of the Qwen family want text. Text that is no UTF-8 stays as it is.
std::string nfc(std::string_view text);

}  // namespace kg::policy
