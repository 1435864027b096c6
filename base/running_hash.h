#pragma once

#include <string>
#include <string_view>

namespace kg {

// The XXH3-128 of bytes that arrive in pieces: equals hash128_hex of all of them (base/hash.h).
class RunningHash128 {
 public:
  RunningHash128();
  ~RunningHash128();
  RunningHash128(const RunningHash128&) = delete;
  RunningHash128& operator=(const RunningHash128&) = delete;
  void reset();
  void add(std::string_view bytes);
  std::string hex() const;

 private:
  void* state_;
};

}  // namespace kg
