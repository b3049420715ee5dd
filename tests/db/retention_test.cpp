// Rows that retention_days deletes, and answers that do not need those rows.
#include "server/db/retention.h"

#include <gmock/gmock.h>

#include "server/db/transaction.h"
#include "tests/support/queue.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using RetentionTest = RegistryTest;

void Age(const std::string& url, const std::string& by) {
  Execute(url, "UPDATE batch SET received = received - interval '" + by + "'");
  Execute(url, "UPDATE audit SET at = at - interval '" + by + "'");
}

std::string Kept(const std::string& url) {
  return QueryText(url,
                   "SELECT (SELECT count(receipt) FROM batch) || ' ' || (SELECT count(*) FROM "
                   "batch) || ' ' || (SELECT count(*) FROM audit)");
}

TEST_F(RetentionTest, takes_texts_and_audit_and_a_repeat_is_still_no_second_commit) {
  const Post post{.idempotency_key = "k"};
  const auto first = registry.Send(Csv({{}, {.m = 32}}), post);
  registry.Send(Csv({{.us = "5"}}));
  const std::string old = registry.Table("revision=1");
  const std::string stored =
      QueryText(registry.url,
                "SELECT string_agg(m::text, '' ORDER BY id) || (SELECT string_agg(h::text, '') "
                "FROM tuned_history h) FROM measurement m");
  Age(registry.url, "11 days");
  const auto fresh = registry.Send(Csv({{.m = 48}}), {.idempotency_key = "fresh"});
  EXPECT_FALSE(server::DeleteOld(registry.pool, 12));
  EXPECT_FALSE(server::DeleteOld(registry.pool, 0));
  EXPECT_EQ(Kept(registry.url), "3 3 3");
  EXPECT_FALSE(server::DeleteOld(registry.pool, 10));
  EXPECT_EQ(Kept(registry.url), "1 3 1");
  const auto again = registry.Send(Csv({{}, {.m = 32}}), post);
  EXPECT_TRUE(again.replayed);
  const auto receipt = Receipt(again);
  EXPECT_EQ(receipt["batch"], Receipt(first)["batch"]);
  EXPECT_EQ(receipt["stored"], 2);
  EXPECT_THAT(receipt["detail"].get<std::string>(), HasSubstr("retention_days"));
  EXPECT_EQ(registry.Send(Csv({{.m = 48}}), {.idempotency_key = "fresh"}).receipt, fresh.receipt);
  EXPECT_EQ(Refusal(registry.Send(Csv({{}}), {.idempotency_key = "k", .digest = "other"})),
            "idempotency_key_reused");
  EXPECT_EQ(Kept(registry.url), "1 3 1");
  EXPECT_EQ(registry.Table("revision=1"), old);
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT string_agg(m::text, '' ORDER BY id) || (SELECT string_agg(h::text, "
                      "'') FROM tuned_history h) FROM measurement m WHERE m.run < 3"),
            stored);
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

TEST_F(RetentionTest, a_tree_that_is_imported_again_is_read_again_where_its_receipt_is_gone) {
  const std::vector<core::TarFile> tree = {{kTreeFile, Csv({{}, {.m = 32}})}};
  registry.Import("tree", tree, {.idempotency_key = "first"});
  Age(registry.url, "11 days");
  const auto repeat = registry.Import("tree", tree, {.idempotency_key = "repeat"});
  server::DeleteOld(registry.pool, 10);
  EXPECT_THAT(registry.Import("tree", tree, {.idempotency_key = "repeat"}).receipt,
              HasSubstr("retention_days"))
      << "the second receipt was stored as a difference from the first";
  const auto again = Receipt(registry.Import("tree", tree));
  EXPECT_EQ(again["rows"], 2);
  EXPECT_EQ(again["unchanged"], 2);
  EXPECT_EQ(registry.Count("measurement"), 2);
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

// The test counts rows instead of time: each statement reads and deletes a bounded number of rows.
TEST_F(RetentionTest, goes_in_pieces_and_on_one_server_at_a_time) {
  const auto piece = server::kMostDeleted;
  Execute(registry.url,
          "INSERT INTO audit (at, action, detail) SELECT now() - interval '2 days', 'x', 'x' FROM "
          "generate_series(1, " +
              std::to_string(2 * piece + 1) + ")");
  Execute(registry.url,
          "INSERT INTO batch (kind, owner, digest, received, receipt) SELECT 'demand', 'o', 'd', "
          "now() - interval '2 days', '{}' FROM generate_series(1, " +
              std::to_string(piece + 1) + ")");
  const auto sweep = [&] { return server::DeleteOld(registry.pool, 1); };
  {
    server::ConnectionPool pool(registry.url, {});
    const auto connection = pool.Open();
    pqxx::work holder(*connection);
    holder.exec("SELECT FROM retention FOR UPDATE");
    EXPECT_FALSE(sweep());
    EXPECT_EQ(registry.Count("audit"), static_cast<std::int64_t>(2 * piece + 1));
  }
  EXPECT_TRUE(sweep());
  EXPECT_EQ(registry.Count("audit"), static_cast<std::int64_t>(piece + 1));
  EXPECT_EQ(QueryText(registry.url, "SELECT count(receipt)::text FROM batch"), "1");
  EXPECT_TRUE(sweep());
  EXPECT_FALSE(sweep());
  EXPECT_EQ(Kept(registry.url), "0 " + std::to_string(piece + 1) + " 0");
}

TEST(RetentionOfQueue, deletes_finished_jobs_agents_that_are_gone_and_old_counts) {
  QueueFixture hub;
  const auto old = hub.Add(), fresh = hub.Add();
  for (const auto job : {old, fresh}) {
    EXPECT_EQ(hub.Claim("a"), job);
    ASSERT_TRUE(hub.leases.Complete(hub.LeaseOf(job, "a"), {}).ok());
  }
  Execute(hub.registry.url,
          "UPDATE job SET finished = now() - interval '61 days' WHERE id = " + std::to_string(old));
  Execute(hub.registry.url,
          "INSERT INTO agent (instance, name, gfx, cu_num, last_seen) VALUES"
          " ('gone', 'gone', 'gfx942', 304, now() - interval '31 days')");
  Execute(hub.registry.url,
          "INSERT INTO usage (day, api_key, rows, demand, bytes, keys)"
          " SELECT current_date - n, 1, 1, 1, 1, 1 FROM generate_series(0, 20) AS n");
  server::DeleteOld(hub.pool, 60);
  EXPECT_EQ(hub.State(old), "none");
  EXPECT_EQ(hub.State(fresh), std::to_string(fresh) + " done a 1");
  const auto agents = hub.jobs.ListAgents({}, 10);
  ASSERT_EQ(agents.size(), 1U);
  EXPECT_EQ(agents[0].name, "a");
  EXPECT_LE(hub.registry.Count("usage"), 9);
}

}  // namespace
}  // namespace tunehub::test
