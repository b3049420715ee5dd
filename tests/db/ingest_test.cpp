#include "server/ingest/ingest.h"

#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Ingest = RegistryTest;

std::vector<std::string> Codes(const nlohmann::json& issues) {
  std::vector<std::string> codes;
  for (const auto& issue : issues) {
    codes.push_back(issue["row"].dump() + " " + issue["code"].get<std::string>());
  }
  return codes;
}

TEST_F(Ingest, a_receipt_counts_what_became_of_every_row) {
  const auto written = registry.Send(Csv({{.kernel = "a", .us = "10"},
                                          {.kernel = "b", .us = "20"},
                                          {.m = 32, .kernel = "c", .us = "5"},
                                          {.m = 32, .kernel = "c", .us = "6"},
                                          {.m = 64, .kernel = "d", .error = "0.9"},
                                          {.m = 128, .us = "fast"}}));
  EXPECT_EQ(Counts(written),
            "accepted 3 won 2 kept 1 unchanged 0 folded 1 quarantined 1 rejected 1 ");
  const auto receipt = Receipt(written);
  EXPECT_EQ(receipt["rows"], 6);
  EXPECT_EQ(receipt["stored"], 4);
  EXPECT_EQ(receipt["revision"], 1);
  EXPECT_EQ(Codes(receipt["rejected"]), std::vector<std::string>{"7 not_a_number"});
  EXPECT_EQ(Codes(receipt["quarantined"]), std::vector<std::string>{"6 error_above_limit"});
  EXPECT_EQ(registry.Winners(), "16 a 10 lowest_time\n32 c 5 only_candidate");
  EXPECT_EQ(registry.Count("measurement"), 4);
}

TEST_F(Ingest, a_quarantined_row_that_is_folded_away_does_not_lower_the_accepted) {
  EXPECT_EQ(Counts(registry.Send(Csv({{.us = "10"}, {.us = "9", .error = "0.9"}}))),
            "accepted 1 won 1 kept 0 unchanged 0 folded 1 quarantined 1 rejected 0 ");
  EXPECT_EQ(Counts(registry.Send(Csv({{.m = 32, .error = "0.9"}, {.m = 32, .error = "0.8"}}))),
            "accepted 0 won 0 kept 0 unchanged 0 folded 1 quarantined 2 rejected 0 ");
}

TEST_F(Ingest, an_import_counts_folded_quarantined_rows_the_same_way) {
  const auto receipt = Receipt(
      registry.Import("", {{kTreeFile, Csv({{.error = "0.9"}, {.error = "0.8"}, {.m = 32}})}}));
  EXPECT_EQ(receipt["accepted"], 1);
  EXPECT_EQ(receipt["files"][0]["accepted"], 1);
}

TEST_F(Ingest, the_same_runs_batch_again_adds_no_measurement_and_no_revision) {
  const auto run = registry.NewRun("2026-01-01T00:00:00Z");
  const std::string csv = Csv({{}, {.m = 32, .error = "0.9"}});
  EXPECT_EQ(Counts(registry.Send(csv, {.run = run})),
            "accepted 1 won 1 kept 0 unchanged 0 folded 0 quarantined 1 rejected 0 ");
  const auto again = registry.Send(csv, {.run = run});
  EXPECT_EQ(Counts(again),
            "accepted 0 won 0 kept 0 unchanged 2 folded 0 quarantined 1 rejected 0 ");
  EXPECT_FALSE(Receipt(again).contains("revision"));
  EXPECT_EQ(registry.Count("measurement"), 2);
  EXPECT_EQ(registry.Revision(), 1);
}

TEST_F(Ingest, part_of_a_runs_batch_again_with_new_rows_adds_only_those) {
  const auto run = registry.NewRun("2026-01-01T00:00:00Z");
  registry.Send(Csv({{}, {.m = 32}}), {.run = run});
  EXPECT_EQ(Counts(registry.Send(Csv({{}, {.m = 32}, {.m = 64}, {.kernel = "b", .us = "5"}}),
                                 {.run = run})),
            "accepted 2 won 2 kept 0 unchanged 2 folded 0 quarantined 0 rejected 0 ");
  EXPECT_EQ(registry.Winners(),
            "16 b 5 lowest_time\n32 a 10.0 only_candidate\n64 a 10.0 only_candidate");
}

TEST_F(Ingest, another_value_for_a_row_that_the_run_has_is_rejected) {
  const auto run = registry.NewRun("2026-01-01T00:00:00Z");
  registry.Send(Csv({{}, {.m = 32, .us = "0"}, {.m = 48, .error = "0.9"}}), {.run = run});
  const auto written = registry.Send(
      Csv({{.us = "9"}, {.m = 32, .us = "inf"}, {.m = 48, .error = "0.8"}, {.m = 64}}),
      {.run = run});
  EXPECT_EQ(Counts(written),
            "accepted 1 won 1 kept 0 unchanged 0 folded 0 quarantined 0 rejected 3 ");
  const auto receipt = Receipt(written);
  EXPECT_EQ(
      Codes(receipt["rejected"]),
      (std::vector<std::string>{"2 already_measured", "3 already_measured", "4 already_measured"}));
  EXPECT_EQ(receipt["unmeasured"].size(), 0);
  EXPECT_EQ(registry.Winners(),
            "16 a 10.0 only_candidate\n32 a 0 nothing_measured\n64 a 10.0 only_candidate");
}

TEST_F(Ingest, atomic_names_the_rows_that_the_run_has_with_other_values) {
  const auto run = registry.NewRun("2026-01-01T00:00:00Z");
  registry.Send(Csv({{}}), {.run = run});
  const auto written = registry.Send(Csv({{.m = 32}, {.us = "9"}}), {.run = run, .atomic = true});
  EXPECT_EQ(Refusal(written), "rejected_rows");
  ASSERT_EQ(written.refusal->issues.size(), 1u);
  EXPECT_EQ(written.refusal->issues[0].line, 3u);
  EXPECT_EQ(registry.Count("measurement"), 1);
}

TEST_F(Ingest, atomic_does_not_mind_a_quarantined_row) {
  EXPECT_EQ(Refusal(registry.Send(Csv({{}, {.m = 32, .error = "0.9"}}), {.atomic = true})), "");
  EXPECT_EQ(registry.Count("measurement"), 2);
}

TEST_F(Ingest, dry_run_says_what_it_would_do_and_leaves_nothing) {
  registry.Send(Csv({{}}));
  const auto written = registry.Send(Csv({{.kernel = "b", .us = "5"}}), {.dry_run = true});
  EXPECT_EQ(Counts(written),
            "accepted 1 won 1 kept 0 unchanged 0 folded 0 quarantined 0 rejected 0 ");
  const auto receipt = Receipt(written);
  EXPECT_EQ(receipt["dry_run"], true);
  EXPECT_FALSE(receipt.contains("revision"));
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
  EXPECT_EQ(registry.Count("measurement"), 1);
  EXPECT_EQ(registry.Count("batch"), 1);
  EXPECT_EQ(registry.Count("run"), 1);
  EXPECT_EQ(registry.Revision(), 1);
}

TEST_F(Ingest, two_keys_with_one_hash_are_a_collision_and_nothing_is_stored) {
  registry.Send(Csv({{}}));
  Execute(registry.url, "UPDATE tuned SET ord = ord || '\\x00'");
  EXPECT_EQ(Refusal(registry.Send(Csv({{.us = "5"}, {.m = 32}}))), "key_collision");
  EXPECT_EQ(registry.Count("measurement"), 1);
  EXPECT_EQ(registry.Revision(), 1);
}

TEST_F(Ingest, text_that_copy_would_misread_comes_back_as_it_was) {
  const nlohmann::json reason = "back\\slash\\N \\. {\"quoted\"} \xC3\xA9";
  const std::string row =
      R"([{"gfx":"gfx942","cu_num":304,"M":16,"N":1536,"K":7168,"libtype":"ck","kernelId":1,)"
      R"("splitK":0,"us":10,"kernelName":"a","errRatio":0,"reason":)" +
      reason.dump() + "}]";
  Receipt(registry.SendJson(row));
  EXPECT_EQ(QueryText(registry.url, "SELECT evidence ->> 'reason' FROM measurement"),
            reason.get<std::string>());
}

}  // namespace
}  // namespace tunehub::test
