#include "base/nearest_name.h"

#include <algorithm>

namespace kg {

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const std::string& candidate : known) {
    // Two letters that changed places are one slip, as one that is missing, added or another.
    std::vector<std::size_t> row(candidate.size() + 1), before(row), before_that(row);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      before_that.swap(before);
      before.swap(row);
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (name[i - 1] == candidate[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1])
          row[j] = std::min(row[j], before_that[j - 2] + 1);
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace kg
