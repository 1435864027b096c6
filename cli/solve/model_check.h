#pragma once

#include <string>

namespace kg::cli {

// Refuses a model that cannot be asked, before Python is started or made for the operator: a name that is none of a
// folder, a file, or a model or run in $KGTRAIN_HOME; a server that nobody reaches. `key_variable` as in
// --key-variable.
void require_model(const std::string& model, const std::string& key_variable);

}  // namespace kg::cli
