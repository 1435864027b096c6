#pragma once

#include <string>

#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// The end of a module's process. Throws Error if the sandbox or the host is to blame.
void require_host_did_its_part(const JobOutcome& outcome);

// Why the process did not answer.
std::string end_of(const JobOutcome& outcome);

}  // namespace kg::sandbox
