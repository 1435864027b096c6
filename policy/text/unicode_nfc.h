#pragma once

#include <string>
#include <string_view>

namespace kg::policy {

// Unicode's normal form C (composed), as tokenizers of the Qwen family require. Text that is not UTF-8 stays unchanged.
std::string nfc(std::string_view text);

}  // namespace kg::policy
