#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "service/judge_service.h"

namespace kg::service {
namespace {

JudgeRequest request(const std::string& id, const std::string& kernel = "k") {
  JudgeRequest request;
  request.id = id;
  request.task = "task";
  request.kernel = kernel;
  return request;
}

proto::Verdict correct() {
  proto::Verdict verdict;
  verdict.set_stage(proto::CORRECT);
  verdict.set_reward(1);
  verdict.set_reward_valid(true);
  return verdict;
}

proto::Verdict fault() {
  proto::Verdict verdict;
  verdict.set_sandbox_error("killed by the host");
  return verdict;
}

// A judge that waits until it is let go.
struct Gate {
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  std::atomic<int> judged = 0;
  std::function<Judge()> make() {
    return [this] {
      return [this](const JudgeRequest&) {
        opened.wait();
        ++judged;
        return correct();
      };
    };
  }
};

int status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
  return 200;
}

const proto::Verdict& verdict_of(const std::optional<Answer>& answer) {
  return std::get<proto::Verdict>(answer.value().what);
}

TEST(JudgeService, AnIdIsJudgedOnceHoweverOftenItIsSent) {
  Metrics metrics;
  Gate gate;
  JudgeService service({.jobs = 2}, gate.make(), metrics);
  std::vector<std::future<std::optional<Answer>>> answers;
  for (int i = 0; i < 8; ++i)
    answers.push_back(
        std::async(std::launch::async, [&] { return service.wait(service.submit({"a", {}}, request("1")), 60); }));
  gate.open.set_value();
  for (auto& answer : answers) EXPECT_TRUE(verdict_of(answer.get()).reward_valid());
  EXPECT_EQ(gate.judged, 1);
  const auto again = service.wait(service.submit({"a", {}}, request("1")), 60);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(gate.judged, 1);
  EXPECT_EQ(status_of([&] { service.submit({"a", {}}, request("1", "another kernel")); }), 409);
  service.wait(service.submit({"b", {}}, request("1", "of another caller")), 60);  // has ids of its own
  EXPECT_EQ(gate.judged, 2);
  EXPECT_TRUE(service.wait(service.find("a", "1"), 0).has_value());
  EXPECT_EQ(status_of([&] { service.find("a", "2"); }), 404);
}

TEST(JudgeService, AFullQueueAndAUsedUpQuotaSendRequestersBack) {
  Metrics metrics;
  Gate gate;
  JudgeService service({.jobs = 1, .most_waiting = 2}, gate.make(), metrics);
  const auto submit = [&](const Caller& caller, const std::string& id) {
    return status_of([&] { service.submit(caller, request(id)); });
  };
  const Caller bounded{"bounded", {.waiting = 1}};
  EXPECT_EQ(submit(bounded, "1"), 200);
  while (service.state().judging == 0) std::this_thread::yield();
  EXPECT_EQ(submit(bounded, "2"), 429);  // its quota
  EXPECT_EQ(submit({"a", {}}, "1"), 200);
  EXPECT_EQ(submit({"a", {}}, "2"), 200);
  EXPECT_EQ(submit({"a", {}}, "3"), 429);  // the queue
  EXPECT_EQ(submit({"a", {}}, "2"), 200);  // waits already
  const auto ticket = service.find("bounded", "1");
  gate.open.set_value();
  service.wait(ticket, 60);
  service.wait(service.find("a", "1"), 60);  // which has left the queue then: there is room
  EXPECT_EQ(submit(bounded, "2"), 200);
}

TEST(JudgeService, CallersTakeTurns) {
  Metrics metrics;
  Gate gate;
  std::vector<std::string> order;
  JudgeService service(
      {.jobs = 1, .most_waiting = 100},
      [&] {
        return [&](const JudgeRequest& asked) {
          gate.opened.wait();
          order.push_back(asked.id);
          return correct();
        };
      },
      metrics);
  service.submit({"first", {}}, request("blocks"));
  while (service.state().judging == 0) std::this_thread::yield();
  for (int i = 0; i < 5; ++i) service.submit({"many", {}}, request("many " + std::to_string(i)));
  const auto last = service.submit({"few", {}}, request("few 0"));
  gate.open.set_value();
  service.wait(service.find("many", "many 4"), 60);
  service.wait(last, 60);
  EXPECT_LT(std::find(order.begin(), order.end(), "few 0") - order.begin(), 3);
}

TEST(JudgeService, AFaultOfTheSandboxIsTriedAgainAndNeverAZero) {
  Metrics metrics;
  std::atomic<int> calls = 0;
  std::atomic<bool> broken = false;
  JudgeService service(
      {.jobs = 1, .tries = 3},
      [&] { return [&](const JudgeRequest&) { return ++calls % 2 == 1 || broken ? fault() : correct(); }; }, metrics);
  EXPECT_TRUE(verdict_of(service.wait(service.submit({"a", {}}, request("1")), 60)).reward_valid());
  EXPECT_EQ(calls, 2);
  broken = true;
  const auto failed = service.wait(service.submit({"a", {}}, request("2")), 60);
  EXPECT_EQ(calls, 5);
  EXPECT_FALSE(verdict_of(failed).reward_valid());
  EXPECT_EQ(verdict_of(failed).sandbox_error(), "killed by the host");
  EXPECT_EQ(service.state().fault, "killed by the host");
  broken = false;  // the id may be asked again, since it has no verdict
  EXPECT_TRUE(verdict_of(service.wait(service.submit({"a", {}}, request("2")), 60)).reward_valid());
}

TEST(JudgeService, WhatIsLateIsNotJudged) {
  Metrics metrics;
  Gate gate;
  JudgeService service({.jobs = 1}, gate.make(), metrics);
  service.submit({"a", {}}, request("blocks"));
  while (service.state().judging == 0) std::this_thread::yield();
  JudgeRequest late = request("late");
  late.deadline = 1e-6;
  const auto ticket = service.submit({"a", {}}, late);
  gate.open.set_value();
  EXPECT_EQ(std::get<Refusal>(service.wait(ticket, 60)->what).status, 504);
  EXPECT_EQ(gate.judged, 1);
}

TEST(JudgeService, TheEndAnswersEverybody) {
  Metrics metrics;
  Gate gate;
  JudgeService service({.jobs = 1}, gate.make(), metrics);
  std::vector<JudgeService::Ticket> tickets;
  for (int i = 0; i < 4; ++i) tickets.push_back(service.submit({"a", {}}, request(std::to_string(i))));
  while (service.state().judging == 0) std::this_thread::yield();
  std::thread drain([&] { service.drain(0.05); });
  while (!service.state().draining) std::this_thread::yield();
  EXPECT_EQ(status_of([&] { service.submit({"a", {}}, request("new")); }), 503);
  drain.join();
  for (const auto& ticket : tickets) EXPECT_EQ(std::get<Refusal>(service.wait(ticket, 0)->what).status, 503);
  EXPECT_EQ(service.state().judging, 1u);
  gate.open.set_value();
  while (service.state().judging > 0) std::this_thread::yield();
  // What comes after the answer changes nothing.
  EXPECT_EQ(std::get<Refusal>(service.wait(tickets[0], 0)->what).status, 503);
  EXPECT_EQ(gate.judged, 1);
}

TEST(JudgeService, TheEndWaitsForWhatIsJudgedInTime) {
  Metrics metrics;
  Gate gate;
  JudgeService service({.jobs = 1}, gate.make(), metrics);
  const auto ticket = service.submit({"a", {}}, request("slow"));
  while (service.state().judging == 0) std::this_thread::yield();
  std::thread drain([&] { service.drain(600); });
  while (!service.state().draining) std::this_thread::yield();
  gate.open.set_value();
  drain.join();
  EXPECT_TRUE(verdict_of(service.wait(ticket, 0)).reward_valid());
}

TEST(JudgeService, OldAnswersAreForgotten) {
  Metrics metrics;
  Gate gate;
  gate.open.set_value();
  JudgeService service({.jobs = 1, .kept_answers = 2}, gate.make(), metrics);
  for (int i = 0; i < 4; ++i) service.wait(service.submit({"a", {}}, request(std::to_string(i))), 60);
  EXPECT_EQ(status_of([&] { service.find("a", "1"); }), 404);
  EXPECT_EQ(status_of([&] { service.find("a", "3"); }), 200);
}

TEST(Quota, ARateIsKeptOverTime) {
  QuotaTable table;
  const Quota quota{.requests_per_minute = 60};  // one a second, ten at once
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += !table.over("a", quota, 1000).has_value();
  EXPECT_EQ(taken, 10);
  EXPECT_NEAR(*table.over("a", quota, 1000.25), 0.75, 1e-6);
  EXPECT_FALSE(table.over("a", quota, 1001.1).has_value());
  for (int i = 0; i < 1000; ++i) taken += !table.over("b", quota, 1000 + 0.1 * i).has_value();
  EXPECT_NEAR(taken - 10, 109, 1);  // 100 s, and the ten
}

TEST(Metrics, IsTextThatPrometheusReads) {
  Metrics metrics;
  metrics.count("kgtrain_verdicts_total", "stage=\"correct\"");
  metrics.count("kgtrain_verdicts_total", "stage=\"correct\"");
  metrics.observe("kgtrain_judge_seconds", 0.2);
  metrics.observe("kgtrain_judge_seconds", 5000);
  const std::string text = metrics.text({{"kgtrain_waiting", 3}});
  EXPECT_THAT(
      text, testing::HasSubstr("# TYPE kgtrain_verdicts_total counter\nkgtrain_verdicts_total{stage=\"correct\"} 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("kgtrain_judge_seconds_bucket{le=\"0.1\"} 0\n"));
  EXPECT_THAT(text, testing::HasSubstr("kgtrain_judge_seconds_bucket{le=\"0.3\"} 1\n"));
  EXPECT_THAT(text,
              testing::HasSubstr("kgtrain_judge_seconds_bucket{le=\"+Inf\"} 2\nkgtrain_judge_seconds_sum 5000.2\n"));
  EXPECT_THAT(text, testing::HasSubstr("kgtrain_waiting 3\n"));
}

}  // namespace
}  // namespace kg::service
