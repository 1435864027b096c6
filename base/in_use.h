#pragma once

#include "base/error.h"

namespace kg {

// Thrown by FileLock: another process holds the lock.
class InUse : public Error {
 public:
  using Error::Error;
};

}  // namespace kg
