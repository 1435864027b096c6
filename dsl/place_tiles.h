#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Gives the tiles of the work buffer (in the compact form all tiles) places, which those share that do not live at the
// same time: as few bytes as go, or, with `apart`, so that instructions meet little at UB's banks.
void place_tiles(Form& form, bool apart);

}  // namespace kg::dsl
