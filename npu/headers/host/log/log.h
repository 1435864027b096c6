#pragma once

#include "log/ops_log.h"
