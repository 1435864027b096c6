#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"

namespace kg::rollout {

// A program beside this one, with no input and its output at the end of `log`. A terminal's Ctrl-C does not reach it,
// and the kernel kills it when the thread that starts it ends. Throws Error if it cannot be started.
ChildProcess start_logged(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& log);

struct LocalFleetOptions {
  fs::path run_folder;      // logs go to run_folder/logs, the generator's socket to run_folder/sockets
  fs::path logs;            // instead of run_folder/logs
  std::string model;        // for the generator
  std::string coordinator;  // endpoint; empty: the workers' arguments say where it is, or there are no workers
  unsigned workers = 8;
  std::string prefix;  // of the workers' names, which are those of the run
  bool generator = true;
  std::vector<std::string> generator_arguments;  // besides --model and --endpoint
  std::vector<std::string> worker_arguments;     // besides --connect, --generator and --name
  fs::path programs;                             // empty: the folder of the running program
};

struct FleetMember {
  std::string name;  // "generator", "worker-0", ...
  pid_t pid = -1;    // -1: waiting to be started again
  std::uint32_t restarts = 0;
  std::string last_end;  // how it ended last
};

// The generator and the workers of one host, started beside this program and kept running: whatever dies is started
// again, each time a little later if it does not live long; one that dies at once again and again only once a minute,
// as the others can do its work. All end with this object, or with this process however it ends.
class LocalFleet {
 public:
  explicit LocalFleet(const LocalFleetOptions& options);
  ~LocalFleet();

  std::string generator_endpoint() const { return generator_endpoint_; }
  const fs::path& logs() const { return options_.logs; }
  std::vector<FleetMember> members() const;
  // Throws Error, naming the log, if the generator, or each of the workers, died at once so many times that no work can
  // be done.
  void check() const;

 private:
  struct Member {
    FleetMember report;
    std::string program;
    std::vector<std::string> arguments;
    fs::path log;
    std::optional<ChildProcess> process;
    double started = 0;
    double next_start = 0;
    std::uint32_t quick_deaths = 0, quick_kills = 0;  // in a row
    bool hopeless() const;
  };

  void add(const std::string& name, const std::string& program, std::vector<std::string> arguments);
  void supervise();
  void look_after(Member& member, double now);
  void fail_if_hopeless(const Member& member) const;
  void end_all();

  LocalFleetOptions options_;
  std::string generator_endpoint_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  std::optional<Error> failure_;
  bool stopping_ = false;
  // Starts all the processes: they live as long as the thread that started them.
  std::thread thread_;
};

}  // namespace kg::rollout
