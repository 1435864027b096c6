#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/text/byte_bpe.h"
#include "policy/text/tokenizer_json.h"

// A tokenizer.json, and a text through the tokenizer that it describes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = nlohmann::json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return 0;
  try {
    const kg::policy::ByteBpe tokenizer(kg::policy::parse_tokenizer_json(json, "fuzz"));
    const auto ids =
        tokenizer.encode("Write the kernel 'add_custom' for 2048 x 16,\n\tétude 1.5e-3 \xF0\x9F\x99\x82 <|im_end|>");
    (void)tokenizer.decode(ids);
    (void)tokenizer.decode({-1, 0, tokenizer.vocabulary_size(), 1 << 30}, true);
  } catch (const kg::Error&) {
  }
  return 0;
}
