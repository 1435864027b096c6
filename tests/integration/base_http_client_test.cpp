#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/http/client.h"

namespace kg::http {
namespace {

using testing::HasSubstr;

// A server of cpp-httplib on a free port of 127.0.0.1, in a thread.
class TestServer {
 public:
  explicit TestServer(std::unique_ptr<httplib::Server> server = std::make_unique<httplib::Server>())
      : server_(std::move(server)) {
    server_->Post("/v1/echo", [](const httplib::Request& request, httplib::Response& response) {
      const nlohmann::json told{{"body", nlohmann::json::parse(request.body)},
                                {"authorization", request.get_header_value("Authorization")}};
      response.set_content(told.dump(), "application/json");
    });
    server_->Post("/v1/busy", [this](const httplib::Request&, httplib::Response& response) {
      if (++asked_ < 3) {
        response.status = asked_ == 1 ? 429 : 503;
        response.set_header("Retry-After", "0.05");
        return;
      }
      response.set_content(R"({"tries": 3})", "application/json");
    });
    server_->Get("/v1/large", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(100000, 'x'), "text/plain");
    });
    server_->Get("/v1/words", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("<html>hello</html>", "text/html");
    });
    server_->Get("/v1/slow", [this](const httplib::Request&, httplib::Response& response) {
      for (int i = 0; i < 300 && !ending_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      response.set_content("{}", "application/json");
    });
    server_->Get("/v1/trickle", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content_provider("text/plain", [this](std::size_t, httplib::DataSink& sink) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return !ending_ && sink.write(" ", 1);
      });
    });
    server_->Get("/v1/forbidden", [](const httplib::Request&, httplib::Response& response) {
      response.status = 401;
      response.set_content(R"({"error": {"message": "no such key", "type": "auth"}})", "application/json");
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~TestServer() {
    ending_ = true;
    server_->stop();
    thread_.join();
  }
  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/v1";
  }

 private:
  std::unique_ptr<httplib::Server> server_;
  std::atomic<int> asked_ = 0;
  std::atomic<bool> ending_ = false;
  int port_ = 0;
  std::thread thread_;
};

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

TEST(HttpClient, PostsJsonWithItsTokenOverOneConnection) {
  TestServer server;
  Client client({.url = server.url(), .token = "secret-1"});
  for (int i = 0; i < 12; ++i) {  // more than the server keeps a connection for
    const nlohmann::json answer = client.post_json("/echo", {{"number", i}, {"text", "\u00e4\n"}});
    EXPECT_EQ(answer["body"]["number"], i);
    EXPECT_EQ(answer["body"]["text"], "\u00e4\n");
    EXPECT_EQ(answer["authorization"], "Bearer secret-1");
  }
}

TEST(HttpClient, ABusyServerIsAskedAgain) {
  TestServer server;
  Client client({.url = server.url()});
  EXPECT_EQ(client.post_json("/busy", nlohmann::json::object())["tries"], 3);
}

TEST(HttpClient, ARefusalTellsWhatTheServerSaysAndWhatToDo) {
  TestServer server;
  Client client({.url = server.url()});
  const std::string message = failure_of([&] { client.get_json("/forbidden"); });
  EXPECT_THAT(message, HasSubstr("status 401: no such key"));
  EXPECT_THAT(message, HasSubstr(server.url() + " /forbidden"));
  EXPECT_THAT(message, HasSubstr("environment variable"));
  EXPECT_THAT(failure_of([&] { client.get_json("/absent"); }), HasSubstr("status 404"));
  EXPECT_THAT(failure_of([&] { client.get_json("/words"); }), HasSubstr("is not JSON: \"<html>hello"));
}

TEST(HttpClient, AnAnswerHasATimeAndASize) {
  TestServer server;
  Client slow({.url = server.url(), .seconds = 0.3});
  EXPECT_THAT(failure_of([&] { slow.get("/slow"); }), HasSubstr("no complete answer within"));
  EXPECT_THAT(failure_of([&] { slow.get("/trickle"); }), HasSubstr("no complete answer within"));
  Client small({.url = server.url(), .most_bytes = 50000});
  EXPECT_THAT(failure_of([&] { small.get("/large"); }), HasSubstr("larger than 50000 bytes"));
  Client large({.url = server.url(), .most_bytes = 100000});
  EXPECT_EQ(large.get("/large").body.size(), 100000u);
}

TEST(HttpClient, StopsFromAnotherThread) {
  TestServer server;
  Client client({.url = server.url()});
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    client.stop();
  });
  EXPECT_THAT(failure_of([&] { client.get("/slow"); }), HasSubstr("was stopped"));
  EXPECT_THAT(failure_of([&] { client.get("/words"); }), HasSubstr("was stopped"));
  stopper.join();
}

TEST(HttpClient, AServerThatIsNotThereIsNamed) {
  std::string url;
  {
    url = TestServer().url();
  }
  Client client({.url = url});
  const std::string message = failure_of([&] { client.get("/x"); });
  EXPECT_THAT(message, HasSubstr("no server can be reached"));
  EXPECT_THAT(message, HasSubstr(url));
}

// The certificate is one that the test makes for itself.
TEST(HttpClient, SpeaksTlsAndTrustsOnlyWhatTheHostTrusts) {
  const TemporaryFolder folder;
  const std::string key = folder.path() / "key.pem", certificate = folder.path() / "certificate.pem";
  const FinishedChild made = run_child(
      {.words = {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                 "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate},
       .output = ChildCommand::kPipe,
       .errors = ChildCommand::kSameAsOutput});
  ASSERT_TRUE(made.end.success()) << made.output;
  TestServer server(std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str()));
  Client stranger({.url = server.url("https")});
  EXPECT_THAT(failure_of([&] { stranger.get("/words"); }), HasSubstr("no secure connection"));
  ASSERT_EQ(::setenv("SSL_CERT_FILE", certificate.c_str(), 1), 0);
  Client friendly({.url = server.url("https")});
  EXPECT_EQ(friendly.get("/words").body, "<html>hello</html>");
  ::unsetenv("SSL_CERT_FILE");
}

TEST(HttpClient, ATokenComesFromTheEnvironment) {
  EXPECT_EQ(token_from_environment(""), "");
  ::setenv("KG_TEST_TOKEN", "abc", 1);
  EXPECT_EQ(token_from_environment("KG_TEST_TOKEN"), "abc");
  ::setenv("KG_TEST_TOKEN", "a b\n", 1);
  EXPECT_THAT(failure_of([] { token_from_environment("KG_TEST_TOKEN"); }), HasSubstr("KG_TEST_TOKEN"));
  ::unsetenv("KG_TEST_TOKEN");
  EXPECT_THAT(failure_of([] { token_from_environment("KG_TEST_TOKEN"); }), HasSubstr("not set"));
}

}  // namespace
}  // namespace kg::http
