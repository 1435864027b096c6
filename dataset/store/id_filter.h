#pragma once

#include <string>
#include <vector>

namespace kg::dataset {

// The filter of --only: ids that equal or contain one of several parts, separated by commas; all ids if there
// is none. A part with as many slashes as an id must equal it, so that a/b/c does not select a/b/cd.
class IdFilter {
 public:
  IdFilter() = default;
  explicit IdFilter(const std::string& parts);
  bool takes(const std::string& id) const;

 private:
  std::vector<std::string> parts_;
};

}  // namespace kg::dataset
