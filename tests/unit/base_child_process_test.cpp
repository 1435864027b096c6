// Child processes: words, streams, environment and descriptors arrive as given; ends are told; nothing is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "base/child_process.h"
#include "base/error.h"

namespace kg {
namespace {

using ::testing::HasSubstr;

std::string output_of(ChildCommand command) {
  command.output = ChildCommand::kPipe;
  return run_child(command).output;
}

TEST(ChildProcess, WordsReachTheProgramWithoutAShell) {
  EXPECT_EQ(output_of({.words = {"printf", "%s|", "a b", "$HOME", "'", "`id`", ""}}), "a b|$HOME|'|`id`||");
}

TEST(ChildProcess, EnvironmentIsAddedToOursOrReplacesIt) {
  ::setenv("KG_CHILD_TEST", "ours", 1);
  EXPECT_EQ(output_of({.words = {"printenv", "KG_CHILD_TEST"}}), "ours\n");
  EXPECT_EQ(output_of({.words = {"printenv", "KG_CHILD_TEST"}, .environment = {"KG_CHILD_TEST=its own"}}), "its own\n");
  EXPECT_EQ(output_of({.words = {"env"}, .environment = {"ONLY=this"}, .bare_environment = true}), "ONLY=this\n");
}

TEST(ChildProcess, ErrorsCanGoWhereTheOutputGoes) {
  EXPECT_EQ(output_of({.words = {"sh", "-c", "echo one; echo two >&2"}, .errors = ChildCommand::kSameAsOutput}),
            "one\ntwo\n");
}

TEST(ChildProcess, TalksThroughItsPipes) {
  ChildProcess child({.words = {"cat"}, .input = ChildCommand::kPipe, .output = ChildCommand::kPipe});
  ASSERT_TRUE(send_fully(child.input().number(), "hello"));
  char text[5];
  ASSERT_EQ(read_fully(child.output().number(), text, sizeof(text)), sizeof(text));
  EXPECT_EQ(std::string(text, sizeof(text)), "hello");
  child.input().close();
  const auto end = child.wait_for(/*seconds=*/30);
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->success());
}

TEST(ChildProcess, ALongMessageToADeadChildIsAnErrorAndNoSignal) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  ChildProcess child({.words = {"true"}, .input = ChildCommand::kPipe});
  child.wait();
  EXPECT_FALSE(send_fully(child.input().number(), std::string(8 << 20, 'x')));
}

TEST(ChildProcess, OnlyKeptDescriptorsAreInherited) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor out(ends[0]), in(ends[1]);
  const std::string number = std::to_string(in.number());
  run_child({.words = {"sh", "-c", "echo kept >&" + number}, .kept = {in.number()}});
  char text[5];
  ASSERT_EQ(read_fully(out.number(), text, sizeof(text)), sizeof(text));
  EXPECT_EQ(std::string(text, sizeof(text)), "kept\n");
  EXPECT_FALSE(
      run_child({.words = {"sh", "-c", "echo lost >&" + number}, .errors = ChildCommand::kNothing}).end.success());
}

TEST(ChildProcess, AProgramThatIsNotThereIsNamedWithTheHint) {
  try {
    ChildProcess({.words = {"/no/such/program"}, .hint = "build it"});
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), HasSubstr("cannot start program: No such file or directory"));
    EXPECT_THAT(error.full_message(), HasSubstr("build it"));
  }
}

TEST(ChildProcess, HowItEndedIsTold) {
  EXPECT_EQ(run_child({.words = {"sh", "-c", "exit 7"}}).end.text(), "exit status 7");
  EXPECT_EQ(run_child({.words = {"sh", "-c", "kill -9 $$"}}).end.text(), "signal 9");
}

TEST(ChildProcess, WaitingHasALimit) {
  ChildProcess child({.words = {"sleep", "1000"}});
  EXPECT_FALSE(child.wait_for(/*seconds=*/0.05).has_value());
  child.signal(SIGTERM);
  const auto end = child.wait_for(/*seconds=*/30);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->text(), "signal 15");
}

TEST(ChildProcess, NothingIsLeftWhenTheObjectGoes) {
  pid_t pid = -1;
  {
    const ChildProcess child({.words = {"sleep", "1000"}});
    pid = child.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(ChildProcess, DiesWithTheThreadThatStartedIt) {
  ChildProcess child;
  std::thread([&] { child = ChildProcess({.words = {"sleep", "1000"}, .dies_with_this_thread = true}); }).join();
  const auto end = child.wait_for(/*seconds=*/30);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->text(), "signal 9");
}

TEST(ChildProcess, ManyThreadsStartChildrenAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      for (int j = 0; j < 10; ++j) {
        const std::string word = std::to_string(i) + "-" + std::to_string(j);
        EXPECT_EQ(output_of({.words = {"printf", "%s", word}}), word);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kg
