#include <string_view>

#include "dsl/lower.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

// The text of a program, and its way through all passes for two tensors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    kg::dsl::parse(text);
  } catch (const kg::dsl::Refusal&) {
  }
  return 0;
}
