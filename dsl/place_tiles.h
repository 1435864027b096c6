#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Gives the tiles of the work buffer (in the compact form all tiles) places; tiles that do not live at the same time
// share them: in as few bytes as possible, or, with `apart`, with few conflicts at UB's banks.
void place_tiles(Form& form, bool apart);

}  // namespace kg::dsl
