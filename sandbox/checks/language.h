#pragma once

#include <string>
#include <vector>

#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// What the device's language needs besides clang and the headers. A kernel is compiled like this:
//
//   source ─ adapted_source() ─► clang, with the header made from precompiled_source() ─► kernel.o ─ object_errors()

// The compiler's own headers (stddef.h, float.h), without its wrappers for CUDA. Empty: not found.
std::string compiler_headers(const std::string& compiler);

// What a source includes that launches its kernel and computes a tiling for it.
inline constexpr const char* kTilingHeader = "tiling/tiling_api.h";

// The source of the precompiled header: kernel_operator.h, then all internal names of the headers are poisoned, so
// that a kernel can neither call the runtime nor look into its objects. Macros defined before keep their use
// of these names. `forms`: the forms of the calls that the headers declare.
std::string precompiled_source(const std::string& include_folder, const CallForms& forms, bool with_tiling = false);

// True if the source includes kernel_operator.h, directly or through another of our headers, which all mean the same.
bool includes_our_header(const std::string& source, const std::string& include_folder);

// The user's text in words that clang knows: [aicore] and [host, aicore] become __aicore__. Line numbers stay the same.
std::string adapted_source(std::string source);

// The user's files, under the names that messages use for them.
struct Source {
  std::string name, text;
};
using Sources = std::vector<Source>;

// What is refused by looking at the text alone, as messages; empty: nothing. The rest of assembler is refused by flags
// and macros. Without the headers' folder, names that ## puts together are not looked at.
std::string source_errors(const Sources& sources, const std::string& include_folder = {});

}  // namespace kg::sandbox
