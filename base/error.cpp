#include "base/error.h"

namespace kg {

Error::Error(std::string what, std::string where, std::string hint, Kind kind)
    : std::runtime_error(std::move(what)), where_(std::move(where)), hint_(std::move(hint)), kind_(kind) {}

std::string Error::full_message() const {
  std::string message = what();
  if (!where_.empty()) message += "\n  at: " + where_;
  if (!hint_.empty()) message += "\n  try: " + hint_;
  return message;
}

}  // namespace kg
