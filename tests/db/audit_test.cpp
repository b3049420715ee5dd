// Each write leaves an audit row that names its author and its action. Dry runs, refusals and
// repeated requests leave none.
#include <gmock/gmock.h>

#include "server/ingest/revert_store.h"
#include "server/keys/key_store.h"
#include "server/keys/keys.h"
#include "tests/support/queue.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::ElementsAre;
using Audit = RegistryTest;

const server::Writer kAuditor{.api_key = 7, .owner = "kernels", .request = "request-1"};

// Each audit row as "owner key action: detail", the oldest first.
std::vector<std::string> LinesOf(server::ConnectionPool& pool) {
  std::vector<std::string> lines;
  for (const auto& record : server::ListAudit(pool, 1'000'000, 100)) {
    lines.insert(lines.begin(), record.owner + " " + std::to_string(record.api_key) + " " +
                                    record.action + ": " + record.detail);
  }
  return lines;
}

TEST_F(Audit, names_owner_key_and_request_of_each_write_of_measurements) {
  const Post post{.by = kAuditor};
  registry.Send(Csv({{}, {.m = 32}}), post);
  registry.Import("tree", {{kTreeFile, Csv({{.us = "5"}})}}, post);
  registry.Import("tree", {{kTreeFile, Csv({{.us = "5"}})}}, post);
  ASSERT_TRUE(server::RevertRun(registry.pool, 3, kAuditor).ok());
  EXPECT_THAT(
      LinesOf(registry.pool),
      ElementsAre(
          "kernels 7 results: results a8w8_blockscale: run 1, 2 rows, 2 new, 2 keys changed",
          "kernels 7 import: import tree: run 2, 1 rows, 1 new, 1 keys changed",
          "kernels 7 import: import tree: run 3, 1 rows, unchanged",
          "kernels 7 revert: revert of run 3: 0 keys changed"));
  const auto record = server::ListAudit(registry.pool, 1'000'000, 1).at(0);
  EXPECT_EQ(record.request, "request-1");
  EXPECT_TRUE(record.at.ends_with("Z"));
}

TEST_F(Audit, has_nothing_of_trials_refusals_and_what_was_sent_again) {
  registry.Send(Csv({{}}), {.idempotency_key = "k", .by = kAuditor});
  registry.Send(Csv({{}}), {.idempotency_key = "k", .by = kAuditor});
  registry.Send(Csv({{.m = 5}}), {.dry_run = true, .by = kAuditor});
  registry.Send(Csv({{.us = "fast"}}), {.atomic = true, .by = kAuditor});
  registry.Send(Csv({{}}), {.run = 99, .by = kAuditor});
  EXPECT_EQ(LinesOf(registry.pool).size(), 1u);
}

// A write and its audit row share a transaction. If the audit row fails, the write fails, too.
TEST_F(Audit, what_cannot_be_audited_is_not_done) {
  server::Keys keys(registry.pool);
  Execute(registry.url, "ALTER TABLE audit RENAME TO away");
  EXPECT_ANY_THROW(registry.Send(Csv({{}})));
  EXPECT_ANY_THROW(registry.Import("tree", {{kTreeFile, Csv({{}})}}));
  EXPECT_ANY_THROW(keys.Create("submit", {}));
  for (const char* table : {"batch", "run", "measurement", "source", "api_key"}) {
    EXPECT_EQ(registry.Count(table), 0) << table;
  }
}

TEST_F(Audit, names_the_keys_that_commands_make_and_revoke) {
  server::Keys keys(registry.pool);
  server::KeyRights rights;
  rights.owner = "kernels";
  rights.limits.families = {"a8w8"};
  rights.limits.targets = {"gfx942:304", "gfx950"};
  const auto key = Must(keys.Create("submit", {}, rights));
  ASSERT_TRUE(server::KeyStore(registry.pool).Revoke(key.record.id).ok());
  EXPECT_FALSE(server::KeyStore(registry.pool).Revoke(key.record.id).ok());
  const std::string what =
      ": submit of kernels, limited to families a8w8, targets gfx942:304 gfx950";
  EXPECT_THAT(LinesOf(registry.pool),
              ElementsAre("kernels 1 key create" + what, "kernels 1 key revoke" + what));
}

TEST_F(Audit, names_what_is_wanted_and_the_jobs_that_come_of_it) {
  QueueFixture hub;
  server::WriteRequest write;
  static_cast<server::Writer&>(write) = kAuditor;
  write.digest = "demand";
  const auto* family = hub.registry.definitions.families.Find("a8w8_blockscale");
  const auto posted = hub.demand.Post(*family, "M,N,K\n16,1536,7168\n32,1536,7168\n",
                                      server::BodyFormat::kCsv, {"gfx942", 304}, write);
  ASSERT_FALSE(posted.refusal) << posted.refusal->error.detail;
  write.digest = "plan";
  server::PlanRequest plan;
  plan.target = {"gfx942", 304};
  plan.families = {family};
  ASSERT_FALSE(hub.planner.Plan(plan, write).answer.refusal);
  write.dry_run = true;
  ASSERT_FALSE(hub.planner.Plan(plan, write).answer.refusal);
  Execute(hub.registry.url, "UPDATE job SET state = 'parked'");
  ASSERT_TRUE(hub.leases.Retry(1, kAuditor).ok());
  EXPECT_THAT(LinesOf(hub.registry.pool),
              ElementsAre("kernels 7 demand: 2 shapes, 2 new",
                          "kernels 7 jobs create: 1 jobs from 1 on for gfx942:304",
                          "kernels 7 job retry: job 1"));
}

// A restore writes an audit row without an owner for each API key that it revokes.
TEST_F(Audit, is_read_page_by_page_and_has_rows_without_an_owner) {
  Execute(
      registry.url,
      "INSERT INTO audit (api_key, action, detail) VALUES (3, 'key revoke', 'read, by a restore')");
  for (int m = 1; m <= 4; ++m) registry.Send(Csv({{.m = m}}));
  const auto first = server::ListAudit(registry.pool, 1'000'000, 3);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].owner, "") << "no key";
  const auto second = server::ListAudit(registry.pool, first.back().id, 3);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[1].detail, "read, by a restore");
  EXPECT_EQ(second[1].api_key, 3);
}

}  // namespace
}  // namespace tunehub::test
