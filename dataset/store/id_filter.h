#pragma once

#include <string>
#include <vector>

namespace kg::dataset {

// What --only names: ids that are, or contain, one of several parts, written with commas between them; all ids if there
// is none. A part with as many slashes as an id is a whole id, so that a/b/c does not name a/b/cd.
class IdFilter {
 public:
  IdFilter() = default;
  explicit IdFilter(const std::string& parts);
  bool takes(const std::string& id) const;

 private:
  std::vector<std::string> parts_;
};

}  // namespace kg::dataset
