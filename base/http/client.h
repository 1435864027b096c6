#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kg::http {

struct ClientOptions {
  std::string url;              // http://HOST:PORT or https://..., and a path that stands before each request's
  std::string token;            // sent as "Authorization: Bearer TOKEN"; empty: none
  double connect_seconds = 10;  // to reach the server
  double seconds = 600;         // a whole request may take, waiting for a busy server included
  std::uint64_t most_bytes = 256u << 20;  // of an answer
};

struct Reply {
  int status = 0;
  std::string body;
  double retry_after = 0;  // seconds, from the header of the same name; 0: it has none

  bool ok() const { return status >= 200 && status < 300; }
};

// A connection to one server, kept open between requests; one request at a time. https needs a certificate that this
// host trusts ($SSL_CERT_FILE names a further authority). Redirects are not followed, proxies not used.
class Client {
 public:
  explicit Client(ClientOptions options);  // connects at the first request; throws Error if the URL is none
  ~Client();
  Client(Client&&) noexcept;

  // Whatever the server answers. Throws Error, naming the URL, if there is no whole answer in time.
  Reply get(const std::string& path);
  Reply post(const std::string& path, const nlohmann::json& body);

  // The JSON of a good answer. A busy server (429, 503) is asked again, after what it says in Retry-After, as long as
  // the time lasts; any other answer is an Error with what the server says.
  nlohmann::json get_json(const std::string& path);
  nlohmann::json post_json(const std::string& path, const nlohmann::json& body);

  // From another thread: ends the request that is under way, and all later ones, with an Error.
  void stop();

  const std::string& url() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The value of an environment variable that holds a secret, so that no command line does. Empty name: no token. Throws
// Error if the variable is not set, or holds what cannot be sent.
std::string token_from_environment(const std::string& variable);

}  // namespace kg::http
