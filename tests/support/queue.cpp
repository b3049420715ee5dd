#include "tests/support/queue.h"

#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {

QueueFixture::QueueFixture(server::QueueTimes times)
    : pool(registry.url),
      jobs(pool),
      leases(pool, times),
      demand(registry.definitions, pool, registry.snapshots),
      planner(registry.definitions, pool, registry.snapshots) {
  registry.snapshots.Refresh();
}

std::int64_t QueueFixture::Add(const NewJob& job) {
  std::int64_t id = 0;
  const server::JobContent content{.family = Family(job.family),
                                   .purpose = job.purpose,
                                   .gfx = job.gfx,
                                   .cu_num = job.cu_num,
                                   .priority = job.priority,
                                   .weight = job.weight,
                                   .campaign = "",
                                   .shapes = job.shapes};
  Must(jobs.AddJobs({{}, {}, "digest"}, {content}, [&](const std::vector<std::int64_t>& ids) {
    id = ids.at(0);
    return "{}";
  }));
  return id;
}

std::int64_t QueueFixture::Claim(const std::string& agent, const std::string& gfx, int cu_num,
                                 const std::vector<std::string>& families) {
  server::Claimant claimant{agent, gfx, cu_num, {}};
  if (!families.empty()) {
    claimant.families.emplace();
    for (const auto& name : families) claimant.families->push_back(Family(name));
  }
  const auto job = leases.Claim(claimant);
  return job ? job->id : 0;
}

std::int64_t QueueFixture::AddClaimed(const std::string& agent) {
  const std::int64_t job = Add();
  EXPECT_EQ(Claim(agent), job);
  return job;
}

std::string QueueFixture::State(std::int64_t id) {
  const auto job = jobs.FindJob(id);
  if (!job) return "none";
  return std::to_string(job->id) + " " + job->state + " " + job->agent + " " +
         std::to_string(job->epoch);
}

server::Lease QueueFixture::LeaseOf(std::int64_t job, const std::string& agent) {
  return {job, agent, jobs.FindJob(job)->epoch};
}

void EndLeases(const std::string& url) {
  Execute(url, "UPDATE job SET lease_expires = now() WHERE state = 'running'");
  Execute(url, "UPDATE lease_watch SET seen = now()");  // prevents the hub from seeing an outage
}

}  // namespace tunehub::test
