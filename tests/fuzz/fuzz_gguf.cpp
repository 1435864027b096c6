#include "base/error.h"
#include "policy/files/gguf.h"
#include "tests/fuzz/fuzz_file.h"

// The whole table, and the first and last byte of each tensor.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kg::testing::FuzzFile file(data, size);
  try {
    const kg::policy::GgufFile gguf(file.path());
    volatile char sink = 0;
    for (const kg::policy::GgufTensor& tensor : gguf.tensors())
      if (!tensor.bytes.empty()) sink = static_cast<char>(tensor.bytes.front() + tensor.bytes.back());
    (void)sink;
    (void)gguf.has("general.architecture");
    (void)gguf.text("general.architecture", "");
    (void)gguf.integer("llama.block_count", 1);
  } catch (const kg::Error&) {
  }
  return 0;
}
