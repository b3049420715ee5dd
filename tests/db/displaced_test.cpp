// A candidate competes with its latest measured row, until a later row finds its result wrong.
#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Displaced = RegistryTest;

nlohmann::json SendRun(Registry& registry, const std::string& day, const std::vector<Line>& lines) {
  return Receipt(registry.Send(Csv(lines), {.run = registry.NewRun(day)}));
}

TEST_F(Displaced, a_wrong_result_withdraws_its_candidate_and_the_receipt_names_what_went) {
  SendRun(registry, kDay1, {{.us = "10"}, {.kernel = "b", .us = "20"}});
  const auto receipt =
      SendRun(registry, kDay2, {{.m = 32, .us = "5"}, {.us = "9", .error = "0.9"}});
  EXPECT_EQ(registry.Winners(), "16 b 20 only_candidate\n32 a 5 only_candidate");
  EXPECT_EQ(receipt.value("withdrawn_count", -1), 1) << receipt;
  ASSERT_EQ(receipt.value("withdrawn", nlohmann::json::array()).size(), 1U);
  EXPECT_EQ(receipt["withdrawn"][0]["row"], 3);
  EXPECT_EQ(receipt["withdrawn"][0]["code"], "withdrawn");
  EXPECT_EQ(receipt["withdrawn"][0]["detail"],
            "the earlier 10 us of run 1 no longer count: error_above_limit: the error is 0.9; the "
            "limit is 0.05");
  EXPECT_EQ(receipt["quarantined_count"], 1);
  // Now the slower candidate is wrong, too.
  SendRun(registry, kDay3, {{.kernel = "b", .us = "20", .error = "0.9"}});
  EXPECT_EQ(registry.Winners(), "32 a 5 only_candidate");
  EXPECT_EQ(Receipt(registry.Send(Csv({{.us = "9", .error = "0.9"}})))["withdrawn_count"], 0)
      << "the candidate is already excluded";
}

TEST_F(Displaced, a_wrong_result_of_one_target_says_nothing_about_another) {
  SendRun(registry, kDay1, {{.us = "10"}, {.us = "10", .cu_num = 80}});
  SendRun(registry, kDay2, {{.us = "10", .error = "0.9"}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 10 only_candidate");
}

TEST_F(Displaced, a_choice_among_candidates_leaves_the_withdrawn_out) {
  SendRun(registry, kDay1, {{.us = "10"}, {.kernel = "b", .us = "20"}});
  SendRun(registry, kDay2, {{.us = "9", .error = "0.9"}});
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({{.kernel = "b", .us = "20"}}));
}

// A time of -1 or inf means that the candidate failed, for example by a crash or a timeout.
TEST_F(Displaced,
       a_failure_of_a_measured_candidate_takes_nothing_away_and_plans_one_job_to_measure_it) {
  for (const char* us : {"-1", "inf"}) {
    Registry hub;
    SendRun(hub, kDay1, {{.us = "14.63"}, {.m = 32, .us = "9"}});
    const auto receipt = SendRun(hub, kDay2, {{.us = us}, {.m = 48, .us = "-1"}});
    EXPECT_EQ(hub.Winners(), "16 a 14.63 only_candidate\n32 a 9 only_candidate") << us;
    EXPECT_EQ(receipt.value("in_doubt_count", -1), 1) << receipt;
    ASSERT_EQ(receipt.value("verify_jobs", nlohmann::json::array()).size(), 1U) << receipt;
    EXPECT_EQ(QueryText(hub.url,
                        "SELECT purpose || ' ' || gfx || ' ' || cu_num || ' ' || "
                        "shapes FROM job"),
              R"(verify gfx942 304 [{"M":16,"N":1536,"K":7168}])");
    // If the same failure arrives again, the hub plans no second job.
    Execute(hub.url, "UPDATE job SET state = 'done'");
    SendRun(hub, kDay3, {{.us = us}});
    EXPECT_EQ(hub.Count("job"), 1);
    // A correct measurement of the candidate arrives, and then another failure.
    SendRun(hub, kDay4, {{.us = "15"}});
    hub.Send(Csv({{.us = us}}));
    EXPECT_EQ(hub.Count("job"), 2);
    EXPECT_EQ(hub.Winners(), "16 a 15 only_candidate\n32 a 9 only_candidate");
  }
}

TEST_F(Displaced, a_dry_run_says_what_would_be_withdrawn_and_leaves_all_as_it_is) {
  SendRun(registry, kDay1, {{.us = "10"}, {.m = 32, .us = "7"}});
  const auto receipt = Receipt(
      registry.Send(Csv({{.us = "9", .error = "0.9"}, {.m = 32, .us = "-1"}}), {.dry_run = true}));
  EXPECT_EQ(receipt.value("withdrawn_count", -1), 1);
  EXPECT_EQ(receipt.value("in_doubt_count", -1), 1);
  EXPECT_EQ(registry.Count("job"), 0);
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate\n32 a 7 only_candidate");
}

}  // namespace
}  // namespace tunehub::test
