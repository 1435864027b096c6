// Attacks on the sandbox, row by row (attack.h): each contained, the host unchanged, the next job judged.
#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "attack.h"
#include "host_watch.h"
#include "hostile_project.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Escapes : public ::testing::Test {
 protected:
  Escapes() {
    SandboxOptions with_cache = options();
    with_cache.cache_folder = cache();
    sandbox_ = start_sandbox(with_cache);
    const auto ready = sandbox_->execute(request(kernel("")));
    EXPECT_EQ(ready.sandbox_error(), "");
    before_ = host_.look();
  }

  // Runs one attack, looks at how it ended, at the host, and at the next job.
  void attack(const Attack& one, const proto::ExecutionRequest& asked) {
    SCOPED_TRACE(one.name);
    if (one.needs_namespaces && less_isolation()) {
      ++skipped_;
      return;
    }
    ++made_;
    const auto result = sandbox_->execute(asked);
    EXPECT_EQ(result.sandbox_error(), "");
    check_end(one, result);
    const auto next = sandbox_->execute(request(kernel("")));
    EXPECT_EQ(next.sandbox_error(), "");
    ASSERT_TRUE(next.compiled()) << next.compiler_output();
    ASSERT_EQ(next.cases_size(), 1);
    EXPECT_TRUE(next.cases(0).ran()) << next.cases(0).ShortDebugString();
    const HostWatch::State now = host_.look();
    EXPECT_EQ(now.bait, before_.bait);
    EXPECT_EQ(now.named, before_.named);
    EXPECT_EQ(now.ports, before_.ports);
    EXPECT_EQ(now.processes, before_.processes);
  }

  static std::string output_of(const proto::ExecutionResult& result) {
    std::string text = result.compiler_output();
    for (const proto::CaseResult& one : result.cases()) text += one.output() + one.host().log();
    return text;
  }

  static std::string faults_of(const proto::ExecutionResult& result) {
    std::string text;
    for (const proto::CaseResult& one : result.cases())
      for (const proto::Fault& fault : one.faults())
        if (fault.severity() == proto::ERROR) text += fault.fault_class() + ": " + fault.message() + "\n";
    return text;
  }

  static void check_end(const Attack& one, const proto::ExecutionResult& result) {
    const std::string output = output_of(result), faults = faults_of(result);
    switch (one.end) {
      case End::kStopped:
        EXPECT_TRUE(result.compiled()) << result.compiler_output();
        ASSERT_EQ(result.cases_size(), 1);
        EXPECT_FALSE(result.cases(0).ran());
        EXPECT_NE(faults, "");
        EXPECT_THAT(faults, HasSubstr(one.words));
        EXPECT_THAT(output, Not(HasSubstr("DONE")));
        break;
      case End::kRefused:
        EXPECT_TRUE(result.compiled()) << result.compiler_output();
        EXPECT_THAT(output, HasSubstr("REFUSED")) << faults;
        EXPECT_THAT(output, Not(HasSubstr("DONE")));
        break;
      case End::kNothing:
        EXPECT_TRUE(result.compiled()) << result.compiler_output();
        EXPECT_THAT(output, Not(HasSubstr("DONE")));
        break;
      case End::kNoCompile:
        EXPECT_FALSE(result.compiled()) << faults;
        EXPECT_THAT(output, HasSubstr(one.words));
        break;
      case End::kHarmless:
        break;
    }
    EXPECT_THAT(output, Not(HasSubstr("root:")));
    EXPECT_THAT(output, Not(HasSubstr("the secret of the bait")));
  }

  void attack_by_host_code(const std::vector<Attack>& attacks) {
    auto asked = hostile_project(attacks, host_.bait());
    for (std::size_t i = 0; i < attacks.size(); ++i) {
      choose_attack(asked, i);
      attack(attacks[i], asked);
    }
  }

  void attack_by_source(const std::vector<Attack>& attacks) {
    for (const Attack& one : attacks) {
      auto asked = request(one.code);
      asked.mutable_limits()->set_compile_seconds(2);
      asked.mutable_limits()->set_compile_memory_bytes(1ull << 30);
      asked.mutable_limits()->set_run_seconds(1);
      attack(one, asked);
    }
  }

  // Nothing of this process's is left once the sandbox has gone.
  void TearDown() override {
    sandbox_.reset();
    EXPECT_THAT(host_.look().processes, ::testing::IsEmpty());
    RecordProperty("attacks", made_);
    RecordProperty("skipped", skipped_);
    std::printf("%d attacks, %d skipped, as user %u\n", made_, skipped_, ::geteuid());
  }

  // One for all tests: the precompiled headers take seconds.
  static fs::path cache() {
    static const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms(0755));
    return folder.path();
  }

  HostWatch host_;
  HostWatch::State before_;
  std::unique_ptr<Sandbox> sandbox_;
  int made_ = 0, skipped_ = 0;
};

TEST_F(Escapes, ProcessesAndMemory) { attack_by_host_code(process_attacks()); }
TEST_F(Escapes, PrivilegesAndTheSystem) { attack_by_host_code(system_attacks()); }
TEST_F(Escapes, FilesAndTheNetwork) { attack_by_host_code(file_attacks()); }
TEST_F(Escapes, DeviceCode) { attack_by_source(kernel_attacks()); }
TEST_F(Escapes, CompilerInput) { attack_by_source(compiler_attacks()); }

TEST_F(Escapes, PathsOfAProject) {
  for (const char* path : {"../kgescape.cpp", "/tmp/kgescape.cpp", "op_host/../../kgescape.h", "op_host//x.h",
                           "op_kernel/./x.h", "op_host/a b.h", "op_host/$(id).h", "op_host/kg\nescape.h"}) {
    auto asked = hostile_project("");
    proto::ProjectFile& file = *asked.add_project();
    file.set_path(path);
    file.set_content("#error kgescape\n");
    attack({path, "", End::kNoCompile, "cannot be a path"}, asked);
  }
  auto many = hostile_project("");
  for (int i = 0; i < 1000; ++i) many.add_project()->set_path("op_host/h" + std::to_string(i) + ".h");
  attack({"a thousand files", "", End::kNoCompile, "files, at most"}, many);
  auto large = hostile_project("");
  large.mutable_project(0)->mutable_content()->append(std::string(9 << 20, '\n'));
  attack({"sources of megabytes", "", End::kNoCompile, "bytes of sources"}, large);
}

TEST(EscapeTables, AttacksAreOfDistinctKinds) {
  std::set<std::string> names, codes;
  std::size_t all = 0;
  for (const auto* table :
       {&process_attacks(), &system_attacks(), &file_attacks(), &kernel_attacks(), &compiler_attacks()})
    for (const Attack& one : *table) {
      ++all;
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
      EXPECT_TRUE(codes.insert(one.code).second) << one.name;
    }
  EXPECT_GE(all, 60u);
}

}  // namespace
}  // namespace kg::sandbox::testing
