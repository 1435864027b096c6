// A thousand kernels in a row, good, bad and hostile, by four sandboxes at once: the verdicts are those of one by one,
// and nothing is left of them. KG_KERNELS says how many.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "reward/judge.h"
#include "tests/security/escapes/attack.h"
#include "tests/security/escapes/host_watch.h"
#include "tests/security/hacks/hack.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

struct Kernel {
  std::string name, source;
  proto::Task task;
};

std::vector<Kernel> mix() {
  std::vector<Kernel> kernels;
  for (const auto& [name, kernel] : odd_kernels()) kernels.push_back({name, kernel.second, kernel.first});
  for (const auto& table : {output_hacks(), input_hacks()})
    for (const Hack& hack : table) kernels.push_back({hack.name, hack.kernel, hack.task});
  proto::Task probe = add_task();
  probe.set_entry_point("probe");
  for (const Attack& attack : kernel_attacks()) kernels.push_back({attack.name, attack.code, probe});
  return kernels;
}

reward::JudgeOptions rules() {
  reward::JudgeOptions rules;
  rules.limits.set_run_seconds(1);
  rules.limits.set_compile_seconds(20);
  return rules;
}

std::string text_of(const proto::Verdict& verdict) {
  std::string text = proto::Stage_Name(verdict.stage()) + " " + std::to_string(verdict.reward()) + " " +
                     std::to_string(verdict.cycles()) + " " + verdict.sandbox_error();
  for (const proto::Fault& fault : verdict.faults())
    text += "\n" + fault.fault_class() + ":" + std::to_string(fault.line());
  return text;
}

// Resident kilobytes and open descriptors of this process and all below it.
std::pair<long, long> held() {
  long kilobytes = 0, descriptors = 0;
  std::map<std::string, std::string> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
    std::string state, parent;
    rest >> state >> parent;
    parents[number] = parent;
  }
  const std::string self = std::to_string(::getpid());
  for (const auto& [number, parent] : parents) {
    std::string above = number;
    while (above != self && parents.contains(above)) above = parents[above];
    if (above != self) continue;
    std::ifstream file("/proc/" + number + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmRSS:")) kilobytes += std::atol(line.c_str() + 6);
    std::error_code error;
    for (fs::directory_iterator it("/proc/" + number + "/fd", error), end; !error && it != end; it.increment(error))
      ++descriptors;
  }
  return {kilobytes, descriptors};
}

std::size_t scratch_files() {
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator it(fs::temp_directory_path(), error), end; !error && it != end; it.increment(error))
    count += it->path().filename().string().starts_with("kgtrain") ? 1 : 0;
  return count;
}

TEST(Thousand, KernelsLeaveNothingAndAreJudgedAsOneByOne) {
  const char* asked = std::getenv("KG_KERNELS");
  const std::size_t total = asked == nullptr ? 1000 : static_cast<std::size_t>(std::atoi(asked));
  const std::vector<Kernel> kernels = mix();
  const TemporaryFolder mine;  // others have scratch folders on this host, too
  fs::permissions(mine.path(), fs::perms(0755));
  ::setenv("TMPDIR", mine.path().c_str(), 1);
  const HostWatch host;
  std::vector<std::string> alone;
  {
    const auto sandbox = start_sandbox(options());
    for (const Kernel& kernel : kernels)
      alone.push_back(text_of(reward::judge(*sandbox, kernel.task, kernel.source, rules())));
  }
  const std::size_t files = scratch_files();
  std::vector<std::unique_ptr<Sandbox>> sandboxes;
  for (int i = 0; i < 4; ++i) sandboxes.push_back(start_sandbox(options()));
  std::atomic<std::size_t> next = 0, different = 0;
  std::vector<double> quarters;
  const auto judge_until = [&](std::size_t end) {
    const double begun = monotonic_seconds();
    std::vector<std::jthread> threads;
    for (auto& sandbox : sandboxes)
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < end; i = next++) {
          const Kernel& kernel = kernels[i % kernels.size()];
          // As callers judge: four endless loops at once on two cores may get too little processor time for a verdict,
          // which the sandbox says, and then they are judged again.
          const std::string found = text_of(reward::judge_surely(*sandbox, kernel.task, kernel.source, rules()));
          if (found == alone[i % kernels.size()]) continue;
          ++different;
          ADD_FAILURE() << kernel.name << "\n" << found << "\nalone: " << alone[i % kernels.size()];
        }
      });
    threads.clear();
    next = end;
    quarters.push_back(monotonic_seconds() - begun);
  };
  // With both cells of every sandbox there: one that a hostile kernel has ended is started for the next.
  const auto held_when_settled = [&] {
    for (auto& sandbox : sandboxes) reward::judge_surely(*sandbox, kernels[0].task, kernels[0].source, rules());
    return held();
  };
  judge_until(total / 4);
  const auto warm = held_when_settled();
  const HostWatch::State state = host.look();
  for (int quarter = 2; quarter <= 4; ++quarter) judge_until(total * static_cast<std::size_t>(quarter) / 4);
  const auto end = held_when_settled();
  EXPECT_EQ(different, 0u);
  EXPECT_LT(end.first, warm.first * 1.2 + 50000) << "kilobytes";
  EXPECT_LE(end.second, warm.second + 8) << "descriptors";
  EXPECT_EQ(host.look(), state) << host.look().text();
  std::printf("%zu kernels: %.0f, %.0f, %.0f, %.0f s by quarters; %ld to %ld MB, %ld to %ld descriptors\n", total,
              quarters[0], quarters[1], quarters[2], quarters[3], warm.first / 1024, end.first / 1024, warm.second,
              end.second);
  sandboxes.clear();
  EXPECT_THAT(host.look().processes, ::testing::IsEmpty());
  EXPECT_LE(scratch_files(), files);
}

}  // namespace
}  // namespace kg::sandbox::testing
