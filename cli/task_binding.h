#pragma once

#include "dsl/bind.h"
#include "proto/task.pb.h"

namespace kg::cli {

// The tensors and cores of a case that a program in the DSL is lowered for.
dsl::Bindings bindings_of(const proto::Task& task, const proto::TaskCase& task_case);

}  // namespace kg::cli
