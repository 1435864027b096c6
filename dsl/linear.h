#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kg::dsl {

// A whole number as a sum: constant + coefficient x name for each name. Names are loop variables, starts of tile ranges
// (by the range's name), their lengths ("len t"), and subexpressions that are not sums (by their text).
struct Linear {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> terms;  // without zero coefficients

  bool is_constant() const { return terms.empty(); }
  Linear& add(const Linear& other, std::int64_t factor) {
    constant += other.constant * factor;
    for (const auto& [name, coefficient] : other.terms)
      if ((terms[name] += coefficient * factor) == 0) terms.erase(name);
    return *this;
  }
};

}  // namespace kg::dsl
