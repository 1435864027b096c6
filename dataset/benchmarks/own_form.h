#pragma once

#include <cstdint>

#include "dataset/benchmarks/own_operator.h"

namespace kg::dataset::benchmarks {

// Throws Error with the reason if a made operator does not have the form that the judge relies on: known types,
// shapes of at most `most_bytes` a case, each tensor once and with as many bytes as its shape needs. For operators from
// untrusted files: whoever wrote the file may have written the answer as well.
void require_sound(const OwnOperator& made, std::uint64_t most_bytes);

}  // namespace kg::dataset::benchmarks
