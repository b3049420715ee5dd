// Revision numbers have no gaps, and the bytes of a revision never change.
#include <nlohmann/json.hpp>
#include <thread>

#include "server/snapshots/revision_store.h"
#include "sql.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Revisions = RegistryTest;

TEST(RevisionsRace, writers_of_several_families_at_once_leave_no_gap) {
  Registry registry;
  const std::vector<std::string> families = {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 8; ++i) {
        // Every second batch of a writer changes nothing, so it must not use up a number.
        registry.Send(Csv({{.m = 1 + i / 2,
                            .kernel = "w" + std::to_string(writer),
                            .us = std::to_string(500 - i)}}),
                      {}, families[static_cast<std::size_t>(writer % 2)]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registry.Count("batch"), 32);
  EXPECT_EQ(
      QueryText(registry.url, "SELECT count(*) = max(number) AND min(number) = 1 FROM revision"),
      "t");
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT revision = (SELECT max(number) FROM revision) AND"
                      " (SELECT sum(written) FROM family) = 32 FROM registry"),
            "t");
  EXPECT_EQ(QueryText(registry.url,
                      "SELECT count(*) FROM revision r WHERE NOT EXISTS"
                      " (SELECT FROM revision_family f WHERE f.number = r.number)"),
            "0");
}

TEST_F(Revisions, one_of_another_family_leaves_this_ones_bytes) {
  registry.Send(Csv({{}}));
  registry.Send(Csv({{.us = "5"}}), {}, "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(registry.Revision(), 2);
  EXPECT_EQ(registry.Table("revision=2"), Csv({{}}));
  EXPECT_EQ(registry.Table("revision=1", "a8w8_blockscale_bpreshuffle"), "no_rows");
}

TEST_F(Revisions, a_stored_row_that_was_tampered_with_is_noticed) {
  registry.Send(Csv({{}}));
  registry.Send(Csv({{.us = "20"}}));
  EXPECT_EQ(registry.Table("revision=1"), Csv({{}}));  // this read stores the digest
  EXPECT_NE(QueryText(registry.url,
                      "SELECT coalesce(body_sha256, '') FROM revision_family WHERE number = 1"),
            "");
  Execute(registry.url, "UPDATE measurement SET line = replace(line, ',10.0,', ',1.5,')");
  Registry later(registry.url);
  EXPECT_EQ(later.Table("revision=1"), "revision_damaged");
  EXPECT_EQ(later.Table("revision=2"), Csv({{.us = "20"}}));
}

// Counts the rows that all nodes of a plan read, by EXPLAIN (ANALYZE, FORMAT JSON).
double RowsHandedOn(const nlohmann::json& node) {
  double rows = node.at("Actual Rows").get<double>() * node.at("Actual Loops").get<double>();
  if (node.contains("Rows Removed by Filter")) rows += node["Rows Removed by Filter"].get<double>();
  for (const auto& below : node.value("Plans", nlohmann::json::array()))
    rows += RowsHandedOn(below);
  return rows;
}

// The server reads the newest revisions after each commit and every second. One family has all
// revisions.
TEST_F(Revisions, the_newest_of_each_family_is_found_without_reading_the_history) {
  Execute(registry.url, R"(
      INSERT INTO revision (number, change, kind, cause)
      SELECT n, n, 'results', 'results' FROM generate_series(1, 20000) AS n;
      INSERT INTO revision_family (family, number, family_version, targets_version, changed)
      SELECT f.id, n, 1, 1, 1
      FROM generate_series(1, 20000) AS n, (SELECT id FROM family ORDER BY id LIMIT 1) AS f;
      UPDATE registry SET revision = 20000;
      ANALYZE revision; ANALYZE revision_family; ANALYZE family)");
  const auto heads = server::RevisionStore(registry.pool).ReadHeads();
  EXPECT_EQ(heads.families.size(), 1u);
  for (const auto& [family, head] : heads.families) EXPECT_EQ(head.number, 20'000);
  // A merge join finds the rows fast, but PostgreSQL does not always choose it.
  const auto plan = nlohmann::json::parse(
      QueryText(registry.url, "SET enable_mergejoin = off; EXPLAIN (ANALYZE, FORMAT JSON) " +
                                  std::string(server::sql::read_family_heads)));
  EXPECT_LT(RowsHandedOn(plan.at(0).at("Plan")), 1'000) << plan.dump(1);
}

}  // namespace
}  // namespace tunehub::test
