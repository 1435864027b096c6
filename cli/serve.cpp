#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/judging_options.h"
#include "cli/served_judge.h"
#include "reward/judge_version.h"
#include "service/http_api.h"

namespace kg::cli {
namespace {

struct ServeCommand : JudgingOptions {
  std::string data_name = "ascend_cot.h5", listen = "127.0.0.1", tokens, new_token;
  int port = 8765, queue = 256, connections = 256;
  double request_megabytes = 8, keep_seconds = 3600, drain_seconds = 60, module_seconds = 120, module_megabytes = 4096;
  bool modules = true;
};

std::optional<ServeCommand> parse(int argc, const char* const* argv) {
  ServeCommand asked;
  Options options("kgtrain serve",
                  "Runs the judge as an HTTP service with JSON, for other people's trainers "
                  "(docs/guide/judge-service.md). Code from clients runs only in the sandbox, Python included.");
  options.add("data", asked.data_name, "data set whose tasks clients can name")
      .add("listen", asked.listen, "address to listen on; any other than this host's own needs --tokens")
      .add("port", asked.port, "port to listen on; 0: any free port, which is printed")
      .range(0, 65535)
      .add("tokens", asked.tokens, "file of tokens and quotas; without it, any program on this host may send requests")
      .add("new-token", asked.new_token, "add a token with this name to the file, print it, and exit")
      .add("queue", asked.queue, "requests that may wait; any more are told to come back later (429)")
      .range(1, 100000)
      .add("connections", asked.connections, "clients served at the same time")
      .range(1, 4096)
      .add("request-megabytes", asked.request_megabytes, "largest request")
      .range(0.01, 1024)
      .add("keep-seconds", asked.keep_seconds, "how long an answer is kept, in case the same id is asked for again")
      .range(0, 1e7)
      .add("drain-seconds", asked.drain_seconds, "how long waiting requests are still judged after SIGTERM")
      .range(0, 1e6)
      .add("modules", asked.modules, "accept PyTorch modules from clients; their Python runs in a cell")
      .add("module-seconds", asked.module_seconds, "seconds a module's Python may take")
      .range(1, 3600)
      .add("module-megabytes", asked.module_megabytes, "memory a module's Python may use, in megabytes")
      .range(512, 1e6);
  declare_judging(options, asked);
  if (!options.parse(argc, argv)) return {};
  return asked;
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

ServedModules::Options modules_of(ServeCommand& asked) {
  ServedModules::Options modules{.cell = {.seconds = asked.module_seconds,
                                          .memory_bytes = static_cast<std::uint64_t>(asked.module_megabytes * 1e6)}};
  if (!asked.modules)
    modules.why_not = "it was started with --no-modules";
  else if (asked.sandbox.allow_less_isolation)
    modules.why_not = "its sandbox has no namespaces, and nothing else isolates Python";
  else if (!dataset::benchmarks::python_is_there(asked.worker))
    modules.why_not = "it has no Python with PyTorch (--python)";
  else
    modules.python = dataset::benchmarks::python_of(asked.worker);
  return modules;
}

// SIGINT and SIGTERM, handled by their own thread: the first ends the service when its queue is empty, the second
// at once.
class Ending {
 public:
  // Called before any other thread starts, so that none of them is interrupted.
  Ending() {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM}) sigaddset(&signals_, number);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  int wait() const {
    int number = 0;
    while (sigwait(&signals_, &number) != 0) {
    }
    return number;
  }
  void end_at_the_next() const {
    std::thread([this] {
      wait();
      std::_Exit(128 + SIGTERM);
    }).detach();
  }

 private:
  sigset_t signals_{};
};

int serve(ServeCommand& asked) {
  if (!is_loopback(asked.listen) && asked.tokens.empty())
    throw Error("--listen " + asked.listen + " lets other hosts send requests, and nothing restricts who may",
                "--tokens", "kgtrain serve --tokens FILE --new-token NAME makes a token; or listen at 127.0.0.1");
  static const Ending ending;
  std::optional<service::TokenTable> tokens;
  if (!asked.tokens.empty()) tokens.emplace(asked.tokens);
  const auto data = dataset::Dataset::open(dataset::find_dataset(asked.data_name), dataset::OpenMode::kRead);
  const ServedModules::Options modules = modules_of(asked);
  if (modules.python.empty()) spdlog::info("PyTorch modules are not accepted: {}", modules.why_not);
  asked.sandbox.python = modules.python;
  ServedJudge judge(*data, asked, modules);
  service::Metrics metrics;
  service::JudgeService queue(
      {.jobs = asked.jobs, .most_waiting = static_cast<std::size_t>(asked.queue), .kept_seconds = asked.keep_seconds},
      [&judge] { return judge.make_judge(); }, metrics);
  const auto most_bytes = static_cast<std::size_t>(asked.request_megabytes * 1e6);
  service::HttpServer server({.body_bytes = most_bytes, .connections = asked.connections});
  const service::ApiOptions api{.bounds = {.kernel_bytes = most_bytes},
                                .body_bytes = most_bytes,
                                .tokens = tokens ? &*tokens : nullptr,
                                .judge_version = reward::judge_version()};
  const service::TaskList tasks = judge.task_list();
  service::add_routes(server, queue, metrics, tasks, api);
  const int port = server.bind(asked.listen, asked.port);
  std::printf("kgtrain serve: http://%s:%d, %zu tasks of %s, %d sandboxes, %s\n", asked.listen.c_str(), port,
              data->task_ids().size(), asked.data_name.c_str(), asked.jobs,
              tokens ? "clients need a token" : "programs on this host may send requests");
  std::fflush(stdout);
  std::thread listener([&server] { server.listen_after_bind(); });
  ending.wait();
  ending.end_at_the_next();
  const service::JudgeService::State state = queue.state();
  spdlog::info("stopping: {} requests are waiting, {} are being judged", state.waiting, state.judging);
  queue.drain(asked.drain_seconds);
  server.close_idle();
  server.stop();
  listener.join();
  if (const std::size_t left = queue.state().judging; left > 0) {
    // All are answered. A sandbox ends with the socket to it, whatever it is at, and would otherwise be waited for.
    spdlog::warn("stopped with {} judgements unfinished", left);
    spdlog::shutdown();
    std::_Exit(0);
  }
  spdlog::info("ended");
  return 0;
}

}  // namespace

int run_serve(int argc, const char* const* argv) {
  std::optional<ServeCommand> asked = parse(argc, argv);
  if (!asked) return 0;
  if (asked->new_token.empty()) return serve(*asked);
  if (asked->tokens.empty())
    throw Error("--new-token needs the file to add it to", "--tokens", "for example --tokens tokens.toml");
  std::printf("%s\n", service::add_token(asked->tokens, asked->new_token).c_str());
  return 0;
}

}  // namespace kg::cli
