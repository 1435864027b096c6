#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>

#include "rollout/lease_table.h"

namespace kg::rollout {
namespace {

LeaseTableOptions options() {
  return {.lease_seconds = 100,
          .silence_seconds = 10,
          .delivery_seconds = 6,
          .max_attempts = 3,
          .max_losses = 4,
          .host_fault_seconds = 50};
}

struct LeaseTableTest : testing::Test {
  LeaseTable table{options()};
  void worker(const std::string& name, std::uint32_t credits, double now = 0) {
    table.join(name, now);
    table.offer(name, credits);
  }
  std::vector<EndedLease> expire(double now) {
    gone.clear();
    return table.expire(now, gone);
  }
  std::optional<EndedLease> give_back(std::uint64_t lease_id, const std::string& worker, EndCause cause,
                                      double now = 0) {
    return table.give_back(lease_id, worker, "why", cause, now);
  }
  std::vector<std::string> gone;
  Grant only_grant(double now = 0, std::uint64_t version = 1) {
    const auto grants = table.grant(version, now);
    EXPECT_EQ(grants.size(), 1u);
    return grants.empty() ? Grant{} : grants.front();
  }
};

TEST_F(LeaseTableTest, NothingIsGrantedWithoutCredits) {
  table.add_work(1, 2, {});
  EXPECT_TRUE(table.grant(1, 0).empty());
  table.join("a", 0);
  EXPECT_TRUE(table.grant(1, 0).empty());
  table.offer("nobody", 5);
  EXPECT_TRUE(table.grant(1, 0).empty());
  EXPECT_EQ(table.waiting(), 1u);
}

TEST_F(LeaseTableTest, EachGrantCostsACreditAndHasItsOwnId) {
  for (std::uint64_t id = 1; id <= 3; ++id) table.add_work(id, 1, {});
  worker("a", 2);
  const auto grants = table.grant(7, 0);
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_EQ(grants[0].work_id, 1u);
  EXPECT_EQ(grants[1].work_id, 2u);
  EXPECT_NE(grants[0].lease_id, grants[1].lease_id);
  EXPECT_EQ(grants[0].version, 7u);
  EXPECT_TRUE(table.grant(7, 0).empty());
  table.offer("a", 1);
  EXPECT_EQ(only_grant().work_id, 3u);
}

TEST_F(LeaseTableTest, WorkGoesToTheWorkerWithTheFewestLeases) {
  worker("a", 4);
  worker("b", 4);
  for (std::uint64_t id = 1; id <= 4; ++id) table.add_work(id, 1, {});
  std::map<std::string, int> given;
  for (const Grant& grant : table.grant(1, 0)) ++given[grant.worker];
  EXPECT_EQ(given["a"], 2);
  EXPECT_EQ(given["b"], 2);
}

TEST_F(LeaseTableTest, TheLeaseListsWhatIsDurable) {
  table.add_work(1, 4, {0, 2});
  worker("a", 1);
  EXPECT_EQ(only_grant().done, (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(LeaseTableTest, CompletionEndsTheLeaseAndForgetsTheWork) {
  table.add_work(1, 2, {});
  worker("a", 1);
  only_grant();
  EXPECT_EQ(table.standing(1, 0), Standing::kWanted);
  EXPECT_FALSE(table.stored(1, 0));
  EXPECT_EQ(table.standing(1, 0), Standing::kDuplicate);
  EXPECT_TRUE(table.stored(1, 1));
  EXPECT_EQ(table.standing(1, 1), Standing::kUnknown);
  EXPECT_EQ(table.open_leases(), 0u);
  EXPECT_EQ(table.waiting(), 0u);
}

TEST_F(LeaseTableTest, ASampleBeyondTheGroupIsUnknown) {
  table.add_work(1, 2, {});
  EXPECT_EQ(table.standing(1, 2), Standing::kUnknown);
  EXPECT_EQ(table.standing(2, 0), Standing::kUnknown);
}

TEST_F(LeaseTableTest, AnExpiredLeaseIsGrantedAgainWithTheDurableSamplesListed) {
  table.add_work(1, 3, {});
  worker("a", 1);
  const Grant first = only_grant(0);
  table.stored(1, 1);
  table.heard("a", 100);
  EXPECT_TRUE(expire(100).empty());
  table.heard("a", 101);
  const auto ended = expire(101);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].lease_id, first.lease_id);
  EXPECT_EQ(ended[0].reason, "the lease passed its deadline");
  table.offer("a", 1);
  const Grant second = only_grant(101, 2);
  EXPECT_EQ(second.work_id, 1u);
  EXPECT_NE(second.lease_id, first.lease_id);
  EXPECT_EQ(second.done, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(second.version, 2u);
}

TEST_F(LeaseTableTest, ASilentWorkerLeavesAndItsLeasesWaitAgain) {
  table.add_work(1, 1, {});
  table.add_work(2, 1, {});
  worker("a", 2);
  EXPECT_EQ(table.grant(1, 0).size(), 2u);
  table.heard("a", 5);
  EXPECT_TRUE(expire(15).empty());
  EXPECT_EQ(expire(15.1).size(), 2u);
  EXPECT_FALSE(table.heard("a", 16));
  EXPECT_EQ(table.waiting(), 2u);
  EXPECT_TRUE(table.workers().empty());
}

TEST_F(LeaseTableTest, ResultsAfterExpiryStillCountAndEndTheNewLease) {
  table.add_work(1, 1, {});
  worker("a", 1);
  only_grant(0);
  expire(50);
  worker("b", 1, 50);
  const Grant second = only_grant(50);
  EXPECT_EQ(second.worker, "b");
  EXPECT_EQ(table.standing(1, 0), Standing::kWanted);
  EXPECT_TRUE(table.stored(1, 0));
  std::vector<std::uint64_t> not_held;
  table.reconcile("b", {second.lease_id}, 0, 51, not_held);
  EXPECT_EQ(not_held, (std::vector<std::uint64_t>{second.lease_id}));
}

TEST_F(LeaseTableTest, AWorkCompletedWhileItWaitsIsNotGranted) {
  table.add_work(1, 1, {});
  EXPECT_TRUE(table.stored(1, 0));
  worker("a", 1);
  EXPECT_TRUE(table.grant(1, 0).empty());
}

TEST_F(LeaseTableTest, OnlyTheHolderGivesALeaseBack) {
  table.add_work(1, 1, {});
  worker("a", 1);
  worker("b", 1);
  const Grant grant = only_grant();
  const std::string other = grant.worker == "a" ? "b" : "a";
  EXPECT_FALSE(give_back(grant.lease_id, other, EndCause::kInWork));
  EXPECT_TRUE(give_back(grant.lease_id, grant.worker, EndCause::kInWork));
  EXPECT_FALSE(give_back(grant.lease_id, grant.worker, EndCause::kInWork));
}

TEST_F(LeaseTableTest, AReturnedWorkGoesToAnotherWorkerFirst) {
  table.add_work(1, 1, {});
  worker("a", 5);
  const Grant first = only_grant();
  give_back(first.lease_id, "a", EndCause::kInWork);
  worker("b", 2);
  table.add_work(2, 1, {});
  table.add_work(3, 1, {});
  const auto grants = table.grant(1, 1);
  ASSERT_EQ(grants.size(), 3u);
  EXPECT_EQ(grants[0].work_id, 1u);
  EXPECT_EQ(grants[0].worker, "b");
}

TEST_F(LeaseTableTest, TheOnlyWorkerGetsItsReturnedWorkAgain) {
  table.add_work(1, 1, {});
  worker("a", 2);
  const Grant first = only_grant();
  give_back(first.lease_id, "a", EndCause::kInWork);
  EXPECT_EQ(only_grant(1).worker, "a");
}

TEST_F(LeaseTableTest, TheLastOfThreeAttemptsIsMarkedFinal) {
  table.add_work(1, 1, {});
  worker("a", 10);
  for (const bool is_final : {false, false, true, true}) {
    const Grant grant = only_grant();
    EXPECT_EQ(grant.final_attempt, is_final);
    give_back(grant.lease_id, "a", EndCause::kInWork);
  }
}

TEST_F(LeaseTableTest, CausesOutsideTheWorkDoNotCountAsAttempts) {
  table.add_work(1, 1, {});
  worker("a", 10);
  for (int i = 0; i < 5; ++i) {
    const Grant grant = only_grant();
    EXPECT_FALSE(grant.final_attempt);
    if (i % 2 == 0)
      give_back(grant.lease_id, "a", EndCause::kHostFault);
    else
      table.revoke(grant.lease_id);
  }
}

TEST_F(LeaseTableTest, JoiningAgainKeepsLeasesAndForgetsCredits) {
  table.add_work(1, 1, {});
  table.add_work(2, 1, {});
  worker("a", 1);
  const Grant grant = only_grant();
  table.offer("a", 3);
  table.join("a", 1);
  EXPECT_TRUE(table.grant(1, 1).empty());
  EXPECT_EQ(table.open_leases(), 1u);
  EXPECT_TRUE(give_back(grant.lease_id, "a", EndCause::kNeutral));
}

TEST_F(LeaseTableTest, ALeaseLostOnTheWayIsGrantedAgain) {
  table.add_work(1, 1, {});
  worker("a", 1);
  only_grant(0);
  std::vector<std::uint64_t> not_held;
  EXPECT_TRUE(table.reconcile("a", {}, 1, 5, not_held).empty()) << "it may still be on the way";
  EXPECT_TRUE(table.grant(1, 5).empty()) << "the credit is spent on the lease under way";
  const auto ended = table.reconcile("a", {}, 1, 6.5, not_held);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].reason, "the lease did not reach the worker");
  EXPECT_EQ(only_grant(6.5).work_id, 1u);
  EXPECT_TRUE(not_held.empty());
}

TEST_F(LeaseTableTest, HeartbeatsPutRightLostCredits) {
  table.add_work(1, 1, {});
  table.join("a", 0);
  std::vector<std::uint64_t> not_held;
  table.reconcile("a", {99}, 2, 1, not_held);
  EXPECT_EQ(not_held, (std::vector<std::uint64_t>{99}));
  EXPECT_EQ(only_grant(1).worker, "a");
}

TEST_F(LeaseTableTest, ALyingWorkersLeaseIsEndedAndItsVersionRemembered) {
  table.add_work(1, 1, {});
  worker("liar", 1);
  const Grant grant = only_grant(0, 9);
  worker("b", 1);
  ASSERT_TRUE(give_back(grant.lease_id, "liar", EndCause::kWorkerLost));
  EXPECT_FALSE(give_back(grant.lease_id, "liar", EndCause::kWorkerLost));
  ASSERT_TRUE(table.record(grant.lease_id));
  EXPECT_EQ(table.record(grant.lease_id)->version, 9u);
  EXPECT_EQ(table.record(grant.lease_id)->worker, "liar");
  EXPECT_EQ(only_grant(1, 9).worker, "b");
}

TEST_F(LeaseTableTest, OldestVersionInUseIsThatOfOpenLeases) {
  EXPECT_FALSE(table.oldest_version());
  worker("a", 2);
  table.add_work(1, 1, {});
  only_grant(0, 3);
  table.add_work(2, 1, {});
  only_grant(0, 5);
  EXPECT_EQ(table.oldest_version(), 3u);
  table.stored(1, 0);
  EXPECT_EQ(table.oldest_version(), 5u);
  table.leave("a", "gone", EndCause::kNeutral);
  EXPECT_FALSE(table.oldest_version());
}

TEST_F(LeaseTableTest, WorkThatWaitsAgainKeepsItsPlaceInTheOrder) {
  for (std::uint64_t id = 1; id <= 3; ++id) table.add_work(id, 1, {});
  worker("a", 1);
  const Grant first = only_grant();
  give_back(first.lease_id, "a", EndCause::kNeutral);
  table.offer("a", 3);
  const auto grants = table.grant(1, 0);
  ASSERT_EQ(grants.size(), 3u);
  EXPECT_EQ(grants[0].work_id, 1u);
}

// A work whose kernel kills its worker was given out for ever: its attempts were only counted when it came back
// politely.
TEST_F(LeaseTableTest, AWorkThatEndsEveryWorkerIsGivenUpAndTheOthersGoOn) {
  table.add_work(1, 3, {1});
  table.add_work(2, 1, {});
  double now = 0;
  for (int death = 0; death < 4; ++death, now += 20) {
    EXPECT_TRUE(table.given_up().empty());
    worker("w" + std::to_string(death), 1, now);
    EXPECT_EQ(only_grant(now).work_id, 1u);
    EXPECT_EQ(expire(now + 11).size(), 1u);
  }
  const auto given_up = table.given_up();
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].work_id, 1u);
  EXPECT_EQ(given_up[0].missing, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_NE(given_up[0].reason.find("the worker fell silent"), std::string::npos);
  worker("survivor", 5, now);
  EXPECT_EQ(only_grant(now).work_id, 2u) << "it is not given out again";
  EXPECT_FALSE(table.stored(1, 0));
  EXPECT_EQ(table.given_up().size(), 1u);
  EXPECT_TRUE(table.stored(1, 2));
  EXPECT_TRUE(table.given_up().empty());
}

TEST_F(LeaseTableTest, AWorkThatOutlastsItsDeadlineAgainAndAgainIsGivenUp) {
  table.add_work(1, 1, {});
  double now = 0;
  for (int life = 0; life < 4; ++life) {
    EXPECT_TRUE(table.given_up().empty());
    worker("a", 1, now);
    only_grant(now);
    now += 101;
    table.heard("a", now);
    EXPECT_EQ(expire(now).size(), 1u);
  }
  EXPECT_EQ(table.given_up().size(), 1u);
}

TEST_F(LeaseTableTest, AStoredSampleStartsTheCountOfLossesAnew) {
  table.add_work(1, 3, {});
  for (int death = 0; death < 7; ++death) {
    if (death == 3) table.stored(1, 0);
    worker("w", 1, 20 * death);
    only_grant(20 * death);
    expire(20 * death + 11);
    EXPECT_EQ(table.given_up().size(), death == 6 ? 1u : 0u) << death;
  }
}

TEST_F(LeaseTableTest, AWorkThatNoHostCanDoIsGivenUpButNotAtOnce) {
  table.add_work(1, 1, {});
  worker("a", 100);
  for (const double now : {0.0, 10.0, 20.0, 30.0, 49.0}) {
    give_back(only_grant(now).lease_id, "a", EndCause::kHostFault, now);
    EXPECT_TRUE(table.given_up().empty()) << now << ": the generator may come back";
  }
  give_back(only_grant(51).lease_id, "a", EndCause::kHostFault, 51);
  EXPECT_EQ(table.given_up().size(), 1u);
}

TEST_F(LeaseTableTest, AFinalAttemptThatComesBackAgainAndAgainIsGivenUp) {
  table.add_work(1, 1, {});
  worker("a", 100);
  for (int i = 0; i < 6; ++i) give_back(only_grant().lease_id, "a", EndCause::kInWork);
  EXPECT_EQ(table.given_up().size(), 1u);
}

TEST_F(LeaseTableTest, ProgressMovesTheDeadlineUpToABound) {
  table.add_work(1, 1, {});
  worker("a", 1);
  const Grant grant = only_grant(0);
  double now = 0;
  for (std::uint64_t steps = 1; steps <= 20; ++steps) {
    now += 90;
    table.heard("a", now);
    table.progress(grant.lease_id, "a", steps, now);
    table.progress(grant.lease_id, "b", steps + 1, now + 50);
    EXPECT_TRUE(expire(now).empty());
  }
  table.heard("a", now + 101);
  table.progress(grant.lease_id, "a", 20, now + 50);
  EXPECT_EQ(expire(now + 101).size(), 1u) << "it came no further";
  table.offer("a", 1);
  const Grant second = only_grant(now);
  for (std::uint64_t steps = 1; steps < 100 && table.open_leases() > 0; ++steps) {
    now += 90;
    table.heard("a", now);
    table.progress(second.lease_id, "a", steps, now);
    expire(now);
  }
  EXPECT_EQ(table.open_leases(), 0u) << "a worker cannot keep a lease for ever";
}

// A round in which nobody has credits looked at every worker for every waiting work.
TEST_F(LeaseTableTest, ARoundWithoutCreditsCostsTheSameHoweverMuchWaits) {
  for (int i = 0; i < 1000; ++i) worker("w" + std::to_string(i), 0);
  const auto seconds = [&] {
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < 200; ++round) EXPECT_TRUE(table.grant(1, 0).empty());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (std::uint64_t id = 1; id <= 65536; ++id) table.add_work(id, 1, {});
  EXPECT_LT(seconds(), 0.05);  // 73 ms each with 16,384 works before
}

TEST_F(LeaseTableTest, GrantsFollowLeasesAndCreditsOfAThousandWorkersAsAPlainSearchWould) {
  std::mt19937 random(3);
  constexpr int kWorkers = 50;
  std::map<std::string, std::pair<std::size_t, std::uint32_t>> plain;  // leases, credits
  for (int i = 0; i < kWorkers; ++i) {
    const std::string name = "w" + std::to_string(100 + i);
    plain[name] = {0, random() % 4};
    worker(name, plain[name].second);
  }
  std::map<std::uint64_t, std::string> held;
  std::uint64_t next = 1;
  for (int round = 0; round < 400; ++round) {
    for (std::uint64_t i = random() % 4; i > 0; --i) table.add_work(next++, 1, {});
    for (const Grant& grant : table.grant(1, 0)) {
      std::string best;
      for (const auto& [name, state] : plain)
        if (state.second > 0 && (best.empty() || state.first < plain[best].first)) best = name;
      EXPECT_EQ(grant.worker, best);
      ++plain[best].first;
      --plain[best].second;
      held[grant.work_id] = best;
    }
    for (std::uint64_t i = random() % 4; i > 0 && !held.empty(); --i) {
      auto done = held.begin();
      std::advance(done, random() % held.size());
      EXPECT_TRUE(table.stored(done->first, 0));
      --plain[done->second].first;
      held.erase(done);
    }
    const std::string name = "w" + std::to_string(100 + random() % kWorkers);
    table.offer(name, 1);
    ++plain[name].second;
  }
  EXPECT_GT(next, 300u);
}

}  // namespace
}  // namespace kg::rollout
