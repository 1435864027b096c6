#pragma once

#include <memory>

#include "exe_graph/runtime/runtime_attrs.h"
#include "proto/sandbox.pb.h"
#include "register/op_def.h"

namespace kg::npu {

// The case's values for the definition's attributes, with defaults for the rest. Matched by name, ignoring case and
// underscores; if the names differ, by order. Throws Error if one is missing or of another kind.
std::unique_ptr<gert::RuntimeAttrs> make_attributes(const ops::OpDef& definition, const proto::RunCase& run_case);

// The form in which names are compared: only small letters and digits.
std::string folded(const std::string& name);

}  // namespace kg::npu
