// Demand as claims read it, in order. M is padded as lookups pad it. Shapes that are tuned or in a
// job are left out.
#include <future>
#include <pqxx/pqxx>

#include "server/db/retention.h"
#include "server/queue/claims.h"
#include "sql.h"
#include "tests/support/comes.h"
#include "tests/support/queue.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

struct OpenDemand : testing::Test, QueueFixture {
  server::Claims claims{registry.definitions, pool, registry.snapshots, leases, planner, true, 0};

  void Miss(const std::string& rows, const core::Target& target = {"gfx942", 304}) {
    ASSERT_FALSE(
        demand.Post(registry.family(), "M,N,K,count\n" + rows, server::BodyFormat::kCsv, target, {})
            .refusal);
  }
  std::optional<server::JobRecord> Take(const std::string& agent,
                                        const core::Target& target = {"gfx942", 304}) {
    return claims.Take({agent, target.gfx, target.cu_num, {}});
  }
  std::string Sql(const std::string& select) { return QueryText(registry.url, select); }
  // Counts the demand that claims may plan.
  std::string Open() {
    return Sql("SELECT count(*) FROM demand WHERE closed IS NULL AND job IS NULL");
  }
  void Tune(int m, const std::string& us = "10") {
    EXPECT_EQ(Refusal(registry.Send(Csv({{.m = m, .us = us}}))), "");
    registry.snapshots.Refresh();
  }
};

// 1,000 shapes that padding does not merge: M is a multiple of 128, above the finer steps.
std::string ManyShapes() {
  std::string rows;
  for (int i = 0; i < 1000; ++i)
    rows += std::to_string(8192 + 128 * i) + ",1536,7168," + std::to_string(1 + i) + "\n";
  return rows;
}

TEST_F(OpenDemand, is_one_row_for_all_shapes_that_fold_to_one) {
  Miss("37,1536,7168,2\n40,1536,7168,3\n41,1536,7168,5\n300,1536,7168,1\n");
  EXPECT_EQ(
      Sql("SELECT string_agg(shape ->> 'M' || ' ' || count, ', ' ORDER BY count) FROM demand"),
      "320 1, 48 10");
}

TEST_F(OpenDemand, of_a_claim_is_the_most_missed_and_no_more_than_it_needs) {
  Miss(ManyShapes());
  const auto job = Take("a");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->weight, 16 * 1000 - 120) << "the 16 most missed";
  EXPECT_EQ(Open(), std::to_string(1000 - server::kMaxJobShapes));
  pqxx::connection connection(registry.url);
  pqxx::work work(connection);
  work.exec("ANALYZE demand");
  const auto family = std::to_string(Family("a8w8_blockscale"));
  work.exec_params(std::string(server::sql::read_open_demand), "gfx942", "{" + family + "}",
                   "{304}", 10);
  EXPECT_LE(work.exec1("SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) "
                       "FROM pg_stat_xact_user_tables WHERE relname = 'demand'")[0]
                .as<int>(),
            10);
}

TEST_F(OpenDemand, leaves_the_claims_when_a_batch_tunes_it_and_returns_with_a_revert) {
  Miss("16,1536,7168,2\n32,1536,7168,1\n");
  const auto answer = registry.Send(Csv({{.m = 16}}));
  EXPECT_EQ(Open(), "1");
  EXPECT_EQ(Sql("SELECT count FROM demand WHERE closed IS NOT NULL"), "2")
      << "closed demand still counts as traffic";
  Miss("16,1536,7168,1\n");
  EXPECT_EQ(Open(), "1") << "an engine with an older table missed it";
  ASSERT_TRUE(server::RevertRun(registry.pool, RunOf(answer), {}).ok());
  EXPECT_EQ(Open(), "2");
}

// A batch and a miss of the same shape may commit at the same time, so demand stays open.
TEST_F(OpenDemand, that_is_tuned_is_closed_by_the_claim_that_finds_it) {
  Miss("16,1536,7168,2\n");
  Tune(16);
  Execute(registry.url, "UPDATE demand SET closed = NULL");
  EXPECT_FALSE(Take("a"));
  EXPECT_EQ(Open(), "0");
}

// The server that takes the claim has not read the revert yet.
TEST_F(OpenDemand, of_a_reverted_row_stays_open_after_a_claim_that_still_knows_the_row) {
  Miss("16,1536,7168,2\n");
  const auto answer = registry.Send(Csv({{.m = 16}}));
  registry.snapshots.Refresh();
  ASSERT_TRUE(server::RevertRun(registry.pool, RunOf(answer), {}).ok());
  EXPECT_FALSE(Take("a"));
  EXPECT_EQ(Open(), "1");
  registry.snapshots.Refresh();
  EXPECT_TRUE(Take("a"));
}

// While the claim waits for the lock of plans, another claim's job ends without rows.
TEST_F(OpenDemand, whose_job_ends_while_another_claim_waits_gets_no_second_job) {
  Miss("16,1536,7168,2\n");
  pqxx::connection connection(registry.url);
  pqxx::work plan(connection);
  plan.exec(std::string(server::sql::lock_plan));
  auto waiting = std::async(std::launch::async, [&] { return Take("a"); });
  EXPECT_TRUE(Comes([&] {
    return Sql("SELECT count(*) FROM pg_stat_activity "
               "WHERE datname = current_database() AND wait_event = 'advisory'") == "1";
  }));
  const std::int64_t job = Add({.shapes = R"([{"M":16,"N":1536,"K":7168}])"});
  EXPECT_EQ(Claim("b"), job);
  Execute(registry.url, "UPDATE demand SET job = " + std::to_string(job));
  Must(leases.Complete(LeaseOf(job, "b"), {}));
  plan.commit();
  EXPECT_FALSE(waiting.get());
}

TEST_F(OpenDemand, is_planned_once_and_again_when_its_job_is_gone) {
  Miss("16,1536,7168,2\n");
  const auto job = Take("a");
  ASSERT_TRUE(job);
  Must(leases.Complete({job->id, "a", job->epoch}, {}));
  EXPECT_FALSE(Take("a"));
  Execute(registry.url, "DELETE FROM job");
  EXPECT_TRUE(Take("a"));
}

TEST_F(OpenDemand, that_a_persons_job_holds_gets_no_other) {
  Add({.shapes = R"([{"M":16,"N":1536,"K":7168}])"});
  const std::int64_t held = Claim("person");
  Miss("16,1536,7168,2\n");
  EXPECT_FALSE(Take("a"));
  EXPECT_EQ(Sql("SELECT job FROM demand"), std::to_string(held));
}

TEST_F(OpenDemand, for_any_target_is_every_targets_and_counts_once) {
  Miss("16,1536,7168,7\n", {});
  for (const core::Target& target : {core::Target{"gfx942", 304}, core::Target{"gfx950", 256}}) {
    const auto job = Take(target.gfx, target);
    ASSERT_TRUE(job) << target.gfx;
    EXPECT_EQ(job->weight, 7);
  }
  server::DemandFilter all;
  all.limit = 10;
  EXPECT_EQ(demand.store.ListDemand(all).size(), 1U);
  EXPECT_EQ(demand.store.ReadDemand(Family("a8w8_blockscale"), "gfx942", 304).size(), 1U);
  Miss("16,1536,7168,2\n");
  EXPECT_EQ(Sql("SELECT count FROM demand WHERE gfx = 'gfx942'"), "2") << "only its own misses";
}

TEST_F(OpenDemand, that_was_tuned_goes_after_90_days_and_open_demand_after_a_year) {
  Miss("16,1536,7168,2\n32,1536,7168,1\n48,1536,7168,1\n");
  Miss("64,1536,7168,1\n", {});
  Tune(16);
  Tune(32);
  Execute(registry.url, "UPDATE demand SET last_seen = last_seen - interval '91 days'");
  Execute(registry.url,
          "UPDATE demand SET closed = closed - interval '91 days' WHERE shape ->> 'M' = '16'");
  server::DeleteOld(pool, 0);
  EXPECT_EQ(Sql("SELECT string_agg(shape ->> 'M', ' ' ORDER BY shape ->> 'M') FROM demand"),
            "32 48");
  Execute(registry.url, "UPDATE demand SET last_seen = last_seen - interval '300 days'");
  server::DeleteOld(pool, 0);
  EXPECT_EQ(registry.Count("demand"), 0) << "missed more than a year ago";
}

}  // namespace
}  // namespace tunehub::test
