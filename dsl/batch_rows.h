#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Part of the tiling pass. The loop at this step, which loads or stores one short row per turn, copies up to `rows` of
// them at once, one block per row, and visits them in an inner loop: the start of a copy is paid once. False: it has
// no such rows.
bool batch_rows(Form& form, std::size_t loop, std::int64_t rows);

}  // namespace kg::dsl
