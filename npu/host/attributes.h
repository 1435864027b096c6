#pragma once

#include <functional>
#include <memory>

#include "exe_graph/runtime/runtime_attrs.h"
#include "proto/sandbox.pb.h"
#include "register/op_def.h"

namespace kg::npu {

// The case's values for the definition's attributes, with defaults for the rest. Matched by name, ignoring case and
// underscores; if the names differ, by order. Throws Error if one is missing or of another kind. `warn` is told of each
// that the host side reads as something else than the definition declares, and of constants of a module that no
// attribute takes though one that keeps its default is called nearly so.
std::unique_ptr<gert::RuntimeAttrs> make_attributes(const ops::OpDef& definition, const proto::RunCase& run_case,
                                                    const std::function<void(const std::string&)>& warn);

// The form in which names are compared: only small letters and digits.
std::string folded(const std::string& name);

}  // namespace kg::npu
