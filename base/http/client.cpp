#include "base/http/client.h"

#include <httplib.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/http/url.h"

namespace kg::http {
namespace {

constexpr double kFirstPause = 0.2, kLongestPause = 30;  // where a busy server names no time

// A peer that goes while something is written to it is an error of that request, not the end of the process, whatever
// the rest of the process does with the signal.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    if (sigismember(&before_, SIGPIPE) == 0)
      while (sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

// A server's error message: {"error": {"message": ...}} as in OpenAI's API, {"error": ...},
// {"detail": ...}, else the body's text.
std::string what_it_says(const Reply& reply) {
  const nlohmann::json object = nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  std::string text = reply.body;
  if (object.is_object()) {
    const nlohmann::json said = object.value("error", object.value("detail", nlohmann::json()));
    if (said.is_string()) text = said.get<std::string>();
    if (said.is_object() && said.contains("message") && said["message"].is_string())
      text = said["message"].get<std::string>();
  }
  constexpr std::size_t kMost = 500;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text.empty() ? "" : ": " + text;
}

std::string hint_for(int status) {
  switch (status) {
    case 401:
    case 403:
      return "put the server's token in the environment variable named for it";
    case 404:
      return "look at the address: an OpenAI-compatible server's usually ends in /v1";
    case 413:
      return "send less at once, or raise the server's limit";
    case 429:
    case 503:
      return "the server stayed busy: ask for less at once, or allow more time";
    default:
      return status >= 500 ? "look at the server's log" : "the server rejects this request";
  }
}

}  // namespace

struct Client::State {
  State(ClientOptions given, const Url& url) : options(std::move(given)), path(url.path), http(url.origin) {
    http.set_keep_alive(true);
    http.set_tcp_nodelay(true);
    http.set_follow_location(false);
    const auto microseconds = [](double seconds) {
      return std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    };
    http.set_connection_timeout(microseconds(options.connect_seconds));
    http.set_read_timeout(microseconds(options.seconds));
    http.set_write_timeout(microseconds(options.seconds));
  }

  Reply ask(const std::string& method, const std::string& route, const std::string& body, double seconds);
  nlohmann::json ask_json(const std::string& method, const std::string& route, const std::string& body);
  Error no_answer(httplib::Error error, const std::string& route, double waited, bool too_large) const;

  ClientOptions options;
  std::string path;
  httplib::Client http;
  std::atomic<bool> stopped = false;
};

Error Client::State::no_answer(httplib::Error error, const std::string& route, double waited, bool too_large) const {
  const std::string where = options.url + " " + route;
  const std::string after = std::to_string(static_cast<long>(waited)) + " s";
  using Kind = kg::Error::Kind;
  if (stopped) return {"the request was stopped", where, "", Kind::kFailed};
  if (too_large)
    return {"the server's answer is larger than " + std::to_string(options.most_bytes) + " bytes", where,
            "is this the right server?", Kind::kFailed};
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
    case httplib::Error::BindIPAddress:
      return {"no server can be reached within " + std::to_string(static_cast<long>(options.connect_seconds)) + " s",
              where, "is it running there? check host and port", Kind::kEnvironment};
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return {"no secure connection: " + httplib::to_string(error), where,
              "set $SSL_CERT_FILE to its certificate authority, or use http:// if it does not speak TLS",
              Kind::kEnvironment};
    default:
      if (waited >= options.seconds * 0.999)
        return {"no complete answer within " + after, where, "allow more time, or ask for less at once", Kind::kFailed};
      return {"the connection broke after " + after + ": " + httplib::to_string(error), where,
              "look at the server's log", Kind::kFailed};
  }
}

Reply Client::State::ask(const std::string& method, const std::string& route, const std::string& body, double seconds) {
  const WithoutSigpipe quiet;
  const double started = monotonic_seconds();
  Reply reply;
  bool too_large = false;
  httplib::Request request;
  request.method = method;
  request.path = path + route;
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  if (!options.token.empty()) request.headers.emplace("Authorization", "Bearer " + options.token);
  request.body = body;
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    too_large = reply.body.size() + size > options.most_bytes;
    if (too_large || stopped || monotonic_seconds() - started > seconds) return false;
    reply.body.append(data, size);
    return true;
  };
  http.set_read_timeout(std::chrono::milliseconds(static_cast<std::int64_t>(std::max(seconds, 0.001) * 1e3)));
  if (stopped) throw no_answer(httplib::Error::Canceled, route, 0, false);
  httplib::Result result = http.send(request);
  // A server may close a connection that it kept while a request is on its way; a GET can be sent again (RFC
  // 9110, 9.2.2).
  const bool broke = result.error() == httplib::Error::Read || result.error() == httplib::Error::Write;
  if (!result && broke && method == "GET" && reply.body.empty() && !stopped) result = http.send(request);
  if (!result) throw no_answer(result.error(), route, monotonic_seconds() - started, too_large);
  reply.status = result->status;
  reply.retry_after = std::max(0.0, std::atof(result->get_header_value("Retry-After").c_str()));
  return reply;
}

nlohmann::json Client::State::ask_json(const std::string& method, const std::string& route, const std::string& body) {
  const double until = monotonic_seconds() + options.seconds;
  double pause = kFirstPause;
  for (;;) {
    const Reply reply = ask(method, route, body, until - monotonic_seconds());
    const std::string where = options.url + " " + route;
    if (reply.ok()) {
      nlohmann::json answer = nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
      if (answer.is_discarded())
        throw Error("the server's answer is not JSON: \"" + reply.body.substr(0, 100) + "\"", where,
                    "is this the right server?", Error::Kind::kFailed);
      return answer;
    }
    const double wait = reply.retry_after > 0 ? std::min(reply.retry_after, kLongestPause) : pause;
    const bool busy = reply.status == 429 || reply.status == 503;
    if (!busy || stopped || monotonic_seconds() + wait >= until)
      throw Error("the server answers with status " + std::to_string(reply.status) + what_it_says(reply), where,
                  hint_for(reply.status), Error::Kind::kFailed);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    pause = std::min(2 * pause, kLongestPause);
  }
}

Client::Client(ClientOptions options) {
  const Url url = parse_url(options.url);
  state_ = std::make_unique<State>(std::move(options), url);
}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

Reply Client::get(const std::string& path) { return state_->ask("GET", path, "", state_->options.seconds); }
Reply Client::post(const std::string& path, const nlohmann::json& body) {
  return state_->ask("POST", path, body.dump(), state_->options.seconds);
}
nlohmann::json Client::get_json(const std::string& path) { return state_->ask_json("GET", path, ""); }
nlohmann::json Client::post_json(const std::string& path, const nlohmann::json& body) {
  return state_->ask_json("POST", path, body.dump());
}

void Client::stop() {
  state_->stopped = true;
  state_->http.stop();
}

const std::string& Client::url() const { return state_->options.url; }

std::string token_from_environment(const std::string& variable) {
  if (variable.empty()) return {};
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0')
    throw Error("the environment variable " + variable + ", which should hold a token, is not set", variable,
                "export " + variable + "=...");
  const std::string token = value;
  for (const char byte : token)
    if (static_cast<unsigned char>(byte) <= ' ' || static_cast<unsigned char>(byte) >= 0x7f)
      throw Error("the token in the environment variable " + variable +
                      " holds a space or another character that "
                      "cannot be sent",
                  variable, "export it without quotes and line ends");
  return token;
}

}  // namespace kg::http
