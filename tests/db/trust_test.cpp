// Trust between owners (docs/trust.md).
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

const server::Writer kKernels{.owner = "kernels"}, kEngines{.owner = "engines"};
const server::Writer kOthers{.owner = "others"}, kAdmin{.owner = "boss", .admin = true};

class Trust : public RegistryTest {
 protected:
  void TearDown() override { EXPECT_EQ(WhatDoesNotHold(registry.pool), ""); }
};

// Makes a run and sends the rows as its batch.
server::WriteAnswer SendOf(Registry& registry, const server::Writer& by,
                           const std::vector<Line>& lines, bool allow_shrink = false) {
  static int runs = 0;
  server::RunContent content;
  content.hash = core::HashOf("run " + std::to_string(++runs));
  bool created = false;
  const auto run = server::RunStore(registry.pool).Create(content, created, by)->id;
  return registry.Send(Csv(lines), {.run = run, .by = by, .allow_shrink = allow_shrink});
}

std::vector<Line> ManyLines(int keys, const Line& like) {
  std::vector<Line> lines;
  for (int m = 1; m <= keys; ++m) {
    lines.push_back(like);
    lines.back().m = m;
  }
  return lines;
}

core::TarFile TreeOf(const std::vector<Line>& lines) {
  return {kTreeFile, Csv(lines)};
}

TEST_F(Trust, a_strangers_wrong_result_doubts_a_row_and_plans_one_job) {
  SendOf(registry, kKernels, {{.us = "10"}});
  const auto doubted = Receipt(SendOf(registry, kEngines, {{.us = "9", .error = "0.9"}}));
  EXPECT_EQ(doubted["withdrawn_count"], 0);
  EXPECT_EQ(doubted["in_doubt_count"], 1);
  EXPECT_EQ(doubted["verify_jobs"].size(), 1U);
  const auto again = Receipt(SendOf(registry, kEngines, {{.us = "8", .error = "0.8"}}));
  EXPECT_EQ(again["verify_jobs"].size(), 0U) << "the job is already planned";
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate");
}

TEST_F(Trust, two_owners_an_admin_or_its_own_owner_withdraw_a_row) {
  const std::vector<std::vector<server::Writer>> kWithdraw = {
      {kEngines, kOthers}, {kAdmin}, {kKernels}};
  for (const auto& writers : kWithdraw) {
    Registry hub;
    SendOf(hub, kKernels, {{.us = "10"}});
    std::size_t withdrawn = 0;
    for (const auto& by : writers) {
      withdrawn += Receipt(SendOf(hub, by, {{.us = "9", .error = "0.9"}}))["withdrawn_count"]
                       .get<std::size_t>();
    }
    EXPECT_EQ(withdrawn, 1U) << writers.back().owner;
    EXPECT_EQ(hub.Winners(), "") << writers.back().owner;
    EXPECT_EQ(WhatDoesNotHold(hub.pool), "");
  }
}

TEST_F(Trust, an_admins_run_takes_results_of_admins_alone) {
  bool created = false;
  const auto run = server::RunStore(registry.pool).Create({}, created, kAdmin)->id;
  const server::Writer submit{.owner = kAdmin.owner};
  EXPECT_EQ(Refusal(registry.Send(Csv({{.us = "9"}}), {.run = run, .by = submit})), "not_owner");
  Receipt(registry.Send(Csv({{.us = "9"}}), {.run = run, .by = kAdmin}));
}

TEST_F(Trust, a_strangers_wrong_results_leave_an_imported_table_as_it_is) {
  const auto tree = TreeOf(ManyLines(40, {.us = "10"}));
  Receipt(registry.Import("aiter", {tree}, {.by = kAdmin}));
  const std::string before = registry.Table();
  Receipt(SendOf(registry, kEngines, ManyLines(40, {.us = "9", .error = "0.9"})));
  EXPECT_EQ(registry.Table(), before);
}

TEST_F(Trust, no_write_takes_more_than_a_tenth_of_a_table_unless_it_is_allowed) {
  SendOf(registry, kKernels, ManyLines(60, {.us = "10"}));
  const std::string before = registry.Table();
  const auto wrong = ManyLines(11, {.us = "9", .error = "0.9"});
  const auto refused = SendOf(registry, kKernels, wrong);
  EXPECT_EQ(Refusal(refused), "would_shrink");
  EXPECT_NE(
      refused.refusal->error.detail.find("serves 60 shape keys, and with this write 11 of them"),
      std::string::npos)
      << refused.refusal->error.detail;
  EXPECT_EQ(registry.Table(), before);
  EXPECT_EQ(
      Receipt(SendOf(registry, kKernels, {wrong.begin(), wrong.end() - 1}))["withdrawn_count"], 10)
      << "a write may always withdraw a few rows";
  EXPECT_EQ(Refusal(SendOf(registry, kKernels, {wrong.end() - 1, wrong.end()})), "would_shrink")
      << "the limit counts all writes of a day";
  Execute(registry.url, "UPDATE loss SET at = at - interval '25 hours'");
  Receipt(SendOf(registry, kKernels, {wrong.end() - 1, wrong.end()}));
  EXPECT_EQ(server::RevertRun(registry.pool, 1, kKernels).error().code, "would_shrink");
  EXPECT_TRUE(server::RevertRun(registry.pool, 1, kKernels, false, true).ok());
  EXPECT_EQ(registry.Winners(), "");
}

TEST_F(Trust, a_withdrawal_counts_whatever_stands_behind_it_and_rows_of_ones_own_hide_none) {
  for (const bool behind : {false, true}) {
    Registry hub;
    SendOf(hub, kKernels, ManyLines(40, {.us = "10"}));
    // The owner has a slower row for each of these shape keys, or many rows of other shape keys.
    std::vector<Line> own = ManyLines(behind ? 40 : 400, {.kernel = "b", .us = "900"});
    if (!behind) own.erase(own.begin(), own.begin() + 40);
    SendOf(hub, kEngines, own);
    const auto wrong = ManyLines(20, {.us = "9", .error = "0.9"});
    SendOf(hub, kOthers, wrong);
    EXPECT_EQ(Refusal(SendOf(hub, kEngines, wrong)), "would_shrink") << behind;
    EXPECT_EQ(WhatDoesNotHold(hub.pool), "");
  }
}

TEST_F(Trust, all_owners_share_one_budget_of_upstreams_rows) {
  for (const bool room : {false, true}) {
    Registry hub;
    Receipt(hub.Import("aiter", {TreeOf(ManyLines(40, {.us = "10"}))}, {.by = kAdmin}));
    if (room) {
      std::vector<Line> rows = ManyLines(400, {.kernel = "b", .us = "900"});
      rows.erase(rows.begin(), rows.begin() + 40);
      SendOf(hub, kOthers, rows);
    }
    const auto wrong = ManyLines(12, {.us = "9", .error = "0.9"});
    const std::vector<Line> first(wrong.begin(), wrong.begin() + 6),
        then(first.size() + wrong.begin(), wrong.end());
    SendOf(hub, kKernels, first);
    EXPECT_EQ(Receipt(SendOf(hub, kEngines, first))["withdrawn_count"], 6);
    SendOf(hub, kEngines, then);
    EXPECT_EQ(Refusal(SendOf(hub, kKernels, then)), "would_shrink") << room;
    EXPECT_EQ(Refusal(SendOf(hub, kOthers, then)), "would_shrink") << room;
    Receipt(SendOf(hub, kAdmin, then));
    EXPECT_EQ(WhatDoesNotHold(hub.pool), "");
  }
}

TEST_F(Trust, upstream_takes_over_a_source_that_another_owner_named_first) {
  const auto tree = TreeOf({{.us = "20"}, {.m = 32, .us = "30"}});
  Receipt(registry.Import("aiter", {TreeOf({{.us = "20"}})}, {.by = kEngines}));
  Receipt(registry.Import("aiter", {tree}, {.by = kAdmin}));
  const auto slow = TreeOf({{.us = "2000"}, {.m = 32, .us = "3000"}});
  EXPECT_EQ(Refusal(registry.Import("aiter", {slow}, {.by = kEngines})), "not_owner");
  EXPECT_EQ(server::RevertRun(registry.pool, 2, kEngines).error().code, "not_owner");
  EXPECT_EQ(registry.Winners(), "16 a 20 only_candidate\n32 a 30 only_candidate");
}

TEST_F(Trust, a_later_time_of_another_owner_supports_an_earlier_one) {
  SendOf(registry, kKernels, {{.us = "400", .cu_num = 80}});
  SendOf(registry, kEngines, {{.kernel = "b", .us = "30", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 400 only_candidate");
  SendOf(registry, kOthers, {{.kernel = "c", .us = "35", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 b 30 lowest_time");
}

TEST_F(Trust, a_row_that_loses_its_time_after_an_implausible_one_is_built_again) {
  SendOf(registry, kKernels, {{.us = "400", .cu_num = 80}});
  SendOf(registry, kEngines, {{.kernel = "b", .us = "30", .cu_num = 80}});
  SendOf(registry, kEngines, {{.kernel = "b", .us = "0", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 400 only_measured");
}

TEST_F(Trust, an_import_without_its_times_takes_them_away) {
  Receipt(registry.Import("aiter", {TreeOf(ManyLines(30, {.us = "10"}))}, {.allow_shrink = false}));
  const auto without = TreeOf(ManyLines(30, {.us = "0"}));
  EXPECT_EQ(Refusal(registry.Import("aiter", {without}, {.allow_shrink = false})), "would_shrink");
  Receipt(registry.Import("aiter", {without}, {.allow_shrink = true}));
  EXPECT_EQ(registry.Count("tuned WHERE standing = 2"), 30);
}

TEST_F(Trust, a_time_that_no_gpu_reaches_is_kept_and_never_served) {
  for (const char* us : {"5e-324", "0.05", "0.9"}) {
    for (const bool late : {false, true}) {
      Registry hub;
      const auto honest = [&] { SendOf(hub, kKernels, {{.us = "10"}}); };
      if (late) honest();
      const auto receipt = Receipt(SendOf(hub, kEngines, {{.kernel = "b", .us = us}}));
      EXPECT_EQ(receipt["quarantined"][0]["code"], "implausible") << receipt;
      if (!late) honest();
      EXPECT_EQ(hub.Winners(), "16 a 10 only_candidate") << us;
      EXPECT_EQ(hub.Count("measurement"), 2);
    }
  }
}

TEST_F(Trust, an_implausible_row_of_upstream_is_unmeasured_and_another_imports_is_not_served) {
  const std::vector<Line> rows = {{.us = "0.5"}, {.m = 32, .us = "10"}};
  const auto receipt = Receipt(registry.Import("aiter", {TreeOf(rows)}, {.by = kAdmin}));
  EXPECT_EQ(receipt["files"][0]["unmeasured"][0]["code"], "implausible");
  EXPECT_EQ(registry.Winners(), "16 a 0.5 nothing_measured\n32 a 10 only_candidate");
  Registry other;
  Receipt(other.Import("mine", {TreeOf(rows)}, {.by = kKernels}));
  EXPECT_EQ(other.Winners(), "32 a 10 only_candidate");
}

// The hub knows no peaks of MI308X, so it compares times with those of other rows.
TEST_F(Trust, where_no_roofline_is_known_a_tenth_of_the_others_is_the_bound) {
  const Line honest{.us = "30", .cu_num = 80}, slower{.kernel = "b", .us = "31", .cu_num = 80};
  const Line fake{.kernel = "c", .us = "2.9", .cu_num = 80};
  SendOf(registry, kKernels, {honest, slower});
  const auto receipt = Receipt(SendOf(registry, kEngines, {fake}));
  EXPECT_EQ(receipt["quarantined"][0]["code"], "implausible") << receipt;
  EXPECT_EQ(receipt["accepted"], 0);
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 30 lowest_time");
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({honest})) << "no filter serves the fake row";
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
  Registry together;
  SendOf(together, kEngines, {honest, fake});
  EXPECT_EQ(together.Winners(), "gfx942:80 16 a 30 only_candidate")
      << "both rows in one batch of one owner";
}

TEST_F(Trust, no_later_row_makes_an_earlier_one_implausible) {
  SendOf(registry, kKernels, {{.us = "40", .cu_num = 80}});
  SendOf(registry, kEngines, {{.kernel = "b", .us = "5000", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 40 lowest_time");
  SendOf(registry, kAdmin, {{.kernel = "c", .us = "3", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 c 3 lowest_time")
      << "the bound does not apply to an admin";
}

TEST_F(Trust, an_implausible_time_leaves_its_owners_earlier_one_in_place) {
  SendOf(registry, kKernels, {{.us = "400", .cu_num = 80}});
  SendOf(registry, kEngines, {{.kernel = "b", .us = "41", .cu_num = 80}});
  const auto receipt =
      Receipt(SendOf(registry, kEngines, {{.kernel = "b", .us = "39", .cu_num = 80}}));
  EXPECT_EQ(receipt["quarantined"][0]["code"], "implausible") << receipt;
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 b 41 lowest_time");
  SendOf(registry, kOthers, {{.kernel = "c", .us = "38", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 c 38 lowest_time")
      << "another owner's time supports it";
}

TEST_F(Trust, an_owner_does_not_walk_down_by_rows_of_its_own) {
  SendOf(registry, kKernels, {{.us = "5000", .cu_num = 80}});
  for (const char* us : {"600", "70", "8"}) {
    SendOf(registry, kEngines, {{.kernel = us, .us = us, .cu_num = 80}});
  }
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 600 600 lowest_time");
  SendOf(registry, kEngines, {{.us = "70", .cu_num = 80}});
  EXPECT_EQ(registry.Winners(), "gfx942:80 16 600 600 lowest_time")
      << "not with the same kernel, either";
}

TEST_F(Trust, a_stranger_replaces_no_choice_of_upstream) {
  for (const bool declared : {false, true}) {
    const std::string us = declared ? "nan" : "0";
    const auto families = FamiliesWith("a8w8_blockscale", [&](auto& json) {
      if (declared) json["without_time"] = "declared";
    });
    Registry hub(RegistryDatabase(), families);
    Receipt(hub.Import("aiter", {TreeOf({{.us = us, .error = "0.1"}})}, {.by = kAdmin}));
    const std::string before = hub.Table();
    SendOf(hub, kEngines, {{.kernel = "b", .us = us}});
    EXPECT_EQ(hub.Table(), before) << us;
    SendOf(hub, kAdmin, {{.kernel = "c", .us = us}});
    EXPECT_NE(hub.Table(), before) << us;
    EXPECT_EQ(WhatDoesNotHold(hub.pool), "");
  }
}

TEST_F(Trust, an_owners_doubts_plan_a_few_jobs_and_no_more) {
  SendOf(registry, kKernels, ManyLines(400, {.us = "10"}));
  server::Writer doubter = kEngines;
  doubter.api_key = 7;
  const std::vector<Line> wrong = ManyLines(400, {.us = "9", .error = "0.9"});
  const auto receipt = Receipt(SendOf(registry, doubter, {wrong.begin(), wrong.begin() + 200}));
  EXPECT_EQ(receipt["in_doubt_count"], 200);
  EXPECT_EQ(receipt["verify_jobs"].size(), server::kMostDoubtJobs);
  const auto more = Receipt(SendOf(registry, doubter, {wrong.begin() + 200, wrong.end()}));
  EXPECT_EQ(more["in_doubt_count"], 200);
  EXPECT_EQ(more["verify_jobs"].size(), 0U);
}

TEST_F(Trust, an_import_of_a_plain_key_does_not_widen_its_error_limit) {
  server::RunContent about;
  about.error_limit = 1;
  const std::vector<Line> rows = {{.us = "9", .error = "0.9"}};
  Receipt(registry.Import("mine", {TreeOf(rows)}, {.by = kKernels}, about));
  EXPECT_EQ(registry.Winners(), "");
  Receipt(registry.Import("aiter", {TreeOf(rows)}, {.by = kAdmin}, about));
  EXPECT_EQ(registry.Winners(), "16 a 9 only_candidate");
}

TEST_F(Trust, outside_imports_the_tuners_error_limit_holds) {
  const std::vector<Line> rows = {{.us = "9", .error = "0.06"}};
  Receipt(SendOf(registry, kKernels, rows));
  EXPECT_EQ(registry.Winners(), "");
  Receipt(registry.Import("aiter", {TreeOf(rows)}));
  EXPECT_EQ(registry.Winners(), "16 a 9 only_candidate") << "a table may have up to 0.2";
}

TEST_F(Trust, what_a_search_gave_up_or_sampled_too_little_is_evidence) {
  const auto send = [&](const std::string& kernel, const std::string& us,
                        const std::string& evidence) {
    const std::string row =
        R"({"gfx":"gfx942","cu_num":304,"M":16,"N":1536,"K":7168,"libtype":"ck","kernelId":1,)"
        R"("splitK":0,"us":)" +
        us + R"(,"kernelName":")" + kernel + R"(","errRatio":0,)" + evidence + "}";
    return Receipt(registry.SendJson("[" + row + "]"));
  };
  EXPECT_EQ(send("a", "99.9", R"("samples":[99.9],"status":"abandoned")")["unfinished_count"], 1);
  EXPECT_EQ(send("b", "98", R"("samples":[98,98],"status":"ok")")["unfinished_count"], 1);
  EXPECT_EQ(send("c", "97", R"("status":"timed_out")")["unfinished_count"], 1);
  EXPECT_EQ(registry.Winners(), "");
  EXPECT_EQ(send("e", "3", R"("samples":[900,900,901],"status":"ok")")["quarantined"][0]["code"],
            "implausible");
  EXPECT_EQ(registry.Winners(), "");
  EXPECT_EQ(send("d", "100", R"("samples":[100,100,101],"status":"ok")")["accepted"], 1);
  EXPECT_EQ(registry.Winners(), "16 d 100 only_candidate");
}

}  // namespace
}  // namespace tunehub::test
