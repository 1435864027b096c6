// Random programs of three kinds, valid and nearly valid: the emulator neither crashes nor hangs nor reports a fault of
// its own, and it is deterministic. KG_RANDOM_PROGRAMS says how many of all kinds together.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "ascendc_kernel.h"
#include "base/file.h"
#include "npu/launch/device.h"

namespace kg::npu::testing {
namespace {

constexpr int kLength = 4096;

constexpr const char* kKinds[] = {"random_program", "random_calls", "random_cubes"};

proto::RunCase case_of(std::uint32_t seed) {
  static const proto::RunCase base = [] {
    std::vector<double> x, y;
    for (int i = 0; i < kLength; ++i) {
      x.push_back(i % 300 / 4.0);
      y.push_back(50 - i % 128);
    }
    proto::RunCase made;
    *made.add_inputs() = tensor("seed", proto::UINT32, {0});
    *made.add_inputs() = tensor("x", proto::FLOAT32, x);
    *made.add_inputs() = tensor("y", proto::FLOAT32, y);
    add_output(made, "z", proto::FLOAT32, kLength);
    return made;
  }();
  proto::RunCase made = base;
  *made.mutable_inputs(0) = tensor("seed", proto::UINT32, {static_cast<double>(seed)});
  return made;
}

proto::CaseResult run_program(const std::string& object, std::uint32_t seed) {
  Launch launch;
  launch.object = object;
  launch.entry_point = "k";
  launch.block_dim = 1 + seed / 2 % 4;
  launch.workspace_bytes = kLength * 4;
  launch.core_order_seed = seed / 8 % 3;
  launch.cycle_limit = 50'000'000;
  return npu::launch(launch, case_of(seed));
}

// Runs programs [first, last) in a child; what it found, empty if all is well.
std::string run_range(const std::string& object, std::uint32_t first, std::uint32_t last) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(300);
    const auto say = [&](const std::string& text) {
      if (write(ends[1], text.data(), text.size()) < 0) _exit(3);
    };
    for (std::uint32_t seed = first; seed < last; ++seed) {
      say("@" + std::to_string(seed));  // so that a crash says where
      const auto result = run_program(object, seed);
      for (const proto::Fault& fault : result.faults()) {
        // The program uses no pointers of its own: a trap is the emulator's.
        if (fault.fault_class() == "trap" || fault.fault_class() == "limit") say("!" + fault.ShortDebugString());
        if (seed % 2 == 0 && fault.severity() == proto::ERROR && fault.fault_class() == "queue")
          say("!" + fault.ShortDebugString());
      }
      if (seed % 5 == 0 && run_program(object, seed).SerializeAsString() != result.SerializeAsString())
        say("!not the same twice");
    }
    say("@end");
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) said.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (said.find('!') != std::string::npos) return said.substr(said.rfind('@', said.find('!')), 600);
  if (status != 0 || !said.ends_with("@end"))
    return "the emulator ended with status " + std::to_string(status) + " at seed " + said.substr(said.rfind('@'));
  return "";
}

class RandomPrograms : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomPrograms, NeitherCrashNorHangNorDiffer) {
  const auto compiled = compile_kernel(
      read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_kernels/" + GetParam() + ".cpp"), "k");
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  const char* wanted = std::getenv("KG_RANDOM_PROGRAMS");
  const auto all = static_cast<std::uint32_t>(wanted != nullptr ? std::atoi(wanted) : 1200);
  const auto programs = (all + 2) / static_cast<std::uint32_t>(std::size(kKinds));
  const char* start = std::getenv("KG_RANDOM_FIRST");  // to look at one that was found
  constexpr std::uint32_t kAtOnce = 200;
  for (auto first = static_cast<std::uint32_t>(start != nullptr ? std::atoi(start) : 0); first < programs;
       first += kAtOnce)
    EXPECT_EQ(run_range(compiled.object, first, std::min(first + kAtOnce, programs)), "") << "from " << first;
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomPrograms, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kg::npu::testing
