#pragma once

namespace kg::sandbox {

// Prints the report of `kgtrain-sandbox check`: one line for each requirement, "ok" or "missing" first; false if
// something is missing.
bool print_check(bool allow_less_isolation);

}  // namespace kg::sandbox
