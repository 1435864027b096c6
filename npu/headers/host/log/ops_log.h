#pragma once

#include <cstdio>
#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

// Log and check macros. Warnings and errors are printed; a project's own definitions of the macros go before these.

namespace kgnpu_host {

inline const char* log_name(const char* name) { return name == nullptr ? "nil" : name; }
inline const char* log_name(const std::string& name) { return name.c_str(); }
inline const char* log_name(const ge::AscendString& name) { return name.GetString(); }
template <typename Context>
inline auto log_name(const Context* context) -> decltype(context->GetNodeName()) {
  return context == nullptr ? "nil" : context->GetNodeName();
}

inline const char* log_text(const std::string& text) { return text.c_str(); }
template <typename T>
inline const T& log_text(const T& value) {
  return value;
}

template <typename Name, typename Format, typename... Values>
inline void log(const char* level, const Name& name, const Format& format, const Values&... values) {
  std::fprintf(stderr, "[%s] %s: ", level, log_name(name));
  std::fprintf(stderr, log_text(format), log_text(values)...);
  std::fputc('\n', stderr);
}
inline void log(const char*) {}
template <typename... Values>
inline void log_nothing(const Values&...) {}

}  // namespace kgnpu_host

#ifndef OP_LOGD
#define OP_LOGD(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#endif
#ifndef OP_LOGI
#define OP_LOGI(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#endif
#ifndef OP_LOGW
#define OP_LOGW(...) ::kgnpu_host::log("WARNING", __VA_ARGS__)
#endif
#ifndef OP_LOGE
#define OP_LOGE(...) ::kgnpu_host::log("ERROR", __VA_ARGS__)
#endif
#ifndef OP_EVENT
#define OP_EVENT(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#endif
#ifndef OP_LOGE_IF
#define OP_LOGE_IF(condition, value, ...)      \
  do {                                         \
    if (condition) {                           \
      ::kgnpu_host::log("ERROR", __VA_ARGS__); \
      return value;                            \
    }                                          \
  } while (0)
#endif
#define KG_OPS_CHECK(condition, log_call, ...) \
  do {                                         \
    if (condition) {                           \
      log_call;                                \
      __VA_ARGS__;                             \
    }                                          \
  } while (0)
#ifndef OP_TILING_CHECK
#define OP_TILING_CHECK(condition, log_call, ...) KG_OPS_CHECK(condition, log_call, __VA_ARGS__)
#endif
#ifndef OP_CHECK
#define OP_CHECK(condition, log_call, ...) KG_OPS_CHECK(condition, log_call, __VA_ARGS__)
#endif
#ifndef OP_CHECK_IF
#define OP_CHECK_IF(condition, log_call, ...) KG_OPS_CHECK(condition, log_call, __VA_ARGS__)
#endif
#ifndef OPS_ERR_IF
#define OPS_ERR_IF(condition, log_call, ...) KG_OPS_CHECK(condition, log_call, __VA_ARGS__)
#endif
#ifndef OPS_CHECK
#define OPS_CHECK(condition, log_call, ...) KG_OPS_CHECK(condition, log_call, __VA_ARGS__)
#endif
#ifndef OPS_LOG_E_IF_NULL
#define OPS_LOG_E_IF_NULL(name, pointer, ...) \
  KG_OPS_CHECK((pointer) == nullptr, ::kgnpu_host::log("ERROR", name, "%s is null", #pointer), __VA_ARGS__)
#endif
#ifndef OPS_LOG_E_IF
#define OPS_LOG_E_IF(condition, name, action, ...) \
  KG_OPS_CHECK(condition, ::kgnpu_host::log("ERROR", name, __VA_ARGS__), action)
#endif
#define KG_OPS_CHECK_NULL(context, pointer, value)                                  \
  do {                                                                              \
    if ((pointer) == nullptr) {                                                     \
      ::kgnpu_host::log("ERROR", (context)->GetNodeName(), "%s is null", #pointer); \
      return value;                                                                 \
    }                                                                               \
  } while (0)
#ifndef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) KG_OPS_CHECK_NULL(context, pointer, ::ge::GRAPH_FAILED)
#endif
#ifndef OPS_CHECK_NULL_WITH_CONTEXT_RET
#define OPS_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, value) KG_OPS_CHECK_NULL(context, pointer, value)
#endif
#ifndef OP_CHECK_NULL_WITH_CONTEXT
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) KG_OPS_CHECK_NULL(context, pointer, ::ge::GRAPH_FAILED)
#endif
#define KG_OPS_REPORT(name, ...) ::kgnpu_host::log("ERROR", name, __VA_ARGS__)
#ifndef VECTOR_INNER_ERR_REPORT_TILIING
#define VECTOR_INNER_ERR_REPORT_TILIING(name, ...) KG_OPS_REPORT(name, __VA_ARGS__)
#endif
#ifndef CUBE_INNER_ERR_REPORT
#define CUBE_INNER_ERR_REPORT(name, ...) KG_OPS_REPORT(name, __VA_ARGS__)
#endif
#ifndef VECTOR_INFER_SHAPE_INNER_ERR_REPORT
#define VECTOR_INFER_SHAPE_INNER_ERR_REPORT(name, ...) KG_OPS_REPORT(name, __VA_ARGS__)
#endif
#ifndef OPS_REPORT_VECTOR_INNER_ERR
#define OPS_REPORT_VECTOR_INNER_ERR(name, ...) KG_OPS_REPORT(name, __VA_ARGS__)
#endif
#ifndef OPS_REPORT_CUBE_INNER_ERR
#define OPS_REPORT_CUBE_INNER_ERR(name, ...) KG_OPS_REPORT(name, __VA_ARGS__)
#endif
#ifndef OPS_LOG_D
#define OPS_LOG_D(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#endif
#ifndef OPS_LOG_I
#define OPS_LOG_I(...) ::kgnpu_host::log_nothing(__VA_ARGS__)
#endif
#ifndef OPS_LOG_W
#define OPS_LOG_W(name, ...) ::kgnpu_host::log("WARNING", name, __VA_ARGS__)
#endif
#ifndef OPS_LOG_E
#define OPS_LOG_E(name, ...) ::kgnpu_host::log("ERROR", name, __VA_ARGS__)
#endif
