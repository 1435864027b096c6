// `kgtrain serve` from outside: real sockets, real sandboxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/http/client.h"
#include "dataset/store/dataset.h"
#include "tests/security/hacks/hack.h"
#include "tests/support/shared_cache.h"

namespace kg::cli {
namespace {

using nlohmann::json;
using sandbox::testing::elementwise;
using ::testing::HasSubstr;

const std::string kRight = elementwise("Relu(o, a, n);"), kWrong = elementwise("Adds(o, a, 0.0f, n);"),
                  kBroken = elementwise("Rellu(o, a, n);");

std::string line_of(Descriptor& pipe) {
  std::string line;
  for (char byte = 0; read_fully(pipe.number(), &byte, 1) == 1 && byte != '\n';) line += byte;
  return line;
}

class ServeTest : public ::testing::Test {
 protected:
  ServeTest() {
    const auto data = dataset::Dataset::open(folder_.path() / "tasks.h5", dataset::OpenMode::kCreate);
    proto::JournalRecord record;
    *record.mutable_task() = sandbox::testing::relu_task();
    record.mutable_task()->set_id("relu");
    record.mutable_task()->set_split("train");
    record.mutable_task()->set_prompt_short("Write relu.");
    data->append({record});
    kg::share_cache(folder_.path() / "home");
  }

  // The first line that it prints; `url_` where it listens.
  std::string start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{std::string(KG_BINARY_DIR) + "/bin/kgtrain",
                                   "serve",
                                   "--data",
                                   (folder_.path() / "tasks.h5").string(),
                                   "--port",
                                   "0",
                                   "--jobs",
                                   "2",
                                   "--no-modules"};
    words.insert(words.end(), more.begin(), more.end());
    log_ = Descriptor(::open((folder_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    service_ = ChildProcess({.words = words,
                             .environment = {"KGTRAIN_HOME=" + (folder_.path() / "home").string()},
                             .input = ChildCommand::kNothing,
                             .output = ChildCommand::kPipe,
                             .errors = log_.number(),
                             .group = ChildCommand::Group::kOwnSession});
    const std::string line = line_of(service_.output());
    std::smatch found;
    if (std::regex_search(line, found, std::regex("http://[0-9.:]+"))) url_ = found[0];
    return line;
  }

  http::Client client(const std::string& token = "") {
    return http::Client({.url = url_, .token = token, .seconds = 120});
  }

  static json request(const std::string& kernel, const std::string& id = "") {
    json body{{"task", "relu"}, {"kernel", kernel}, {"wait", 100}};
    if (!id.empty()) body["id"] = id;
    return body;
  }

  TemporaryFolder folder_;
  Descriptor log_;
  ChildProcess service_;
  std::string url_;
};

TEST_F(ServeTest, JudgesAsTheCommandDoes) {
  EXPECT_THAT(start(), HasSubstr("1 tasks"));
  http::Client service = client();
  json right = service.post_json("/v1/judge", request(kRight));
  EXPECT_EQ(right["status"], "done");
  EXPECT_EQ(right["verdict"]["stage"], "correct");
  EXPECT_EQ(right["verdict"]["reward"], 1.0);
  EXPECT_EQ(service.post_json("/v1/judge", request(kWrong))["verdict"]["stage"], "compare");
  EXPECT_EQ(service.post_json("/v1/judge", request(kBroken))["verdict"]["stage"], "compile");
  json answer = request(kRight);
  answer.erase("kernel");
  answer["answer"] = "So:\n```cpp\n" + kRight + "```\n";
  EXPECT_EQ(service.post_json("/v1/judge", answer)["verdict"]["stage"], "correct");
  answer["answer"] = "I do not know.";
  EXPECT_EQ(service.post_json("/v1/judge", answer)["verdict"]["stage"], "rejected");
  // The same record as `kgtrain judge --json` prints, but for the times.
  std::ofstream(folder_.path() / "k.cpp") << kRight;
  json printed = json::parse(run_child({.words = {std::string(KG_BINARY_DIR) + "/bin/kgtrain", "judge", "--data",
                                                  (folder_.path() / "tasks.h5").string(), "--task", "relu", "--kernel",
                                                  (folder_.path() / "k.cpp").string(), "--json"},
                                        .output = ChildCommand::kPipe})
                                 .output);
  printed.erase("wall_ms");
  printed.erase("where_cycles_go");  // the service judges without a profile
  right["verdict"].erase("wall_ms");
  EXPECT_EQ(printed, right["verdict"]);
  EXPECT_EQ(service.get_json("/v1/tasks?split=train")["tasks"], json::array({"relu"}));
  EXPECT_EQ(service.get_json("/v1/task?id=relu")["prompt"], "Write relu.");
  EXPECT_EQ(service.get_json("/health")["status"], "good");
  EXPECT_THAT(service.get("/metrics").body, HasSubstr("kgtrain_verdicts_total{stage=\"correct\"} 2\n"));
}

TEST_F(ServeTest, AnIdIsAnsweredFromItsVerdict) {
  start();
  http::Client service = client();
  const json first = service.post_json("/v1/judge", request(kRight, "once"));
  json again = service.post_json("/v1/judge", request(kRight, "once"));
  EXPECT_EQ(again["repeated"], true);
  EXPECT_EQ(again["verdict"], first["verdict"]);
  EXPECT_EQ(service.get_json("/v1/judge/once")["verdict"], first["verdict"]);
  EXPECT_EQ(service.post("/v1/judge", request(kWrong, "once")).status, 409);
  EXPECT_EQ(service.get("/v1/judge/never").status, 404);
  json hurried = request(kWrong, "later");
  hurried["wait"] = 0;
  EXPECT_EQ(service.post("/v1/judge", hurried).status, 202);
  EXPECT_EQ(service.get_json("/v1/judge/later?wait=100")["verdict"]["stage"], "compare");
  EXPECT_THAT(service.get("/metrics").body, HasSubstr("kgtrain_judge_seconds_count 2\n"));
}

TEST_F(ServeTest, WhatIsWrongIsSaid) {
  start();
  http::Client service = client();
  const auto said = [&](const json& body) { return service.post("/v1/judge", body); };
  EXPECT_EQ(said({{"task", "absent"}, {"kernel", "k"}, {"wait", 60}}).status, 404);
  EXPECT_EQ(said({{"task", "relu"}}).status, 400);
  json body = request(kRight);
  body["case"] = 9;
  EXPECT_THAT(said(body).body, HasSubstr("the task has 0 to 1"));
  const http::Reply module = said({{"module", "x"}, {"kernel", "k"}, {"wait", 60}});
  EXPECT_EQ(module.status, 422);
  EXPECT_THAT(module.body, HasSubstr("--no-modules"));
  EXPECT_EQ(service.get("/nothing").status, 404);
  EXPECT_EQ(said(request(std::string(9000000, 'x'))).status, 413);
  EXPECT_EQ(said(request(kRight)).status, 200);  // the connection was closed, the service goes on
}

// Loses no request and makes no zero of it while sandboxes are killed again and again.
TEST_F(ServeTest, AKilledSandboxCostsNobodyAVerdict) {
  start();
  constexpr int kCallers = 6, kEach = 8, kAll = kCallers * kEach;
  std::atomic<int> answered = 0, killed = 0;
  std::thread killer([&] {
    for (int next = 2; answered < kAll; next += 6) {
      while (answered < std::min(next, kAll)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      // Its own children alone.
      killed += run_child({.words = {"pkill", "-KILL", "-P", std::to_string(service_.pid()), "kgtrain-sandbox"}})
                    .end.success();
    }
  });
  std::vector<std::future<std::map<std::string, int>>> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.push_back(std::async(std::launch::async, [&, caller] {
      std::map<std::string, int> stages;
      http::Client service = client();
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(caller) + "-" + std::to_string(i);
        const json verdict =
            service.post_json("/v1/judge", request((i % 2 == 0 ? kRight : kWrong) + "//" + id, id))["verdict"];
        ++stages[verdict["stage"].get<std::string>()];
        ++answered;
        EXPECT_EQ(verdict["reward"].is_null(), !verdict["reward_valid"].get<bool>());
      }
      return stages;
    }));
  std::map<std::string, int> all;
  for (auto& caller : callers)
    for (const auto& [stage, count] : caller.get()) all[stage] += count;
  killer.join();
  EXPECT_EQ(all, (std::map<std::string, int>{{"compare", kAll / 2}, {"correct", kAll / 2}}));
  EXPECT_GE(killed, 4);
  EXPECT_THAT(client().get("/metrics").body, HasSubstr("\nkgtrain_faults_total "));
}

TEST_F(ServeTest, OnlyWhoHasATokenMayAsk) {
  const std::string tokens = (folder_.path() / "tokens.toml").string(),
                    program = std::string(KG_BINARY_DIR) + "/bin/kgtrain";
  const auto run = [](std::vector<std::string> words) {
    return run_child({.words = std::move(words), .output = ChildCommand::kPipe, .errors = ChildCommand::kSameAsOutput});
  };
  EXPECT_THAT(run({program, "serve", "--data", (folder_.path() / "tasks.h5").string(), "--listen", "0.0.0.0"}).output,
              HasSubstr("nothing restricts who may"));
  std::string token = run({program, "serve", "--tokens", tokens, "--new-token", "trainer"}).output;
  token.pop_back();
  EXPECT_EQ(token.size(), 64u);
  start({"--tokens", tokens});
  http::Client stranger = client(), trainer = client(token);
  // Often, since a refused request's connection is closed, and the next request may be on its way by then.
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(stranger.post("/v1/judge", request(kRight)).status, 401);
    EXPECT_EQ(stranger.get("/metrics").status, 401);
    EXPECT_EQ(stranger.get("/health").status, 200);
  }
  EXPECT_EQ(trainer.post("/v1/judge", request(kRight)).status, 200);
}

TEST_F(ServeTest, SigtermAnswersThoseWhoWaitAndEnds) {
  start({"--jobs", "1", "--drain-seconds", "600"});
  std::vector<std::future<int>> callers;
  for (int i = 0; i < 4; ++i)
    callers.push_back(std::async(std::launch::async, [this, i] {
      return client().post("/v1/judge", request(kRight + "// " + std::to_string(i))).status;
    }));
  http::Client watcher = client();
  const auto busy = [&] {
    const json health = watcher.get_json("/health");
    return health["waiting"].get<int>() + health["judging"].get<int>();
  };
  while (busy() < 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  service_.signal(SIGTERM);
  for (auto& caller : callers) EXPECT_EQ(caller.get(), 200);
  const auto end = service_.wait_for(60);
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->success()) << end->text() << read_file(folder_.path() / "log");
}

TEST_F(ServeTest, SigtermDoesNotWaitBeyondDrainSecondsForAJudgementThatHangs) {
  start({"--jobs", "1", "--drain-seconds", "0.5"});
  ASSERT_EQ(client().post("/v1/judge", request(kRight)).status, 200);  // the sandbox is there
  const pid_t sandbox =
      std::stoi(run_child({.words = {"pgrep", "-P", std::to_string(service_.pid()), "kgtrain-sandbox"},
                           .output = ChildCommand::kPipe})
                    .output);
  ASSERT_EQ(::kill(sandbox, SIGSTOP), 0);
  auto caller = std::async(std::launch::async, [this] { return client().post("/v1/judge", request(kWrong)).status; });
  http::Client watcher = client();
  while (watcher.get_json("/health")["judging"] != 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  service_.signal(SIGTERM);
  EXPECT_EQ(caller.get(), 503);
  const auto end = service_.wait_for(30);
  ::kill(sandbox, SIGCONT);
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->success()) << end->text();
}

// Sends raw bytes and gives what comes back until the other side closes, or for a second.
std::string raw(const std::string& url, const std::string& bytes) {
  const std::string port = url.substr(url.rfind(':') + 1);
  const FinishedChild given = run_child(
      {.words = {"python3", "-c",
                 "import socket,sys\ns=socket.create_connection(('127.0.0.1',int(sys.argv[1])))\ns.settimeout(1)\n"
                 "data=sys.argv[2].encode().decode('unicode_escape').encode('latin1')\n"
                 "got=b''\ntry:\n  s.sendall(data)\n  while part:=s.recv(4096): got+=part\nexcept OSError: pass\n"
                 "sys.stdout.buffer.write(got)",
                 port, bytes},
       .output = ChildCommand::kPipe});
  return given.output;
}

TEST_F(ServeTest, NoRequestHoldsMoreThanItsBounds) {
  start({"--request-megabytes", "0.1"});
  http::Client service = client();
  const auto post = [](const std::string& headers, const std::string& body) {
    return "POST /v1/judge HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n" + headers +
           "\\r\\n" + body;
  };
  EXPECT_THAT(raw(url_, post("Content-Length: 99999999\\r\\n", "x")),
              AllOf(HasSubstr("413"), HasSubstr("Connection: close")));
  EXPECT_THAT(raw(url_, post("Content-Encoding: gzip\\r\\nContent-Length: 5\\r\\n", "xxxxx")), HasSubstr("415"));
  std::string chunks;
  for (int i = 0; i < 300; ++i) chunks += "400\\r\\n" + std::string(1024, 'x') + "\\r\\n";
  EXPECT_THAT(raw(url_, post("Transfer-Encoding: chunked\\r\\n", chunks.substr(0, 120000))), Not(HasSubstr("200 OK")));
  EXPECT_THAT(raw(url_,
                  "POST /v1/judge HTTP/1.1\\r\\nHost: evil.example\\r\\nContent-Type: application/json\\r\\n"
                  "Content-Length: 2\\r\\n\\r\\n{}"),
              HasSubstr("403"));
  EXPECT_THAT(raw(url_, post("Origin: http://evil.example\\r\\nContent-Length: 2\\r\\n", "{}")), HasSubstr("403"));
  EXPECT_THAT(raw(url_,
                  "POST /v1/judge HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: text/plain\\r\\nContent-Length: "
                  "2\\r\\n\\r\\n{}"),
              HasSubstr("415"));
  EXPECT_THAT(raw(url_, "GET /health HTTP/1.1\\r\\n" + std::string(60000, 'a') + ": b\\r\\n"),
              Not(HasSubstr("200 OK")));
  EXPECT_EQ(service.post("/v1/judge", request(kRight)).status, 200);
}

}  // namespace
}  // namespace kg::cli
