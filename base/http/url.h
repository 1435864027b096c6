#pragma once

#include <string>

namespace kg::http {

struct Url {
  std::string origin;  // "http://host:8000"
  std::string path;    // "/v1", without a slash at its end; empty: the root
  bool secure = false;
};

// Throws Error with the reason if it is not an http or https URL, or if it has a user, a query or a fragment.
Url parse_url(const std::string& text);

}  // namespace kg::http
