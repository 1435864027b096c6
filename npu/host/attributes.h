#pragma once

#include <memory>

#include "exe_graph/runtime/runtime_attrs.h"
#include "proto/sandbox.pb.h"
#include "register/op_def.h"

namespace kg::npu {

// The case's values for the definition's attributes, defaults for the rest. Matched by name, ignoring case and
// underscores; where the names are others, by order. Throws Error for one that is missing or of another kind.
std::unique_ptr<gert::RuntimeAttrs> make_attributes(const ops::OpDef& definition, const proto::RunCase& run_case);

// Names as they are compared: small letters and digits alone.
std::string folded(const std::string& name);

}  // namespace kg::npu
