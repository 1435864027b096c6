#include "base/program.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace kg {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.full_message().c_str());
  return error.exit_status();
}

// An error of the file system at a place that did not check for it.
Error described(const fs::filesystem_error& error) {
  const std::error_code code = error.code();
  const bool users = code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory ||
                     code == std::errc::is_a_directory || code == std::errc::file_exists ||
                     code == std::errc::filename_too_long;
  return {"the file system refused the operation: " + code.message(), error.path1().string(),
          users                                   ? "check the path: does every part of it exist, and is it a folder?"
          : code == std::errc::no_space_on_device ? "free disk space, or name another place"
                                                  : "check its permissions, or name another place",
          users ? Error::Kind::kUsage : Error::Kind::kEnvironment};
}

}  // namespace

int run_program(const std::function<int()>& body) {
  try {
    const int status = body();
    // Printed text may still be in memory: a full disk or a closed pipe shows only now.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error("what was printed could not all be written: " + std::string(std::strerror(errno)), "standard output",
                  "check that the disk has room, and that the program reading the output is still running",
                  Error::Kind::kEnvironment);
    return status;
  } catch (const Error& error) {
    return report(error);
  } catch (const fs::filesystem_error& error) {
    return report(described(error));
  } catch (const nlohmann::json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    return report(Error("a JSON text does not have the expected form: " + what.substr(what.find(' ') + 1),
                        "the JSON files that were named", "check them, or make them again", Error::Kind::kFailed));
  } catch (const std::bad_alloc&) {
    return report(Error("there is not enough memory", "this process", "close other programs, or ask for less at once",
                        Error::Kind::kEnvironment));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace kg
