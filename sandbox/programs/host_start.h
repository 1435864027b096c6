#pragma once

namespace kg::sandbox {

// Symbols that the C library's start-up files define for a shared object; the loader of a host side never unloads it.
inline constexpr const char* kHostStart =
    "extern \"C\" __attribute__((visibility(\"hidden\"))) void* __dso_handle;\nvoid* __dso_handle = &__dso_handle;\n";

}  // namespace kg::sandbox
