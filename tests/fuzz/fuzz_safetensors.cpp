#include <vector>

#include "base/error.h"
#include "policy/files/safetensors_header.h"

// The header, and the first and last byte of each tensor. The file is copied, so that a byte past its end is noticed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> file(data, data + size);
  try {
    volatile char sink = 0;
    for (const kg::policy::SafetensorsEntry& entry :
         kg::policy::parse_safetensors_header({file.data(), file.size()}, "fuzzed"))
      if (entry.size > 0) sink = static_cast<char>(file.at(entry.offset) + file.at(entry.offset + entry.size - 1));
    (void)sink;
  } catch (const kg::Error&) {
  }
  return 0;
}
