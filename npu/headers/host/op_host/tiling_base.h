#pragma once

#include "tiling/tiling_base.h"
