#pragma once

#include "base/error.h"

namespace kg {

// What FileLock throws: another process has what was to be locked.
class InUse : public Error {
 public:
  using Error::Error;
};

}  // namespace kg
