#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kg::http {

struct ClientOptions {
  std::string url;              // http://HOST:PORT or https://..., with an optional prefix of each request's path
  std::string token;            // sent as "Authorization: Bearer TOKEN"; empty: none
  double connect_seconds = 10;  // limit for reaching the server
  double seconds = 600;         // limit for a whole request, including the wait for a busy server
  std::uint64_t most_bytes = 256u << 20;  // largest answer
};

struct Reply {
  int status = 0;
  std::string body;
  double retry_after = 0;  // value of the Retry-After header, in seconds; 0: there is none

  bool ok() const { return status >= 200 && status < 300; }
};

// A connection to one server, kept open between requests; one request at a time. https needs a certificate that this
// host trusts ($SSL_CERT_FILE names a further authority). Redirects are not followed, proxies not used.
class Client {
 public:
  explicit Client(ClientOptions options);  // connects at the first request; throws Error if the URL is not valid
  ~Client();
  Client(Client&&) noexcept;

  // Whatever the server answers. Throws Error, naming the URL, if no complete answer arrives in time.
  Reply get(const std::string& path);
  Reply post(const std::string& path, const nlohmann::json& body);

  // The JSON of a successful answer. A busy server (429, 503) is asked again after the time in Retry-After, as long as
  // there is time left; any other answer is an Error with the server's own message.
  nlohmann::json get_json(const std::string& path);
  nlohmann::json post_json(const std::string& path, const nlohmann::json& body);

  // May be called from another thread: ends the current request, and all later ones, with an Error.
  void stop();

  const std::string& url() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The value of an environment variable that holds a secret, to keep it off command lines. Empty name: no token. Throws
// Error if the variable is not set, or if its value cannot be sent.
std::string token_from_environment(const std::string& variable);

}  // namespace kg::http
