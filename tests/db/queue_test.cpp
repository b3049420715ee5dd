// Jobs and leases in SQL: the agent that gets a job, the end of a lease, and late agents.
#include "tests/support/queue.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "server/db/connection_pool.h"
#include "server/queue/planner.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;

std::string CodeOf(const core::Result<server::JobRecord>& job) {
  return job.ok() ? job->state : job.error().code;
}

std::vector<std::string> ReasonsOf(const server::JobRecord& job) {
  std::vector<std::string> reasons;
  for (const auto& it : nlohmann::json::parse(job.reasons)) {
    reasons.push_back(std::to_string(it.at("epoch").get<int>()) + " " +
                      it.at("agent").get<std::string>() + " " + it.at("reason").get<std::string>());
  }
  return reasons;
}

TEST(Queue, jobs_go_out_by_priority_then_demand_then_age) {
  QueueFixture hub;
  const auto first = hub.Add();
  const auto second = hub.Add();
  const auto wanted = hub.Add({.weight = 5});
  const auto urgent = hub.Add({.priority = 1});
  EXPECT_EQ(hub.Claim("a"), urgent);
  EXPECT_EQ(hub.Claim("b"), wanted);
  EXPECT_EQ(hub.Claim("c"), first);
  EXPECT_EQ(hub.Claim("d"), second);
  EXPECT_EQ(hub.Claim("e"), 0);
}

TEST(Queue, a_job_goes_only_to_an_agent_whose_target_and_families_fit) {
  QueueFixture hub;
  const auto exact = hub.Add({.cu_num = 80});
  EXPECT_EQ(hub.Claim("other gfx", "gfx950", 80), 0);
  EXPECT_EQ(hub.Claim("other count", "gfx942", 304), 0);
  EXPECT_EQ(hub.Claim("other family", "gfx942", 80, {"bf16", "a8w8"}), 0);
  EXPECT_EQ(hub.Claim("fits", "gfx942", 80, {"bf16", "a8w8_blockscale"}), exact);
  const auto any = hub.Add({.cu_num = 0});
  EXPECT_EQ(hub.Claim("other gfx", "gfx950", 80), 0);
  EXPECT_EQ(hub.Claim("any count", "gfx942", 304), any);
}

TEST(Queue, a_job_to_measure_goes_only_to_an_agent_that_measures) {
  QueueFixture hub;
  const auto measure = hub.Add({.priority = 9, .purpose = server::kVerify});
  const auto tune = hub.Add();
  EXPECT_EQ(hub.Claim("tunes only"), tune);
  EXPECT_EQ(hub.Claim("also tunes only"), 0);
  const auto claimed = hub.leases.Claim({"verifies", "gfx942", 304, {}, true});
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->id, measure);
  EXPECT_EQ(claimed->purpose, "verify");
}

TEST(Queue, the_same_agent_gets_its_own_job_again_at_the_same_epoch_with_a_new_lease) {
  QueueFixture hub;
  const auto job = hub.Add();
  hub.Add({.priority = 9});
  const auto first = hub.leases.Claim({"a", "gfx942", 304, {}});
  ASSERT_TRUE(first);
  EXPECT_NE(first->id, job);
  const auto again = hub.leases.Claim({"a", "gfx942", 304, {}});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, first->id);
  EXPECT_EQ(again->epoch, 1);
  EXPECT_GT(again->lease_expires, first->lease_expires);
  EXPECT_EQ(hub.Claim("b"), job);
}

TEST(Queue, an_agent_that_is_another_target_now_leaves_its_job_to_others) {
  QueueFixture hub;
  const auto job = hub.Add();
  const auto other = hub.Add({.gfx = "gfx950", .cu_num = 256});
  EXPECT_EQ(hub.Claim("a"), job);
  EXPECT_EQ(hub.Claim("a", "gfx950", 256), other);
  EXPECT_EQ(hub.State(job), std::to_string(job) + " queued a 1");
  EXPECT_EQ(hub.jobs.FindJob(job)->tries, 0);
}

TEST(Queue, a_lease_ends_by_itself_and_the_job_goes_to_another_at_a_higher_epoch) {
  QueueFixture hub({.lease = milliseconds(50), .rest = kRest});
  const auto job = hub.AddClaimed("a");
  const server::Lease late = hub.LeaseOf(job, "a");
  do hub.leases.WatchLeases();
  while (hub.leases.Expire() == 0);
  EXPECT_EQ(hub.State(job), std::to_string(job) + " queued a 1");
  EXPECT_EQ(CodeOf(hub.leases.Fail(late, "late", false)), "lease_lost");
  EXPECT_EQ(hub.Claim("b"), job);
  EXPECT_EQ(CodeOf(hub.leases.Heartbeat(late, {})), "lease_lost");
  EXPECT_EQ(CodeOf(hub.leases.Complete(late, {})), "lease_lost");
  const server::Lease held = hub.LeaseOf(job, "b");
  EXPECT_EQ(held.epoch, 2);
  EXPECT_EQ(CodeOf(hub.leases.Complete(held, {})), "done");
}

TEST(Queue, a_holder_that_was_late_and_not_missed_goes_on) {
  QueueFixture hub;
  const auto job = hub.AddClaimed("a");
  EndLeases(hub.registry.url);
  EXPECT_EQ(CodeOf(hub.leases.Heartbeat(hub.LeaseOf(job, "a"), "{\"done\":1}")), "running");
  EXPECT_EQ(hub.leases.Expire(), 0U);
  EXPECT_EQ(hub.jobs.FindJob(job)->progress, "{\"done\":1}");
}

TEST(Queue, a_late_holder_that_nobody_followed_goes_on_without_blame) {
  QueueFixture hub;
  const auto job = hub.Add();
  for (int i = 0; i < 4; ++i) {  // more turns than the failures that park a job
    EXPECT_EQ(hub.Claim("a"), job);
    EndLeases(hub.registry.url);
    EXPECT_EQ(hub.leases.Expire(), 1U);
    EXPECT_EQ(CodeOf(hub.leases.Heartbeat(hub.LeaseOf(job, "a"), {})), "running");
  }
  EXPECT_EQ(hub.State(job), std::to_string(job) + " running a 1");
  EXPECT_EQ(hub.jobs.FindJob(job)->tries, 0);
  EXPECT_TRUE(ReasonsOf(*hub.jobs.FindJob(job)).empty());
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "a"), "signal 9", false)), "queued");
  EXPECT_EQ(CodeOf(hub.leases.Heartbeat(hub.LeaseOf(job, "a"), {})), "lease_lost");
}

TEST(Queue, what_a_holder_completes_late_counts_while_nobody_else_was_handed_the_job) {
  QueueFixture hub;
  const auto job = hub.AddClaimed("a");
  EndLeases(hub.registry.url);
  EXPECT_EQ(hub.leases.Expire(), 1U);
  EXPECT_EQ(CodeOf(hub.leases.Complete(hub.LeaseOf(job, "b"), {})), "lease_lost");
  EXPECT_EQ(CodeOf(hub.leases.Complete(hub.LeaseOf(job, "a"), {})), "done");
  EXPECT_EQ(hub.jobs.FindJob(job)->tries, 0);
  EXPECT_TRUE(ReasonsOf(*hub.jobs.FindJob(job)).empty());
}

TEST(Queue, a_holder_of_another_job_does_not_get_the_one_that_it_was_late_with_back) {
  QueueFixture hub;
  const auto job = hub.AddClaimed("a");
  const server::Lease late = hub.LeaseOf(job, "a");
  EndLeases(hub.registry.url);
  EXPECT_EQ(hub.leases.Expire(), 1U);
  const auto urgent = hub.Add({.priority = 1});
  EXPECT_EQ(hub.Claim("a"), urgent);
  EXPECT_EQ(CodeOf(hub.leases.Heartbeat(late, {})), "lease_lost");
}

TEST(Queue, after_a_silence_of_all_servers_every_open_lease_begins_anew) {
  QueueFixture hub;
  hub.AddClaimed("a");
  EndLeases(hub.registry.url);
  Execute(hub.registry.url, "UPDATE lease_watch SET seen = now() - interval '4 seconds'");
  EXPECT_EQ(hub.leases.Expire(), 0U) << "no server has watched the leases since then";
  EXPECT_EQ(hub.Claim("b"), 0);
  EXPECT_EQ(hub.leases.WatchLeases(), 1U);
  EXPECT_EQ(hub.leases.Expire(), 0U);
  EXPECT_EQ(hub.leases.WatchLeases(), 0U) << "once";
  EndLeases(hub.registry.url);
  EXPECT_EQ(hub.leases.Expire(), 1U);
}

TEST(Queue, an_agent_that_finds_nothing_takes_an_expired_job_without_waiting_for_the_sweep) {
  QueueFixture hub;
  const auto job = hub.AddClaimed("a");
  EXPECT_EQ(hub.Claim("b"), 0);
  EndLeases(hub.registry.url);
  EXPECT_EQ(hub.Claim("b"), job);
}

TEST(Queue, three_expiries_or_failures_park_a_job_with_the_reasons) {
  QueueFixture hub({.lease = kLease, .rest = milliseconds(0)});
  const auto job = hub.AddClaimed("a");
  EndLeases(hub.registry.url);
  EXPECT_EQ(hub.leases.Expire(), 1U);
  EXPECT_EQ(hub.Claim("b"), job);
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "b"), "signal 9", false)), "queued");
  EXPECT_EQ(hub.Claim("b"), job);
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "b"), "signal 11", false)), "parked");
  EXPECT_EQ(hub.Claim("c"), 0);
  EXPECT_THAT(ReasonsOf(*hub.jobs.FindJob(job)),
              testing::ElementsAre("1 a expired", "2 b signal 9", "3 b signal 11"));

  EXPECT_EQ(Must(hub.leases.Retry(job, {})).tries, 0);
  EXPECT_EQ(CodeOf(hub.leases.Retry(job, {})), "not_parked");
  EXPECT_EQ(hub.Claim("c"), job);
  EXPECT_EQ(hub.LeaseOf(job, "c").epoch, 4);
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "c"), "no kernel", true)), "parked")
      << "a permanent failure parks the job at once";
}

TEST(Queue, a_failed_job_rests_for_the_agent_that_failed_it_and_for_no_other) {
  QueueFixture hub;
  const auto job = hub.Add();
  const auto next = hub.Add();
  EXPECT_EQ(hub.Claim("a"), job);
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "a"), "bad node", false)), "queued");
  EXPECT_EQ(hub.Claim("a"), next);
  EXPECT_EQ(hub.Claim("b"), job);
}

TEST(Queue, steps_that_are_said_again_are_answered_again) {
  QueueFixture hub;
  const auto job = hub.AddClaimed("a");
  const server::Lease first = hub.LeaseOf(job, "a");
  EXPECT_EQ(CodeOf(hub.leases.Release(first)), "queued");
  EXPECT_EQ(CodeOf(hub.leases.Release(first)), "queued");
  EXPECT_EQ(hub.jobs.FindJob(job)->tries, 0);
  EXPECT_EQ(hub.Claim("a"), job);
  const server::Lease second = hub.LeaseOf(job, "a");
  EXPECT_EQ(CodeOf(hub.leases.Release(first)), "lease_lost");
  EXPECT_EQ(CodeOf(hub.leases.Fail(second, "once", false)), "queued");
  EXPECT_EQ(CodeOf(hub.leases.Fail(second, "once", false)), "queued");
  EXPECT_EQ(hub.jobs.FindJob(job)->tries, 1);
  EXPECT_EQ(hub.Claim("b"), job);
  const server::Lease third = hub.LeaseOf(job, "b");
  EXPECT_EQ(CodeOf(hub.leases.Complete(third, {})), "done");
  EXPECT_EQ(CodeOf(hub.leases.Complete(third, {})), "done");
  EXPECT_EQ(CodeOf(hub.leases.Complete(second, {})), "lease_lost");
  EXPECT_EQ(CodeOf(hub.leases.Complete({12345, "b", 1}, {})), "unknown_job");
}

// A reason may name a path, a time or a process, so reasons rarely repeat.
TEST(Queue, what_a_job_remembers_of_those_that_handed_it_back_is_bounded) {
  QueueFixture hub;
  const auto job = hub.Add();
  const auto hand_back = [&](const std::string& agent, const std::string& reason) {
    EXPECT_EQ(hub.Claim(agent), job);
    EXPECT_EQ(CodeOf(hub.leases.Release(hub.LeaseOf(job, agent), reason)), "queued");
    return ReasonsOf(*hub.jobs.FindJob(job));
  };
  hand_back("a", "no kernel in /tmp/1");
  EXPECT_THAT(hand_back("b", "no"), testing::ElementsAre("1 a no kernel in /tmp/1", "2 b no"));
  EXPECT_THAT(hand_back("a", "no kernel in /tmp/2"),
              testing::ElementsAre("2 b no", "3 a no kernel in /tmp/2"));
  EXPECT_EQ(hub.Claim("a"), job);
  EXPECT_EQ(CodeOf(hub.leases.Fail(hub.LeaseOf(job, "a"), "it hung", false)), "queued");
  Execute(hub.registry.url, "UPDATE job SET rest_until = NULL");
  for (int i = 0; i < 50; ++i) hand_back("agent " + std::to_string(i), "no");
  const auto reasons = hand_back("a", "no kernel in /tmp/3");
  EXPECT_EQ(reasons.size(), 1 + server::kReleasesKept);
  EXPECT_EQ(reasons.front(), "4 a it hung") << "the hub keeps the failure";
  EXPECT_EQ(reasons.back(), "55 a no kernel in /tmp/3");
}

TEST(Queue, a_claim_passes_over_a_job_that_somebody_is_just_taking) {
  QueueFixture hub;
  const auto job = hub.Add();
  const auto next = hub.Add();
  server::ConnectionPool pool(hub.registry.url, {});
  const auto connection = pool.Open();
  pqxx::work holder(*connection);
  holder.exec("SELECT FROM job WHERE id = " + std::to_string(job) + " FOR UPDATE");
  EXPECT_EQ(hub.Claim("a"), next);
  EXPECT_EQ(hub.Claim("b"), 0);
  holder.abort();
  EXPECT_EQ(hub.Claim("b"), job);
}

const server::QueueOfTarget* Find(const server::QueueState& state, const std::string& gfx,
                                  int cu_num) {
  for (const auto& it : state.targets) {
    if (it.gfx == gfx && it.cu_num == cu_num) return &it;
  }
  return nullptr;
}

TEST(Queue, is_empty_when_its_shapes_are_done_at_the_pace_of_the_last_day) {
  QueueFixture hub;
  const std::string two = R"([{"M":"16","N":"1280","K":"5120"},{"M":"32","N":"1280","K":"5120"}])";
  const auto old = hub.Add(), late = hub.Add(), later = hub.Add({.shapes = two});
  hub.Add({.shapes = two});
  hub.Add({.shapes = two});
  hub.Add({.gfx = "gfx950", .cu_num = 0});
  Execute(hub.registry.url, "UPDATE job SET created = now() - interval '30 hours 30 minutes'");
  const auto done = [&](std::int64_t job, const std::string& claimed, const std::string& finished) {
    Execute(hub.registry.url, "UPDATE job SET state = 'done', claimed = now() - interval '" +
                                  claimed + "', finished = now() - interval '" + finished +
                                  "' WHERE id = " + std::to_string(job));
  };
  done(old, "26 hours", "25 hours");  // too long ago to count
  done(late, "150 minutes", "2 hours");
  done(later, "2 hours", "90 minutes");
  const server::QueueState state = hub.jobs.ReadQueue();
  const auto* const queue = Find(state, "gfx942", 304);
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(queue->queued, 2);
  EXPECT_EQ(queue->shapes, 4);
  EXPECT_EQ(queue->done_jobs, 2);
  EXPECT_EQ(queue->done_shapes, 3);
  // Three shapes took two and a half hours, so four more take 4 / 3 of that.
  EXPECT_NEAR(server::SecondsToEmpty(*queue).value_or(0), 9000.0 * 4 / 3, 60);
  const auto* const other = Find(state, "gfx950", 0);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(server::SecondsToEmpty(*other), std::nullopt);  // no job has ended there
  // Open jobs by hour: the old job ended before, one job two hours ago, one 90 minutes ago.
  std::vector<std::int64_t> open(25, 5);
  open[22] = 4;
  open[23] = open[24] = 3;
  EXPECT_EQ(state.open_by_hour, open);
}

}  // namespace
}  // namespace tunehub::test
