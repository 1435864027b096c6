#pragma once

namespace kg::sandbox {

// What the start-up files of the C library define for a shared object; the loader of a host side never unloads it.
inline constexpr const char* kHostStart =
    "extern \"C\" __attribute__((visibility(\"hidden\"))) void* __dso_handle;\nvoid* __dso_handle = &__dso_handle;\n";

}  // namespace kg::sandbox
