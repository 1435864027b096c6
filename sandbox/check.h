#pragma once

namespace kg::sandbox {

// What `kgtrain-sandbox check` prints: one line for each thing needed, "ok" or "missing" first; false if something is
// missing.
bool print_check(bool allow_less_isolation);

}  // namespace kg::sandbox
