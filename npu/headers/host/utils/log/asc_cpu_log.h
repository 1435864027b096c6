#pragma once

#include "log/ops_log.h"

// Log of code that runs on the CPU for a kernel.

#define ASC_CPU_LOG_ERROR(...) ::kgnpu_host::log("ERROR", "", __VA_ARGS__)
#define ASC_CPU_LOG_WARNING(...) ::kgnpu_host::log("WARNING", "", __VA_ARGS__)
#define ASC_CPU_LOG_INFO(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#define ASC_CPU_LOG_DEBUG(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
