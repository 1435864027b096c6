#pragma once

#include <cstddef>
#include <functional>

#include "sandbox/sandbox.h"

namespace kg::sandbox {

// `jobs`, or one for each core where it is 0.
int sandbox_count(int jobs);

// Calls work(sandbox, i) once for each i below `count`, from up to sandbox_count(jobs) threads with a sandbox each, the
// lowest i first. What `work` or the start of a sandbox throws ends the others after what they are at, and is thrown
// from here.
void for_each_in_sandboxes(std::size_t count, int jobs, const SandboxOptions& options,
                           const std::function<void(Sandbox&, std::size_t)>& work);

}  // namespace kg::sandbox
