#pragma once

#include <cstdint>
#include <string>

namespace kg::dataset {

// Looks for the one bit whose flip gives the bytes this XXH3-64, and flips it: most damage of memory and of cables is a
// single bit. False, with the bytes as they were, if there is none. Tries each: seconds for 64 KiB. That a wrong bit
// fits is as likely as that a random number of 64 bits is one of the few hundred thousand.
bool put_right_one_bit(std::string& bytes, std::uint64_t checksum);

}  // namespace kg::dataset
