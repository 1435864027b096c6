#pragma once

#include "dsl/code.h"

namespace kg::dsl {

// The processing pass: steps to Ascend C in the stages copy in, compute, copy out. In the full form tensors go through
// queues; in the compact form barriers order the pipes. Every copy is still one of whole blocks, every count the plain
// one.
Code process(const Form& form);

}  // namespace kg::dsl
