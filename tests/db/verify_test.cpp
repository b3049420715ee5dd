// `verify` finds no fault in a sound registry, and reports each manual change.
#include "tests/support/verify.h"

#include <gmock/gmock.h>

#include "server/ops/verification.h"
#include "tests/db/filled_registry.h"
#include "tests/support/registry.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

TEST(Verify, says_nothing_of_a_sound_registry) {
  Registry registry(FilledDatabase());
  EXPECT_GT(registry.Count("revision_family WHERE body_sha256 IS NOT NULL"), 3);
  EXPECT_GT(registry.Count("tuned_history"), 3);
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

TEST(Verify, changes_nothing) {
  Registry registry(FilledDatabase());
  const std::string state =
      "SELECT md5((SELECT string_agg(t::text, '' ORDER BY t::text) FROM tuned t) ||"
      " (SELECT string_agg(c::text, '' ORDER BY c::text) FROM candidate c) ||"
      " (SELECT string_agg(h::text, '' ORDER BY h::text) FROM tuned_history h) ||"
      " (SELECT r::text FROM registry r))";
  const std::string before = QueryText(registry.url, state);
  Execute(registry.url, "UPDATE revision_family SET body_sha256 = NULL WHERE number = 2");
  WhatDoesNotHold(registry.pool);
  EXPECT_EQ(QueryText(registry.url, state), before);
  EXPECT_EQ(registry.Count("revision_family WHERE number = 2 AND body_sha256 IS NOT NULL"), 0);
}

// Each check of a digest reads a whole table. The number of measurements limits the rows of all
// checks.
TEST(Verify, checks_the_newest_digests_and_of_the_others_as_many_as_the_rows_allow) {
  Registry registry(FilledDatabase());
  const auto verify = [&](const server::VerifyDepth& depth) {
    const auto report = server::Verify(registry.pool, ShippedTargets(), depth);
    EXPECT_EQ(report.all_digests, registry.Count("revision_family WHERE body_sha256 IS NOT NULL"));
    return std::pair(report.digests, report.wrong());
  };
  const auto all = registry.Count("revision_family WHERE body_sha256 IS NOT NULL");
  const auto newest = registry.Count(
      "(SELECT DISTINCT family FROM revision_family WHERE body_sha256 IS NOT NULL) AS f");
  ASSERT_GT(all, newest + 1);
  const server::VerifyDepth few = {.rows_each = 0, .least_rows = 0};
  EXPECT_EQ(verify(few), std::pair(newest, std::int64_t{0}));
  EXPECT_EQ(verify({.all = true, .rows_each = 0, .least_rows = 0}).first, all);
  EXPECT_EQ(verify({}).first, all);
  Execute(registry.url,
          "UPDATE revision_family f SET body_sha256 = 'beef' WHERE number = (SELECT max(number) "
          "FROM revision_family WHERE family = f.family AND body_sha256 IS NOT NULL)");
  EXPECT_EQ(verify(few), std::pair(newest, newest));
}

struct Damage {
  std::string name, sql, says;
};

class VerifyDamage : public testing::TestWithParam<Damage> {};

TEST_P(VerifyDamage, is_named) {
  Registry registry(FilledDatabase());
  ASSERT_NE(QueryText(registry.url, "WITH done AS (" + GetParam().sql +
                                        " RETURNING 1) SELECT count(*) FROM done"),
            "0")
      << "the SQL changed no row";
  EXPECT_THAT(WhatDoesNotHold(registry.pool), testing::HasSubstr(GetParam().says));
}

const Damage kDamages[] = {
    {"winner",
     "UPDATE tuned t SET measurement = m.id, candidate = m.candidate FROM measurement m WHERE "
     "m.key "
     "= t.key AND m.provider = t.provider AND m.id <> t.measurement AND m.standing = 0",
     "the tuned row of shape key "},
    {"candidate", "UPDATE tuned SET candidate = key WHERE measurement IS NOT NULL",
     ", which belongs to candidate "},
    {"interval", "UPDATE measurement SET low = us * 2, high = us * 3 WHERE us > 0",
     " is outside of its interval, "},
    {"candidate_line", "DELETE FROM candidate_line", " has no line of candidate "},
    {"reason", "UPDATE tuned SET why = 3 WHERE why = 0",
     "reason 3, tuned, but the measurements give"},
    {"baseline", "UPDATE tuned SET baseline = true WHERE measurement IS NOT NULL",
     "a baseline, but the measurements give"},
    {"removed_row",
     "UPDATE tuned SET measurement = NULL, candidate = NULL, standing = NULL, why = NULL "
     "WHERE measurement IS NOT NULL",
     "is no row, but the measurements give measurement "},
    {"lost_tuned", "DELETE FROM tuned WHERE measurement IS NULL", "has no tuned row of provider "},
    {"lost_candidate", "DELETE FROM candidate WHERE standing = 3",
     "is stored with nothing, but the"},
    {"candidate_time", "UPDATE candidate SET us = us + 1",
     "but the measurements give measurement "},
    {"lost_measurement",
     "DELETE FROM measurement m WHERE NOT EXISTS (SELECT FROM tuned t WHERE t.measurement = m.id) "
     "AND "
     "NOT EXISTS (SELECT FROM tuned_history h WHERE h.measurement = m.id)",
     "has a count of "},
    {"lost_winner", "DELETE FROM measurement m USING tuned t WHERE t.measurement = m.id",
     ", which is missing"},
    {"lost_history_row",
     "DELETE FROM measurement m USING tuned_history h WHERE h.measurement = m.id AND m.source IS "
     "NULL",
     "the history from batch "},
    {"measured_time", "UPDATE measurement SET us = us / 2 WHERE standing = 0",
     ", but its line has "},
    {"measured_error", "UPDATE measurement SET error = 0.25",
     " has the error 0.25, but its line has "},
    {"measured_line", "UPDATE measurement SET line = replace(line, ',10.0,', ',11.0,')",
     "its table now has the digest "},
    {"measured_key", "UPDATE measurement SET line = replace(line, ',16,', ',17,')",
     "its line has the shape key "},
    {"measured_kernel", "UPDATE measurement SET line = replace(line, ',c,', ',d,')",
     ", but its line has "},
    {"unreadable_line", "UPDATE measurement SET line = 'x'", "its line cannot be read: x"},
    {"other_run",
     "UPDATE measurement SET run = 99 WHERE id = (SELECT max(id) FROM measurement WHERE source IS "
     "NULL)",
     "its run 99 is missing"},
    {"other_batch", "UPDATE measurement SET id = id + (1::bigint << 40)", " is missing"},
    {"later_start", "UPDATE tuned_history SET from_change = from_change + 1",
     ", but the next interval begins only at batch "},
    {"earlier_end", "UPDATE tuned_history SET to_change = to_change - 1",
     "an interval ends at batch "},
    {"longer_interval", "UPDATE tuned_history SET to_change = (SELECT max(change) FROM revision)",
     ", but the next interval begins at batch "},
    {"turned_interval", "UPDATE tuned_history SET from_change = to_change, to_change = from_change",
     "begins at batch "},
    {"lost_interval", "DELETE FROM tuned_history", " intervals of the history"},
    {"shifted_now", "UPDATE tuned SET change = (SELECT max(change) FROM revision)",
     " shape keys, but "},
    {"digest", "UPDATE revision_family SET body_sha256 = 'beef' WHERE body_sha256 IS NOT NULL",
     ", but was served with beef"},
    {"lost_revision", "DELETE FROM revision_family WHERE number = 2", "revision 2 has no family"},
    {"count_of_revisions", "UPDATE registry SET revision = revision + 1", " is missing"},
    {"revision_behind", "UPDATE registry SET revision = revision - 1",
     "exists, but the registry is at "},
    {"version", "UPDATE revision_family SET family_version = 9",
     "version 9 of the family is missing"},
    {"head", "UPDATE source SET head = 2", "its latest import that was not reverted is "},
    {"active", "UPDATE run SET active = NOT active WHERE source IS NULL",
     "was not reverted, but is not active"},
    {"import_active", "UPDATE run SET active = NOT active WHERE source IS NOT NULL",
     "is the import in force of source tree, but is not active"},
    {"source", "UPDATE run SET source = 'other' WHERE source IS NOT NULL", "which is missing"},
    {"ranges_closed",
     "UPDATE measurement SET runs = int8multirange(int8range(run, 999)) WHERE source IS NOT NULL",
     "contain run 999, which is not an import of source tree"},
    {"ranges_shorter",
     "UPDATE measurement SET runs = int8multirange(int8range(run, 3)) WHERE source IS NOT NULL",
     "of source tree has a count of "},
    {"ranges_begin", "UPDATE measurement SET runs = '{[1,)}' WHERE source IS NOT NULL",
     "but the first run with it is "},
    {"receipt", "UPDATE batch SET receipt = NULL", "it has no receipt"},
    {"receipt_text", "UPDATE batch SET receipt = 'gone'", "its receipt is not a JSON object"},
    {"receipt_of_another",
     "UPDATE batch SET receipt = replace(receipt, '\"batch\":', '\"batch\":1')",
     "its receipt belongs to batch 1"},
    {"receipt_count", "UPDATE batch SET receipt = replace(receipt, '\"stored\":', '\"stored\":7')",
     "its receipt counts 7"},
    {"receipt_revision",
     "UPDATE batch SET receipt = replace(receipt, '\"revision\":', '\"revision\":7')",
     "its receipt has revision 7"},
    {"count_of_batch", "UPDATE batch SET stored = stored + 1", "it counts "},
    {"definition", "UPDATE family_version SET definition = definition || ' '",
     "its text does not have the digest "},
    {"models", "UPDATE models_version SET definition = '[]'",
     "of the models: its text does not have the digest "},
    {"point_definitions", "UPDATE point_basis SET family_versions = '{\"1\": 9}'",
     "was made with version 9 of family 1, which is missing"},
    {"point_repeats",
     "INSERT INTO point_model SELECT id, 'm', 'gfx942', 304, 8, 2, 1, 4, 1, 1, 1, 1 FROM point",
     "m on gfx942:304 repeats the values of the point before"},
    {"point_shapes",
     "INSERT INTO point_model SELECT min(id), 'm', 'gfx942', 304, 8, 2, 1, 5, 1, 1, 1, 1 FROM "
     "point",
     "m on gfx942:304 has 5 shapes, but the parts are 1 found, "},
    {"point_buckets",
     "INSERT INTO point_model SELECT min(id), 'm', 'gfx942', 304, 8, 2, 3, 4, 1, 1, 1, 1 FROM "
     "point",
     "has 3 of 2 buckets covered"},
    {"point_defaults", "UPDATE point_family SET measured = tuned + 1",
     " shape keys, but measured defaults of "},
    {"targets", "UPDATE targets_version SET definition = '{}'",
     "of the targets: its text does not have the digest "},
};

INSTANTIATE_TEST_SUITE_P(All, VerifyDamage, testing::ValuesIn(kDamages),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tunehub::test
