#include "base/program.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "base/error.h"

namespace kg {

int run_program(const std::function<int()>& body) {
  try {
    const int status = body();
    // What was printed may still wait in memory: a full disk or a closed pipe shows only now.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error("what was printed could not all be written: " + std::string(std::strerror(errno)), "standard output",
                  "check that the disk has room, and that whoever reads it has not ended", Error::Kind::kEnvironment);
    return status;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.full_message().c_str());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace kg
