#include "core/analysis/compare.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/analysis/environment.h"
#include "core/analysis/statistics.h"
#include "tests/support/result.h"

namespace tunehub::analysis {
namespace {

struct TimedRow {
  std::string m;
  std::vector<double> runs;
  std::string kernel, target;
};
TimedRow At(const std::string& m, std::vector<double> runs, const std::string& kernel = "a",
            const std::string& target = "gfx942:304") {
  return {m, std::move(runs), kernel, target};
}

struct TimedRows {
  Environment environment;
  std::vector<TimedRow> rows;
};
Side SideOf(const TimedRows& rows) {
  Side side;
  side.environment = rows.environment;
  for (const TimedRow& row : rows.rows)
    side.At(row.target, {{"M", row.m}}, row.kernel, row.kernel).runs = row.runs;
  return side;
}
// The comparison outlives its two sides, so it must not refer to them.
core::Result<Comparison> Compare(const TimedRows& base, const TimedRows& head) {
  return Compare(SideOf(base), SideOf(head));
}
std::string FirstCell(const Compared& it) {
  return it.key.shape().front().second;
}

std::vector<std::string> Changes(const TimedRows& base, const TimedRows& head) {
  std::vector<std::string> changes;
  const auto comparison = Compare(base, head);
  for (const Compared& it : comparison->keys) {
    changes.push_back(FirstCell(it) + " " + std::string(Name(it.change)));
  }
  return changes;
}

std::string ChangeOf(const TimedRows& base, const TimedRows& head) {
  const auto comparison = Compare(base, head);
  return std::string(Name(comparison->keys.front().change));
}

std::string ChangeOf(std::vector<double> base, std::vector<double> head) {
  return ChangeOf(TimedRows{{}, {At("16", std::move(base))}},
                  TimedRows{{}, {At("16", std::move(head))}});
}

TEST(Compare, joins_by_key_or_by_shape_and_names_what_is_only_on_one_side) {
  EXPECT_THAT(Changes({{}, {At("1", {100}), At("2", {100}), At("3", {9})}},
                      {{}, {At("2", {50}), At("1", {200}), At("4", {9})}}),
              testing::ElementsAre("1 slower", "2 faster", "3 not_measured_in_head",
                                   "4 not_measured_in_base"));
  EXPECT_THAT(Changes({{}, {At("1", {9}), At("1", {9}, "a", "gfx950:256")}}, {{}, {At("1", {9})}}),
              testing::ElementsAre("1 same", "1 not_measured_in_head"));
  EXPECT_THAT(Changes({{}, {At("1", {9}, "a", "")}}, {{}, {At("1", {9})}}),
              testing::ElementsAre("1 same"));
}

TEST(Compare, slower_is_more_than_half_a_percent_and_half_a_microsecond_by_runs_that_agree) {
  EXPECT_EQ(ChangeOf({100}, {100.99}), "same");
  EXPECT_EQ(ChangeOf({100}, {101.01}), "slower");
  EXPECT_EQ(ChangeOf({101.01}, {100}), "faster");
  EXPECT_EQ(ChangeOf({3.9}, {30}), "below_floor");
  EXPECT_EQ(ChangeOf({4}, {4.52}), "same");
  EXPECT_EQ(ChangeOf({4}, {4.53}), "slower");
  EXPECT_EQ(ChangeOf({}, {9}), "skipped");
  EXPECT_EQ(ChangeOf({9}, {}), "skipped");
  EXPECT_EQ(ChangeOf({100}, {130, 131, 133}), "slower");
  EXPECT_EQ(ChangeOf({100}, {100, 131, 133}), "unstable");
  EXPECT_EQ(ChangeOf({100, 120}, {130}), "unstable");
  EXPECT_EQ(ChangeOf({100}, {90, 100, 100.5, 131, 150}), "same")
      << "with five times, the closest pair decides";
}

TEST(Compare, a_kernel_that_is_slower_is_noise_only_where_both_sides_give_the_same_facts) {
  const auto change = [](const Environment& base, const Environment& head,
                         const std::string& kernel) {
    return ChangeOf(TimedRows{base, {At("1", {100}, "a")}},
                    TimedRows{head, {At("1", {1000}, kernel)}});
  };
  const Environment golden = {{"rocm", "7.2.0"}, {"triton", "3.4.0"}};
  EXPECT_EQ(change(golden, golden, "a"), "same_kernel");
  EXPECT_EQ(change(golden, golden, "b"), "slower");
  EXPECT_EQ(change(golden, {{"rocm", "7.2.0"}, {"triton", "3.7.0"}}, "a"), "slower");
  EXPECT_EQ(change(golden, {{"rocm", "7.2.0"}}, "a"), "slower") << "only one side states this fact";
  EXPECT_EQ(change({}, {}, "a"), "slower") << "neither side states a fact";
  Side mixed = SideOf({golden, {At("1", {100})}}), repeated = SideOf({golden, {At("1", {1000})}});
  mixed.mixed = {"rocm"};
  const auto comparison = Compare(mixed, repeated);
  EXPECT_EQ(Name(comparison->keys[0].change), "slower") << "one side's runs have two environments";
  EXPECT_THAT(comparison->environments.differing, testing::ElementsAre("rocm"));
}

TEST(Compare, the_fastest_candidate_counts_and_a_key_in_common_is_needed) {
  const auto comparison =
      Compare({{}, {At("1", {100}, "a"), At("1", {50}, "b")}}, {{}, {At("1", {51}, "c")}});
  EXPECT_EQ(comparison->keys[0].base->kernel, "b");
  EXPECT_EQ(comparison->Count(Change::kSlower), 1U);
  EXPECT_EQ(comparison->speedups.size(), 1U);
  EXPECT_EQ(ErrorCode(Compare({{}, {At("1", {9})}}, {{}, {At("2", {9})}})), "no_common_key");
  EXPECT_EQ(Compare(TimedRows(), TimedRows()).error().code, "no_common_key");
}

TEST(Compare, lists_by_what_is_asked_and_what_has_no_value_last) {
  const auto comparison =
      Compare({{}, {At("1", {100}), At("2", {100}), At("3", {9}), At("5", {80})}},
              {{}, {At("2", {50}), At("1", {200}), At("4", {9}), At("5", {80})}});
  const auto listed = [&](std::string_view sort, std::optional<Change> change = std::nullopt) {
    KeyChoice choice{.change = change};
    EXPECT_TRUE(ParseOrder(sort, choice).ok());
    std::string ms;
    for (const Compared* it : Chosen(*comparison, choice)) ms += FirstCell(*it);
    return ms;
  };
  EXPECT_EQ(listed("change"), "13425");
  EXPECT_EQ(listed("-change"), "52431");
  EXPECT_EQ(listed("speedup"), "15234");
  EXPECT_EQ(listed("-speedup"), "25134");
  EXPECT_EQ(listed("-head"), "15243");
  EXPECT_EQ(listed("base", Change::kFaster), "2");
  EXPECT_EQ(listed("base", Change::kUnstable), "");
  KeyChoice choice;
  EXPECT_EQ(ParseOrder("--base", choice).error().code, "bad_parameter");
}

TEST(Compare, the_range_of_speedups_is_of_one_change_or_of_all) {
  const auto comparison = Compare({{}, {At("1", {100}), At("2", {100}), At("3", {100})}},
                                  {{}, {At("1", {200}), At("2", {50}), At("3", {25})}});
  const SpeedupRange all = RangeOf(*comparison, std::nullopt);
  EXPECT_EQ(all.keys, 3U);
  EXPECT_DOUBLE_EQ(all.geometric_mean, std::cbrt(0.5 * 2 * 4));
  EXPECT_EQ(RangeOf(*comparison, Change::kFaster).least, 2);
  EXPECT_EQ(RangeOf(*comparison, Change::kFaster).greatest, 4);
  EXPECT_EQ(RangeOf(*comparison, Change::kNotInBase).keys, 0U);
}

TEST(Compare, rows_of_one_candidate_are_its_runs_and_cells_come_back_as_they_went_in) {
  Side side;
  const NamedViews shape = {{"M", "16"}, {"dtype", "a,\"b\""}, {"tag", ""}};
  side.At("gfx942:304", shape, "a", "kernel").runs.push_back(10);
  side.At("gfx942:304", shape, "a", "kernel").runs.push_back(11);
  side.At("gfx942:304", shape, "b", "kernel").runs.push_back(12);
  side.At("gfx950:256", shape, "a", "kernel").runs.push_back(13);
  ASSERT_EQ(side.timings().size(), 3U);
  EXPECT_EQ(side.timings()[0].runs, (std::vector<double>{10, 11}));
  EXPECT_EQ(side.timings()[2].key.shape(),
            (NamedCells{{"M", "16"}, {"dtype", "a,\"b\""}, {"tag", ""}}));
}

TEST(Compare, a_comparison_of_many_keys_takes_little_memory) {
  TimedRows rows;
  for (int m = 0; m < 50'000; ++m)
    rows.rows.push_back(At(std::to_string(m), {10}, "kernel_" + std::to_string(m % 500)));
  const auto comparison = Compare(rows, rows);
  ASSERT_EQ(comparison->keys.size(), 50'000U);
  EXPECT_LT(SizeOf(*comparison), 50'000U * 160);
}

TEST(Settle, takes_the_median_of_runs_that_agree) {
  EXPECT_FALSE(Settle({}));
  EXPECT_EQ(Settle({7})->us, 7);
  EXPECT_EQ(Settle({100, 104, 102})->us, 102);
  EXPECT_FALSE(Settle({100, 106, 102})->stable);
  EXPECT_DOUBLE_EQ(Settle({100, 120, 140, 141, 180})->us, 140.5);
  EXPECT_TRUE(Settle({100, 120, 140, 141, 180})->stable);
  EXPECT_TRUE(Settle({100, 106}, 0.1)->stable);
}

TEST(Means, are_of_ratios) {
  EXPECT_DOUBLE_EQ(GeometricMean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(Median({1, 4, 2, 3}), 2.5);
}

// An environment is a set of named facts. Two environments are equal, different or unknown.

std::string Judged(const Environment& base, const Environment& head) {
  return Text(CompareEnvironments(base, head));
}

TEST(Environment, is_read_from_the_lines_before_a_header_and_differs_by_any_fact) {
  const Environment golden = {{"rocm", "7.2.0"}, {"triton", "3.4.0"}, {"async_copy", "0"}};
  EXPECT_EQ(Judged(golden, golden), "one: base and head have the same facts");
  for (const char* const name : {"rocm", "gfx", "engine", "python", "HIP_ONLINE_TUNING", "host"}) {
    Environment other = golden;
    other[name] = "x";
    EXPECT_EQ(Judged(golden, other), std::string("two: these facts differ: ") + name);
    EXPECT_EQ(Judged(other, golden), std::string("two: these facts differ: ") + name);
  }
  Environment later = golden;
  for (const char* const name : {"env", "captured", "file", "runs", "note"}) later[name] = "x";
  EXPECT_EQ(Judged(golden, later), "one: base and head have the same facts");
  EXPECT_EQ(Judged({}, {}), "unknown: neither side has facts");
  EXPECT_EQ(Judged({{"env", "a"}}, {{"env", "a"}}), "unknown: neither side has facts");
  const Environment who = {{"agent", "tunehub-agent 0.1"}, {"host", "a"}};
  EXPECT_EQ(Judged(who, who), "unknown: neither side has facts");
  EXPECT_EQ(EnvironmentOf("# triton_version: 3.4.0\n# a remark: no fact\n# config: old\nM,us\n"),
            (Environment{{"triton", "3.4.0"}, {"config", "old"}}));
}

TEST(Environment, is_read_from_json_by_one_name_for_each_fact) {
  const auto read =
      Must(ParseEnvironment("golden.json", R"({"env":"golden","captured":"2026-05-06T23:14:49",
        "aiter_commit":"226c2a87b","aiter_branch":"main","triton_version":"3.4.0",
        "rocm_version":"7.2.0","python":"/venv/bin/python","async_copy":0,"tuned":true})"));
  EXPECT_EQ(read, (Environment{{"env", "golden"},
                               {"captured", "2026-05-06T23:14:49"},
                               {"aiter", "226c2a87b"},
                               {"aiter_branch", "main"},
                               {"triton", "3.4.0"},
                               {"rocm", "7.2.0"},
                               {"python", "/venv/bin/python"},
                               {"async_copy", "0"},
                               {"tuned", "true"}}));
}

TEST(Environment, that_is_none_is_refused_with_file_member_and_value) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"{\"triton\":", "x.json: expected JSON: "},
      {"[1]", "x.json: expected a JSON object"},
      {R"({"triton":"3","triton":"4"})", "x.json: has the member triton twice"},
      {R"({"triton":"3","triton_version":"4"})",
       "/triton_version: triton has two values, '3' and '4'"},
      {R"({"packages":{"torch":"2.8"}})", R"(x.json: /packages: {"torch":"2.8"}: expected a text)"},
      {R"({"gfx":["gfx950"]})", R"(x.json: /gfx: ["gfx950"]: expected a text)"},
      {R"({"rocm":null})", "x.json: /rocm: null: expected a text"},
      {R"({"rocm":"7\n2"})",
       R"(x.json: /rocm: "7\n2": expected a text without control characters)"},
      {R"({"a b":"c"})", "x.json: /a b: expected a fact's name"}};
  for (const auto& [json, why] : kRefused) {
    const auto read = ParseEnvironment("x.json", json);
    EXPECT_EQ(ErrorCode(read), "bad_environment") << json;
    EXPECT_THAT(read.error().detail, testing::HasSubstr(why));
  }
}

TEST(Compare, sampled_times_differ_only_beyond_the_interval_of_their_ratio) {
  const auto change = [](double head, double reach) {
    Side before, after;
    before.At("gfx942:304", {{"M", "16"}}, "a", "a").Add(100, 0.01);
    after.At("gfx942:304", {{"M", "16"}}, "a", "a").Add(head, reach);
    return std::string(Name(Compare(before, after)->keys.front().change));
  };
  EXPECT_EQ(change(101.5, 0), "slower") << "a side without samples";
  EXPECT_EQ(change(101.5, 0.01), "same");
  EXPECT_EQ(change(102.5, 0.01), "slower");
  EXPECT_EQ(change(102.5, 0.05), "same");
  EXPECT_EQ(change(98.6, 0), "faster");
  EXPECT_EQ(change(98.6, 0.01), "same");
}

TEST(Compare, below_the_floor_nothing_is_lost) {
  const auto comparison = Compare(TimedRows{{}, {At("16", {3}), At("32", {3}), At("64", {5})}},
                                  TimedRows{{}, {At("16", {9}), At("32", {}), At("64", {})}});
  EXPECT_EQ(comparison->Count(Change::kBelowFloor), 2U);
  EXPECT_EQ(comparison->lost(), 1U) << "only M = 64 is above the floor";
}

}  // namespace
}  // namespace tunehub::analysis
