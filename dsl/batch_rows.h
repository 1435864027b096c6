#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Part of the tiling pass. The loop at this step, which loads or stores short rows, one a turn, copies up to `rows` of
// them at once, a block a row, and walks over them in a loop of its own: the start of a copy is paid once. False: it
// has none.
bool batch_rows(Form& form, std::size_t loop, std::int64_t rows);

}  // namespace kg::dsl
