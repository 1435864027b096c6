#include "base/program.h"

#include <cstdio>
#include <exception>

#include "base/error.h"

namespace kg {

int run_program(const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.full_message().c_str());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace kg
