#pragma once

#include <cstdint>
#include <string>

namespace kg::dataset {

// Looks for a single bit whose flip gives bytes with this XXH3-64, and flips it: most damage by memory and cables is a
// single bit. False, with the bytes unchanged, if there is none. Tries every bit: seconds for 64 KiB. A wrong bit
// matches only if a random 64-bit number is one of the few hundred thousand that occur.
bool put_right_one_bit(std::string& bytes, std::uint64_t checksum);

}  // namespace kg::dataset
