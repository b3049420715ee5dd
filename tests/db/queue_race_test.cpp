// Many agents claim jobs from two servers at once. Each job goes to one agent, and each agent holds
// at most one job.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/queue.h"

namespace tunehub::test {
namespace {

constexpr int kThreads = 8;

void InThreads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(QueueRace, every_job_is_claimed_and_completed_once) {
  constexpr int kJobs = 200;
  QueueFixture hub;
  server::ConnectionPool pool(hub.registry.url);
  server::LeaseStore second(pool, {.lease = kLease, .rest = kRest});
  for (int i = 0; i < kJobs; ++i) hub.Add({.priority = i % 3});
  std::mutex mutex;
  std::multiset<std::int64_t> claimed;
  InThreads([&](int thread) {
    server::LeaseStore& leases = thread % 2 == 0 ? hub.leases : second;
    const std::string agent = "agent " + std::to_string(thread);
    while (const auto job = leases.Claim({agent, "gfx942", 304, {}})) {
      {
        const std::lock_guard lock(mutex);
        claimed.insert(job->id);
      }
      EXPECT_EQ(job->epoch, 1);
      EXPECT_TRUE(leases.Complete({job->id, agent, job->epoch}, {}).ok());
    }
  });
  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(kJobs));
  EXPECT_EQ(std::set<std::int64_t>(claimed.begin(), claimed.end()).size(), claimed.size());
  EXPECT_EQ(hub.jobs.CountJobs().done, kJobs);
}

TEST(QueueRace, an_agent_that_asks_many_times_at_once_gets_one_job) {
  QueueFixture hub;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < kThreads; ++i) hub.Add();
    std::mutex mutex;
    std::set<std::int64_t> claimed;
    const std::string agent = "agent of round " + std::to_string(round);
    InThreads([&](int) {
      const auto job = hub.Claim(agent);
      const std::lock_guard lock(mutex);
      claimed.insert(job);
    });
    EXPECT_EQ(claimed.size(), 1U);
    EXPECT_FALSE(claimed.contains(0));
  }
}

TEST(QueueRace, leases_that_end_while_others_claim_and_complete_lose_nothing) {
  constexpr int kJobs = 40;
  QueueFixture hub({.lease = std::chrono::milliseconds(20), .rest = std::chrono::milliseconds(0)});
  for (int i = 0; i < kJobs; ++i) hub.Add();
  std::atomic<int> completed{0};
  std::atomic<bool> stop{false};
  std::thread sweeper([&] {
    while (!stop) {
      hub.leases.WatchLeases();
      hub.leases.Expire();
    }
  });
  InThreads([&](int thread) {
    const std::string agent = "agent " + std::to_string(thread);
    for (int turn = 0; completed < kJobs && turn < 2000; ++turn) {
      const auto job = hub.leases.Claim({agent, "gfx942", 304, {}});
      if (!job) {
        const auto counts = hub.jobs.CountJobs();
        if (counts.queued + counts.running == 0) return;
        continue;
      }
      if (turn % 7 == 3) continue;  // abandons the job until it claims again
      if (hub.leases.Complete({job->id, agent, job->epoch}, {}).ok()) ++completed;
    }
  });
  stop = true;
  sweeper.join();
  const auto counts = hub.jobs.CountJobs();
  EXPECT_EQ(counts.done, completed);
  EXPECT_EQ(counts.done + counts.parked, kJobs);
}

TEST(QueueRace, two_plans_at_once_do_not_plan_a_shape_twice) {
  QueueFixture hub;
  const std::string csv = "M,N,K,count\n1,128,256,3\n2,128,256,2\n16,128,256,1\n300,128,256,9\n";
  const core::Family& family = hub.registry.family();
  ASSERT_FALSE(hub.demand.Post(family, csv, server::BodyFormat::kCsv, {"gfx942", 304}, {}).refusal);
  server::PlanRequest request;
  request.target = {"gfx942", 304};
  request.families = {&family};
  request.shapes_per_job = 1;
  InThreads([&](int) { EXPECT_FALSE(hub.planner.Plan(request, {}).answer.refusal); });
  EXPECT_EQ(hub.jobs.CountJobs().queued, 4);
}

}  // namespace
}  // namespace tunehub::test
