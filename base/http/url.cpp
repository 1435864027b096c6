#include "base/http/url.h"

#include <algorithm>

#include "base/error.h"

namespace kg::http {

Url parse_url(const std::string& text) {
  const auto refuse = [&](const std::string& why) -> Error {
    return {"\"" + text + "\" is not the address of a server: " + why, "URL", "for example http://127.0.0.1:8000/v1"};
  };
  Url url;
  std::size_t host = 0;
  if (text.starts_with("http://")) host = 7;
  if (text.starts_with("https://")) host = 8;
  if (host == 0) throw refuse("it begins with neither http:// nor https://");
  url.secure = host == 8;
  for (const char byte : text)
    if (static_cast<unsigned char>(byte) <= ' ' || static_cast<unsigned char>(byte) >= 0x7f)
      throw refuse("it holds a character other than printable ASCII");
  if (text.find_first_of("?#", host) != std::string::npos) throw refuse("it has a query or a fragment");
  const std::size_t slash = std::min(text.find('/', host), text.size());
  const std::string authority = text.substr(host, slash - host);
  if (authority.find('@') != std::string::npos) throw refuse("it names a user; put a token in an environment variable");
  const std::size_t bracket = authority.rfind(']');  // closes an IPv6 address
  const std::size_t colon = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  const std::string name = authority.substr(0, colon);
  if (name.empty()) throw refuse("it does not name a host");
  if (colon != std::string::npos) {
    const std::string port = authority.substr(colon + 1);
    const bool digits =
        !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || std::stoi(port) < 1 || std::stoi(port) > 65535)
      throw refuse("its port is \"" + port + "\", expected a number from 1 to 65535");
  }
  url.origin = text.substr(0, slash);
  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

}  // namespace kg::http
