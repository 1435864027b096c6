#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kg::detail {

void check_failed(const char* file, int line, const char* expression, const std::string& values) {
  std::fprintf(stderr, "kgtrain bug: %s:%d: check failed: %s%s%s\n", file, line, expression,
               values.empty() ? "" : "; values: ", values.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace kg::detail
