#pragma once

#include <cstdint>

#include "dataset/benchmarks/own_operator.h"

namespace kg::dataset::benchmarks {

// Throws Error that says what is wrong if a made operator is not of the form that the judge relies on: known types,
// shapes of at most `most_bytes` a case, each tensor once and with the bytes that its shape has. For operators of
// files that are not trusted: whoever writes the file may have written the answer as well.
void require_sound(const OwnOperator& made, std::uint64_t most_bytes);

}  // namespace kg::dataset::benchmarks
