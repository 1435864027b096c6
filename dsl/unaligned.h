#pragma once

#include "dsl/code.h"

namespace kg::dsl {

// The unaligned access pass: a copy whose offset and length are whole blocks of 32 bytes stays a DataCopy, any other
// becomes a DataCopyPad; comparisons and copies in UB get the whole repeats or blocks they need. Throws Refusal
// for a load that reaches further outside its tensor than a copy can pad.
void correct_unaligned(const Form& form, Code& code);

}  // namespace kg::dsl
