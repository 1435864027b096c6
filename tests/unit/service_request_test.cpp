#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "service/request.h"
#include "service/token_table.h"

namespace kg::service {
namespace {

using testing::HasSubstr;

std::string why(const std::string& body, const RequestBounds& bounds = {}) {
  try {
    parse_request(body, bounds);
  } catch (const Refusal& refusal) {
    return std::to_string(refusal.status) + " " + refusal.what + " " + refusal.hint;
  }
  return "taken";
}

TEST(JudgeRequest, IsTakenApart) {
  const JudgeRequest request = parse_request(
      R"({"task": "t", "project": {"op_host/a.cpp": "x"}, "case": 2, "wait": 1e9, "deadline": 5, "language": "ascendc"})",
      {});
  EXPECT_EQ(request.task, "t");
  EXPECT_EQ(request.project.at(0).path(), "op_host/a.cpp");
  EXPECT_EQ(request.only_case, 2);
  EXPECT_EQ(request.wait, RequestBounds{}.longest_wait);
  EXPECT_EQ(request.deadline, 5);
  EXPECT_TRUE(is_id(request.id));
  EXPECT_EQ(parse_request(R"({"module": "m", "answer": "a", "id": "x-1", "language": "dsl"})", {}).language,
            proto::DSL);
}

TEST(JudgeRequest, WhatIsNoneIsRefusedWithTheReason) {
  EXPECT_THAT(why("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(why(R"({"task": "t", "kernal": "k"})"), HasSubstr("did you mean \"kernel\"?"));
  EXPECT_THAT(why(R"({"task": "t"})"), HasSubstr("one of \"kernel\", \"answer\" and \"project\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "answer": "a"})"), HasSubstr("one of \"kernel\""));
  EXPECT_THAT(why(R"({"kernel": "k"})"), HasSubstr("one of \"task\" and \"module\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": 3})"), HasSubstr("\"kernel\" is not a string"));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "id": "a b"})"), HasSubstr("\"id\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "case": -1})"), HasSubstr("\"case\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "wait": "soon"})"), HasSubstr("\"wait\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "language": "cuda"})"), HasSubstr("ascendc or dsl"));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "k", "dtype": "half"})"), HasSubstr("a task is named"));
  EXPECT_THAT(why(R"({"task": "t", "project": {}})"), HasSubstr("\"project\""));
  EXPECT_THAT(why(R"({"task": "t", "kernel": "0123456789"})", {.kernel_bytes = 9}), HasSubstr("413"));
  EXPECT_THAT(why(R"({"task": "t", "project": {"a": "0123456789"}})", {.kernel_bytes = 9}), HasSubstr("413"));
  EXPECT_THAT(why("{\"task\": \"t\", \"kernel\": \"\xff\"}"), HasSubstr("not a JSON object"));
  std::string deep(100000, '[');
  EXPECT_THAT(why(deep), HasSubstr("not a JSON object"));
}

TEST(JudgeRequest, SameContentMeansTheSame) {
  const auto content = [](const std::string& body) { return parse_request(body, {}).content(); };
  const std::string one = content(R"({"id": "1", "task": "t", "kernel": "k"})");
  EXPECT_EQ(one, content(R"({"id": "2", "task": "t", "kernel": "k", "wait": 9})"));
  std::set<std::string> all{one};
  for (const char* body :
       {R"({"task": "t", "answer": "k"})", R"({"module": "t", "kernel": "k"})",
        R"({"task": "t", "kernel": "k", "case": 0})", R"({"task": "t", "kernel": "k", "language": "dsl"})",
        R"({"task": "t", "project": {"k": ""}})", R"({"module": "t", "kernel": "k", "eval": true})"})
    EXPECT_TRUE(all.insert(content(body)).second) << body;
}

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

TEST(TokenTable, KnowsWhoAsks) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "tokens.toml";
  const std::string first = add_token(file, "first"), second = add_token(file, "second");
  EXPECT_NE(first, second);
  EXPECT_EQ(fs::status(file).permissions() & fs::perms::mask, fs::perms::owner_read | fs::perms::owner_write);
  TokenTable table(file);
  EXPECT_EQ(table.find("Bearer " + second)->name, "second");
  EXPECT_FALSE(table.find("Bearer " + second.substr(1)).has_value());
  EXPECT_FALSE(table.find("Bearer ").has_value());
  EXPECT_FALSE(table.find(second).has_value());
  write_file_atomically(file, "[second]\ntoken = \"" + second + "\"\nrequests_per_minute = 30\nwaiting = 2\n");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  EXPECT_FALSE(table.find("Bearer " + first).has_value());  // taken out
  EXPECT_EQ(table.find("Bearer " + second)->quota.requests_per_minute, 30);
  EXPECT_EQ(table.find("Bearer " + second)->quota.waiting, 2u);
}

TEST(TokenTable, AWrongFileIsRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "tokens.toml";
  const auto with = [&](const std::string& text) {
    write_file_atomically(file, text);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    return failure_of([&] { TokenTable table(file); });
  };
  EXPECT_THAT(failure_of([&] { TokenTable table(file); }), HasSubstr("--new-token"));
  EXPECT_THAT(with("[a]\ntoken = \"short\"\n"), HasSubstr("at least 16 characters"));
  EXPECT_THAT(with("[a]\ntoken = \"0123456789abcdef\"\nrate = 3\n"), HasSubstr("unknown key \"rate\""));
  EXPECT_THAT(with("[a]\ntoken = \"0123456789abcdef\"\nwaiting = -1\n"), HasSubstr("\"waiting\""));
  EXPECT_THAT(with("[a\n"), HasSubstr("tokens.toml:1"));
  EXPECT_THAT(with(""), HasSubstr("has no tokens"));
  with("[a]\ntoken = \"0123456789abcdef\"\n");
  fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(failure_of([&] { TokenTable table(file); }), HasSubstr("chmod 600"));
  EXPECT_THAT(failure_of([&] { add_token(file, "b"); }), HasSubstr("chmod 600"));
  EXPECT_THAT(failure_of([&] { add_token(file, "a b"); }), HasSubstr("cannot be the name of a token"));
}

}  // namespace
}  // namespace kg::service
