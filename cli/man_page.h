#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/declared_commands.h"

namespace kg::cli {

// One man page for each command ("kgtrain-data-build.1"), and kgtrain.1 for all of them.
std::map<std::string, std::string> man_pages(const std::vector<DeclaredCommand>& commands);

}  // namespace kg::cli
