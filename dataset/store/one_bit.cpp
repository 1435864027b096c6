#include "dataset/store/one_bit.h"

#include "base/hash.h"

namespace kg::dataset {

bool put_right_one_bit(std::string& bytes, std::uint64_t checksum) {
  for (char& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      if (hash64(bytes) == checksum) return true;
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }
  return false;
}

}  // namespace kg::dataset
