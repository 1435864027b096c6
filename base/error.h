#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace kg {

// A bad user input, a missing tool or a broken file: what happened, where, and what to do about it. Caught in `main`
// and at the border of a lease. A verdict on a kernel is a value, never an Error; a bug is a KG_CHECK.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    kFailed = 1,       // the work failed
    kUsage = 2,        // wrong usage or input
    kEnvironment = 3,  // the environment lacks something
  };

  Error(std::string what, std::string where, std::string hint, Kind kind = Kind::kUsage);

  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }
  Kind kind() const { return kind_; }
  int exit_status() const { return static_cast<int>(kind_); }
  // "what\n  at: where\n  try: hint", as `main` prints it.
  std::string full_message() const;

 private:
  std::string where_;
  std::string hint_;
  Kind kind_;
};

}  // namespace kg
