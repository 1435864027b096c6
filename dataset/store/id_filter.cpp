#include "dataset/store/id_filter.h"

#include <algorithm>
#include <sstream>

namespace kg::dataset {

IdFilter::IdFilter(const std::string& parts) {
  std::istringstream text(parts);
  for (std::string part; std::getline(text, part, ',');)
    if (!part.empty()) parts_.push_back(part);
}

bool IdFilter::takes(const std::string& id) const {
  const auto depth = std::count(id.begin(), id.end(), '/');
  return parts_.empty() || std::any_of(parts_.begin(), parts_.end(), [&](const std::string& part) {
           const bool whole = depth > 0 && std::count(part.begin(), part.end(), '/') == depth && !part.ends_with('/');
           return whole ? id == part : id.find(part) != std::string::npos;
         });
}

}  // namespace kg::dataset
