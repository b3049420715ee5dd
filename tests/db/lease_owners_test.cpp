// A lease belongs to an owner. An agent's name, instance and epoch are public, so they give another
// owner's key no rights.
#include <gmock/gmock.h>

#include "tests/support/queue.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

const server::Claimant kHolder{"node/gpu", "gfx942", 304, {}, false, "one", {}, "kernels"};

server::Claimant Stranger() {
  server::Claimant stranger = kHolder;
  stranger.owner = "engines";
  return stranger;
}

server::Lease LeaseOf(const server::Claimant& claimant, std::int64_t job, int epoch) {
  return {job, claimant.agent, epoch, claimant.instance, claimant.owner};
}

TEST(LeaseOwners, a_stranger_of_the_same_name_and_instance_changes_no_lease) {
  QueueFixture hub;
  const auto job = hub.Add();
  ASSERT_EQ(hub.leases.Claim(kHolder)->id, job);
  const server::Lease stolen = LeaseOf(Stranger(), job, 1), held = LeaseOf(kHolder, job, 1);
  EXPECT_EQ(hub.leases.Heartbeat(stolen, {}).error().code, "lease_lost");
  EXPECT_EQ(hub.leases.Complete(stolen, {}).error().code, "lease_lost");
  EXPECT_EQ(hub.leases.Fail(stolen, "never ran", true).error().code, "lease_lost");
  EXPECT_EQ(hub.leases.Release(stolen).error().code, "lease_lost");
  EXPECT_THAT(hub.leases.Release(stolen).error().detail,
              HasSubstr("running by node/gpu at epoch 1; the request came from node/gpu at epoch 1 "
                        "with a key of engines"));
  EXPECT_EQ(hub.State(job), std::to_string(job) + " running node/gpu 1");
  ASSERT_TRUE(hub.leases.Fail(held, "signal 9", false).ok());
  EXPECT_TRUE(hub.leases.Fail(held, "signal 9", false).ok()) << "a repeated message";
  EXPECT_EQ(hub.leases.Fail(stolen, "signal 9", false).error().code, "lease_lost");
}

TEST(LeaseOwners, a_strangers_claim_neither_gets_nor_takes_away_what_an_instance_holds) {
  QueueFixture hub;
  const auto first = hub.Add();
  ASSERT_EQ(hub.leases.Claim(kHolder)->id, first);
  EXPECT_FALSE(hub.leases.Claim(Stranger()));
  const auto second = hub.Add();
  EXPECT_EQ(hub.leases.Claim(Stranger())->id, second);
  // A claim for another device gives back only a job of the same claimant.
  server::Claimant moved = Stranger();
  moved.cu_num = 80;
  const auto third = hub.Add({.cu_num = 80});
  EXPECT_EQ(hub.leases.Claim(moved)->id, third);
  EXPECT_EQ(hub.State(first), std::to_string(first) + " running node/gpu 1");
  EXPECT_EQ(hub.jobs.FindJob(first)->owner, "kernels");
  EXPECT_EQ(hub.jobs.FindJob(first)->instance, "one");
  EXPECT_TRUE(hub.leases.Heartbeat(LeaseOf(kHolder, first, 1), {}).ok());
}

TEST(LeaseOwners, agents_are_listed_by_owner_page_by_page) {
  QueueFixture hub;
  for (const char* owner : {server::kDefaultOwner, "engines", "kernels"}) {
    hub.jobs.TouchAgent({"node/gpu", "gfx942", 304, "", "", "", "one", owner});
  }
  std::vector<std::string> owners;
  server::AgentPage page;
  for (;;) {
    const auto agents = hub.jobs.ListAgents(page, 1);
    if (agents.empty()) break;
    owners.push_back(agents[0].owner);
    EXPECT_EQ(agents[0].instance, "one");
    page = {agents[0].name, agents[0].instance, agents[0].owner};
  }
  EXPECT_THAT(owners, testing::UnorderedElementsAre("default", "engines", "kernels"));
}

}  // namespace
}  // namespace tunehub::test
