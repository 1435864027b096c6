#pragma once

#include "tiling/tiling_templates_registry.h"
