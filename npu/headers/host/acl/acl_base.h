#pragma once

#include <cstdint>
#include <cstdio>

// The part of the runtime's interface that an operator project's host sources name: types, status codes and its log.
// Functions of the runtime itself are missing: the host side of an operator has no device.

using aclError = int;
using aclrtStream = void*;

constexpr aclError ACL_SUCCESS = 0;

enum aclLogLevel { ACL_DEBUG = 0, ACL_INFO = 1, ACL_WARNING = 2, ACL_ERROR = 3 };

enum aclDataType {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1 = 30,
  ACL_COMPLEX32 = 33
};

// Warnings and errors are printed, like those of the log macros.
template <typename... Values>
inline void aclAppLog(aclLogLevel level, const char* function, const char* file, uint32_t line, const char* format,
                      const Values&... values) {
  if (level < ACL_WARNING) return;
  std::fprintf(stderr, "[%s] %s %s:%u: ", level == ACL_ERROR ? "ERROR" : "WARNING", function, file, line);
  std::fprintf(stderr, format, values...);
  std::fputc('\n', stderr);
}
