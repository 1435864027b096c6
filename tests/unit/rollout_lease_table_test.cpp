#include <gtest/gtest.h>

#include "rollout/lease_table.h"

namespace kg::rollout {
namespace {

LeaseTableOptions options() {
  return {.lease_seconds = 100, .silence_seconds = 10, .delivery_seconds = 6, .max_attempts = 3};
}

struct LeaseTableTest : testing::Test {
  LeaseTable table{options()};
  void worker(const std::string& name, std::uint32_t credits, double now = 0) {
    table.join(name, now);
    table.offer(name, credits);
  }
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
  EXPECT_TRUE(table.expire(100).empty());
  table.heard("a", 101);
  const auto ended = table.expire(101);
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
  EXPECT_TRUE(table.expire(15).empty());
  EXPECT_EQ(table.expire(15.1).size(), 2u);
  EXPECT_FALSE(table.heard("a", 16));
  EXPECT_EQ(table.waiting(), 2u);
  EXPECT_TRUE(table.workers().empty());
}

TEST_F(LeaseTableTest, ResultsAfterExpiryStillCountAndEndTheNewLease) {
  table.add_work(1, 1, {});
  worker("a", 1);
  only_grant(0);
  table.expire(50);
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
  EXPECT_FALSE(table.give_back(grant.lease_id, other, "?", true));
  EXPECT_TRUE(table.give_back(grant.lease_id, grant.worker, "sandbox", true));
  EXPECT_FALSE(table.give_back(grant.lease_id, grant.worker, "again", true));
}

TEST_F(LeaseTableTest, AReturnedWorkGoesToAnotherWorkerFirst) {
  table.add_work(1, 1, {});
  worker("a", 5);
  const Grant first = only_grant();
  table.give_back(first.lease_id, "a", "sandbox", true);
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
  table.give_back(first.lease_id, "a", "sandbox", true);
  EXPECT_EQ(only_grant(1).worker, "a");
}

TEST_F(LeaseTableTest, TheLastOfThreeAttemptsIsMarkedFinal) {
  table.add_work(1, 1, {});
  worker("a", 10);
  for (const bool is_final : {false, false, true, true}) {
    const Grant grant = only_grant();
    EXPECT_EQ(grant.final_attempt, is_final);
    table.give_back(grant.lease_id, "a", "sandbox fault", /*in_work=*/true);
  }
}

TEST_F(LeaseTableTest, CausesOutsideTheWorkDoNotCountAsAttempts) {
  table.add_work(1, 1, {});
  worker("a", 10);
  for (int i = 0; i < 5; ++i) {
    const Grant grant = only_grant();
    EXPECT_FALSE(grant.final_attempt);
    if (i % 2 == 0)
      table.give_back(grant.lease_id, "a", "generator lost", /*in_work=*/false);
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
  EXPECT_TRUE(table.give_back(grant.lease_id, "a", "shutting down", false));
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
  ASSERT_TRUE(table.end(grant.lease_id, "false policy version"));
  EXPECT_FALSE(table.end(grant.lease_id, "false policy version"));
  EXPECT_EQ(table.version_of(grant.lease_id), 9u);
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
  table.leave("a", "gone");
  EXPECT_FALSE(table.oldest_version());
}

TEST_F(LeaseTableTest, WorkThatWaitsAgainKeepsItsPlaceInTheOrder) {
  for (std::uint64_t id = 1; id <= 3; ++id) table.add_work(id, 1, {});
  worker("a", 1);
  const Grant first = only_grant();
  table.give_back(first.lease_id, "a", "shutting down", false);
  table.offer("a", 3);
  const auto grants = table.grant(1, 0);
  ASSERT_EQ(grants.size(), 3u);
  EXPECT_EQ(grants[0].work_id, 1u);
}

}  // namespace
}  // namespace kg::rollout
