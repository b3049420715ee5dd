// Whose result counts for what (docs/trust.md).
#include <gtest/gtest.h>

#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub {
namespace {

using test::Csv;
using test::Line;
using test::Receipt;
using test::Refusal;
using test::Registry;

const store::Writer kKernels{.owner = "kernels"}, kEngines{.owner = "engines"};
const store::Writer kOthers{.owner = "others"}, kAdmin{.owner = "boss", .admin = true};

// Of a run of its own.
service::WriteAnswer SendOf(Registry& registry, const store::Writer& by,
                            const std::vector<Line>& lines, bool allow_shrink = false) {
  static int runs = 0;
  store::RunContent content;
  content.hash = core::HashOf("run " + std::to_string(++runs));
  bool created = false;
  const auto run = registry.store.runs().Create(content, created, by).id;
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
  return {"a8w8_blockscale_tuned_gemm.csv", Csv(lines)};
}

TEST(Trust, a_strangers_wrong_result_doubts_a_row_and_plans_one_job) {
  Registry registry;
  SendOf(registry, kKernels, {{.us = "10"}});
  const auto doubted = Receipt(SendOf(registry, kEngines, {{.us = "9", .error = "0.9"}}));
  EXPECT_EQ(doubted["withdrawn_count"], 0);
  EXPECT_EQ(doubted["in_doubt_count"], 1);
  EXPECT_EQ(doubted["measure_jobs"].size(), 1U);
  const auto again = Receipt(SendOf(registry, kEngines, {{.us = "8", .error = "0.8"}}));
  EXPECT_EQ(again["measure_jobs"].size(), 0U) << "it is planned";
  EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate");
  EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
}

TEST(Trust, two_owners_an_admin_or_its_own_owner_withdraw_a_row) {
  const std::vector<std::vector<store::Writer>> kWithdraw = {
      {kEngines, kOthers}, {kAdmin}, {kKernels}};
  for (const auto& writers : kWithdraw) {
    Registry registry;
    SendOf(registry, kKernels, {{.us = "10"}});
    std::size_t withdrawn = 0;
    for (const auto& by : writers) {
      withdrawn += Receipt(SendOf(registry, by, {{.us = "9", .error = "0.9"}}))["withdrawn_count"]
                       .get<std::size_t>();
    }
    EXPECT_EQ(withdrawn, 1U) << writers.back().owner;
    EXPECT_EQ(registry.Winners(), "") << writers.back().owner;
    EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
  }
}

TEST(Trust, a_strangers_wrong_results_leave_an_imported_table_as_it_is) {
  Registry registry;
  const auto tree = TreeOf(ManyLines(40, {.us = "10"}));
  Receipt(registry.Import("aiter", {tree}, {.by = kAdmin}));
  const std::string before = registry.Table();
  Receipt(SendOf(registry, kEngines, ManyLines(40, {.us = "9", .error = "0.9"})));
  EXPECT_EQ(registry.Table(), before);
  EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
}

TEST(Trust, no_write_takes_more_than_a_tenth_of_a_table_unless_it_is_allowed) {
  Registry registry;
  SendOf(registry, kKernels, ManyLines(60, {.us = "10"}));
  const std::string before = registry.Table();
  const auto wrong = ManyLines(11, {.us = "9", .error = "0.9"});
  const auto refused = SendOf(registry, kKernels, wrong);
  EXPECT_EQ(Refusal(refused), "would_shrink");
  EXPECT_NE(refused.refusal->error.detail.find("serves 60 keys, and 11 of them would lose"),
            std::string::npos)
      << refused.refusal->error.detail;
  EXPECT_EQ(registry.Table(), before);
  EXPECT_EQ(
      Receipt(SendOf(registry, kKernels, {wrong.begin(), wrong.end() - 1}))["withdrawn_count"], 10)
      << "a few always go";
  EXPECT_EQ(registry.store.batches().Revert(1, kKernels).error().code, "would_shrink");
  EXPECT_TRUE(registry.store.batches().Revert(1, kKernels, false, true).ok());
  EXPECT_EQ(registry.Winners(), "");
}

TEST(Trust, an_import_without_its_times_takes_them_away) {
  Registry registry;
  Receipt(registry.Import("aiter", {TreeOf(ManyLines(30, {.us = "10"}))}, {.allow_shrink = false}));
  const auto without = TreeOf(ManyLines(30, {.us = "0"}));
  EXPECT_EQ(Refusal(registry.Import("aiter", {without}, {.allow_shrink = false})), "would_shrink");
  Receipt(registry.Import("aiter", {without}, {.allow_shrink = true}));
  EXPECT_EQ(registry.Count("tuned WHERE standing = 2"), 30);
}

TEST(Trust, a_time_that_no_gpu_reaches_is_kept_and_never_served) {
  for (const char* us : {"5e-324", "0.05", "0.9"}) {
    for (const bool late : {false, true}) {
      Registry registry;
      const auto honest = [&] { SendOf(registry, kKernels, {{.us = "10"}}); };
      if (late) honest();
      const auto receipt = Receipt(SendOf(registry, kEngines, {{.kernel = "b", .us = us}}));
      EXPECT_EQ(receipt["quarantined"][0]["code"], "implausible") << receipt;
      if (!late) honest();
      EXPECT_EQ(registry.Winners(), "16 a 10 only_candidate") << us;
      EXPECT_EQ(registry.Count("measurement"), 2);
    }
  }
}

TEST(Trust, an_implausible_row_of_upstream_is_unmeasured_and_another_imports_is_not_served) {
  const std::vector<Line> rows = {{.us = "0.5"}, {.m = 32, .us = "10"}};
  Registry registry;
  const auto receipt = Receipt(registry.Import("aiter", {TreeOf(rows)}, {.by = kAdmin}));
  EXPECT_EQ(receipt["files"][0]["unmeasured"][0]["code"], "implausible");
  EXPECT_EQ(registry.Winners(), "16 a 0.5 nothing_measured\n32 a 10 only_candidate");
  Registry other;
  Receipt(other.Import("mine", {TreeOf(rows)}, {.by = kKernels}));
  EXPECT_EQ(other.Winners(), "32 a 10 only_candidate");
}

// Nobody knows the peaks of MI308X: its times are held against each other.
TEST(Trust, where_no_roofline_is_known_a_tenth_of_the_others_is_the_bound) {
  const Line honest{.us = "30", .cu_num = 80}, slower{.kernel = "b", .us = "31", .cu_num = 80};
  const Line fake{.kernel = "c", .us = "2.9", .cu_num = 80};
  for (const bool late : {false, true}) {
    Registry registry;
    if (late) SendOf(registry, kKernels, {honest, slower});
    SendOf(registry, kEngines, {fake});
    EXPECT_EQ(registry.Winners(),
              late ? "gfx942:80 16 a 30 lowest_time" : "gfx942:80 16 c 2.9 only_candidate");
    if (!late) SendOf(registry, kKernels, {honest, slower});
    EXPECT_EQ(registry.Winners(), "gfx942:80 16 a 30 lowest_time");
    EXPECT_EQ(registry.Table("libtype=ck"), Csv({honest})) << "no choice serves it";
    EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
    SendOf(registry, kKernels, {{.kernel = "d", .us = "28.9", .cu_num = 80}});
    EXPECT_EQ(registry.Winners(), "gfx942:80 16 c 2.9 lowest_time") << "a tenth is enough";
    EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
  }
}

TEST(Trust, a_cpu_has_no_floor) {
  Registry registry;
  SendOf(registry, kKernels, {{.us = "0.25", .gfx = "cpu-x86-64-v3", .cu_num = 8}});
  EXPECT_EQ(registry.Winners(), "cpu-x86-64-v3:8 tunehub 16 a 0.25 only_candidate");
}

TEST(Trust, outside_imports_the_tuners_error_limit_holds) {
  Registry registry;
  const std::vector<Line> rows = {{.us = "9", .error = "0.06"}};
  Receipt(SendOf(registry, kKernels, rows));
  EXPECT_EQ(registry.Winners(), "");
  Receipt(registry.Import("aiter", {TreeOf(rows)}));
  EXPECT_EQ(registry.Winners(), "16 a 9 only_candidate") << "a table may have up to 0.2";
}

TEST(Trust, what_a_search_gave_up_or_sampled_too_little_is_evidence) {
  Registry registry;
  const auto send = [&](const std::string& kernel, const std::string& us,
                        const std::string& evidence) {
    const std::string row =
        R"({"gfx":"gfx942","cu_num":304,"M":16,"N":1536,"K":7168,"libtype":"ck","kernelId":1,)"
        R"("splitK":0,"us":)" +
        us + R"(,"kernelName":")" + kernel + R"(","errRatio":0,)" + evidence + "}";
    return Receipt(registry.ingest.Results(*registry.definitions.families.Find("a8w8_blockscale"),
                                           "[" + row + "]", service::BodyFormat::kJson, {},
                                           service::WriteRequest()));
  };
  EXPECT_EQ(send("a", "99.9", R"("samples":[99.9],"status":"abandoned")")["unfinished_count"], 1);
  EXPECT_EQ(send("b", "98", R"("samples":[98,98],"status":"ok")")["unfinished_count"], 1);
  EXPECT_EQ(send("c", "97", R"("status":"timed_out")")["unfinished_count"], 1);
  EXPECT_EQ(registry.Winners(), "");
  EXPECT_EQ(send("d", "100", R"("samples":[100,100,101],"status":"ok")")["accepted"], 1);
  EXPECT_EQ(registry.Winners(), "16 d 100 only_candidate");
}

}  // namespace
}  // namespace tunehub
