#pragma once

#include "log/ops_log.h"

// The system's log as op_host code calls it: errors are printed.

enum : int32_t { DLOG_DEBUG = 0, DLOG_INFO = 1, DLOG_WARN = 2, DLOG_ERROR = 3, DLOG_EVENT = 16 };
enum : int32_t { OP = 63 };  // the module

template <typename... Values>
inline void DlogSub(int32_t, const char* module, int32_t level, const char* format, const Values&... values) {
  if (level == DLOG_ERROR) ::kgnpu_host::log("ERROR", module, format, values...);
}
template <typename... Values>
inline void DlogRecord(int32_t, int32_t level, const char* format, const Values&... values) {
  if (level == DLOG_ERROR) ::kgnpu_host::log("ERROR", "op_host", format, values...);
}
inline int32_t CheckLogLevel(int32_t, int32_t level) { return level == DLOG_ERROR ? 1 : 0; }

#define REPORT_INNER_ERR_MSG(code, ...) ::kgnpu_host::log("ERROR", code, __VA_ARGS__)
