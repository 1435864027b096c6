#include "rollout/local_fleet.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr double kQuickDeathSeconds = 10;
constexpr std::uint32_t kQuickDeathsAllowed = 5;
constexpr std::uint32_t kQuickKillsAllowed = 50;  // by somebody else: a test of robustness, or the system out of memory
constexpr double kLongestPause = 10, kHopelessPause = 60;
constexpr double kPauseAfterGoodEnd = 0.2;
constexpr double kGraceSeconds = 5;
constexpr auto kLookEvery = std::chrono::milliseconds(50);

}  // namespace

ChildProcess start_logged(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& log) {
  const Descriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!output.open())
    throw Error(std::string("cannot write the log: ") + std::strerror(errno), log.string(),
                "check that the folder is writable", Error::Kind::kEnvironment);
  ChildCommand command{.words = {program.string()},
                       .input = ChildCommand::kNothing,
                       .output = output.number(),
                       .errors = ChildCommand::kSameAsOutput,
                       .group = ChildCommand::Group::kOwn,
                       .dies_with_this_thread = true,
                       .hint = "build or install all programs of kgtrain into one folder"};
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  return ChildProcess(command);
}

LocalFleet::LocalFleet(const LocalFleetOptions& options) : options_(options) {
  if (options_.programs.empty()) options_.programs = program_folder();
  if (options_.logs.empty()) options_.logs = options_.run_folder / "logs";
  fs::create_directories(options_.logs);
  generator_endpoint_ = local_endpoint(options_.run_folder, "generator");
  if (options_.generator) {
    std::vector<std::string> arguments{"--model", options_.model, "--endpoint", generator_endpoint_};
    arguments.insert(arguments.end(), options_.generator_arguments.begin(), options_.generator_arguments.end());
    add("generator", "kgtrain-generator", std::move(arguments));
  }
  for (unsigned i = 0; i < options_.workers; ++i) {
    const std::string name = "worker-" + std::to_string(i);
    std::vector<std::string> arguments{"--generator", generator_endpoint_, "--name", options_.prefix + name};
    if (!options_.coordinator.empty()) arguments.insert(arguments.end(), {"--connect", options_.coordinator});
    arguments.insert(arguments.end(), options_.worker_arguments.begin(), options_.worker_arguments.end());
    add(name, "kgtrain-worker", std::move(arguments));
  }
  for (const Member& member : members_)
    if (!fs::exists(options_.programs / member.program))
      throw Error("the program " + member.program + " is not there", options_.programs.string(),
                  "build or install all programs of kgtrain into one folder", Error::Kind::kEnvironment);
  thread_ = std::thread([this] { supervise(); });
}

LocalFleet::~LocalFleet() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LocalFleet::add(const std::string& name, const std::string& program, std::vector<std::string> arguments) {
  Member member;
  member.report.name = name;
  member.program = program;
  member.arguments = std::move(arguments);
  member.log = options_.logs / (name + ".log");
  members_.push_back(std::move(member));
}

std::vector<FleetMember> LocalFleet::members() const {
  const std::lock_guard lock(mutex_);
  std::vector<FleetMember> list;
  for (const Member& member : members_) list.push_back(member.report);
  return list;
}

void LocalFleet::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) throw *failure_;
}

void LocalFleet::supervise() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    try {
      for (Member& member : members_)
        if (!failure_) look_after(member, monotonic_seconds());
    } catch (const Error& error) {
      failure_ = error;
    } catch (const std::exception& error) {
      failure_ = Error(std::string("the processes of this host cannot be looked after: ") + error.what(),
                       options_.run_folder.string(), "go on with --resume", Error::Kind::kFailed);
    }
    changed_.wait_for(lock, kLookEvery, [&] { return stopping_; });
  }
  end_all();
}

void LocalFleet::look_after(Member& member, double now) {
  if (!member.process) {
    if (now < member.next_start) return;
    member.process = start_logged(options_.programs / member.program, member.arguments, member.log);
    member.report.pid = member.process->pid();
    member.started = now;
    return;
  }
  const auto ended = member.process->ended();
  if (!ended) return;
  const std::string end = ended->text();
  // One that ends well was asked to, or its run is over.
  const bool quick = !ended->success() && now - member.started < kQuickDeathSeconds;
  const bool killed = end == "signal " + std::to_string(SIGKILL);
  member.quick_deaths = quick && !killed ? member.quick_deaths + 1 : 0;
  member.quick_kills = quick && killed ? member.quick_kills + 1 : 0;
  spdlog::warn("{} (process {}) ended after {:.1f} s: {}; it is started again", member.report.name, member.report.pid,
               now - member.started, end);
  member.process.reset();
  member.report.pid = -1;
  member.report.last_end = end;
  ++member.report.restarts;
  member.next_start =
      now + (member.hopeless() ? kHopelessPause
             : quick && !killed
                 ? std::min(kLongestPause, 0.1 * (1 << std::min(member.quick_deaths, kQuickDeathsAllowed)))
             : ended->success() ? kPauseAfterGoodEnd
                                : 0);
  fail_if_hopeless(member);
}

bool LocalFleet::Member::hopeless() const {
  return quick_deaths >= kQuickDeathsAllowed || quick_kills >= kQuickKillsAllowed;
}

// One worker that cannot live leaves its work to the others.
void LocalFleet::fail_if_hopeless(const Member& member) const {
  const bool others_live =
      member.report.name != "generator" && std::any_of(members_.begin(), members_.end(), [](const Member& other) {
        return other.report.name != "generator" && !other.hopeless();
      });
  if (member.hopeless() && !others_live)
    throw Error(member.report.name + " died " + std::to_string(member.quick_deaths + member.quick_kills) +
                    " times within " + std::to_string(static_cast<int>(kQuickDeathSeconds)) +
                    " s of its start, the last time with " + member.report.last_end,
                member.log.string(), "the end of that log says why", Error::Kind::kFailed);
}

void LocalFleet::end_all() {
  const auto all_ended = [&] {
    return std::all_of(members_.begin(), members_.end(),
                       [](Member& member) { return !member.process || member.process->ended(); });
  };
  for (Member& member : members_)
    if (member.process) member.process->signal(SIGTERM);
  const double deadline = monotonic_seconds() + kGraceSeconds;
  while (!all_ended() && monotonic_seconds() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (Member& member : members_)
    if (member.process) member.process->signal(SIGKILL);
  while (!all_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace kg::rollout
