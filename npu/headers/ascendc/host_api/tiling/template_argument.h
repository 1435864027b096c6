#pragma once

#include "../../../kgnpu/template_types.h"

// On the kernel's side the declarations have no effect: the host side has chosen the arguments.

#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)
