#pragma once

#include "dsl/code.h"

namespace kg::dsl {

// The processing pass: steps become Ascend C in the stages copy in, compute, copy out. In the full form tensors go
// through queues; in the compact form barriers order the pipes. Every copy still has whole blocks, every count its
// plain value.
Code process(const Form& form);

}  // namespace kg::dsl
