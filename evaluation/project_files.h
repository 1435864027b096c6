#pragma once

#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::evaluation {

// The sources of an operator project: everything in folders called op_host or op_kernel below `folder`, and headers
// that lie elsewhere in it. Throws Error if there are none.
std::vector<proto::ProjectFile> project_files(const std::string& folder);

}  // namespace kg::evaluation
