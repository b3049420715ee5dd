// Learns trees from tuned rows that follow known rules.
#include "core/analysis/learn.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "build_info.h"
#include "core/analysis/heuristic.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::analysis {
namespace {

const core::Family& Blockscale() {
  return test::ShippedFamily("a8w8_blockscale");
}

std::string SampleText(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& kernel,
                       const std::string& us = "900", const std::string& id = "1") {
  return "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) +
         ",ck," + id + ",0," + us + "," + kernel + ",,,0\n";
}

Samples SamplesOf(const std::string& rows) {
  const auto table = Must(core::ReadTunedTable(Blockscale(), test::ShippedTargets(),
                                               Blockscale().Header(false) + "\n" + rows));
  std::vector<SampleRow> all;
  for (const core::Row& row : table.rows) {
    all.push_back({row.line, row.cu_num, row.us, row.standing});
  }
  return MakeSamples(Blockscale(), all);
}

// M * N and K decide the kernel, as in the heuristic with seven arms.
std::string KernelFor(std::int64_t m, std::int64_t n, std::int64_t k) {
  if (k == 256) return m * n <= 500'000 ? "narrow" : "wide";
  return m * n <= 300'000 ? "small" : m * n <= 2'000'000 ? "middle" : "large";
}

std::string Ruled(std::size_t rows) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> m(1, 20'000), n(1, 40), k(1, 4);
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t a = m(random), b = n(random) * 128, c = k(random) * 128;
    text += SampleText(a, b, c, KernelFor(a, b, c));
  }
  return text;
}

TEST(Learn, finds_a_rule_that_is_there_and_holds_it_for_sizes_it_has_not_seen) {
  const Samples samples = SamplesOf(Ruled(3000));
  const Learner learner(samples);
  const Heuristic tree = learner.Learn();
  EXPECT_LE(tree.Leaves(), 12U);
  EXPECT_GT(ScoreOf(samples, tree).all.share(), 0.99);
  EXPECT_GT(learner.LeaveOut().all.share(), 0.97);
}

TEST(Learn, is_the_same_tree_for_the_same_rows) {
  const std::string rows = Ruled(1500);
  const Samples first = SamplesOf(rows), second = SamplesOf(rows);
  EXPECT_EQ(ToJson(Learner(first).Learn(), Blockscale()),
            ToJson(Learner(second).Learn(), Blockscale()));
}

TEST(Learn, is_small_even_where_the_rows_follow_no_rule) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> kernel(0, 9);
  std::string rows;
  for (int i = 0; i < 2000; ++i) {
    rows += SampleText(1 + i, 128 * (1 + i % 40), 256, "k" + std::to_string(kernel(random)));
  }
  const Samples samples = SamplesOf(rows);
  EXPECT_LE(Learner(samples).Learn().Leaves(), kMostLeaves);
}

TEST(Learn, weighs_the_ranges_of_m_alike) {
  // Two percent of the rows have a small M. These rows alone need two of the tree's three leaves.
  std::string rows;
  for (std::int64_t m = 1; m <= 16; ++m)
    rows += SampleText(m, 1024, 1024, m <= 8 ? "tiny" : "small");
  for (std::int64_t m = 0; m < 1000; ++m) rows += SampleText(17'000 + m, 1024, 1024, "large");
  const Samples samples = SamplesOf(rows);
  EXPECT_DOUBLE_EQ(ScoreOf(samples, Learner(samples).Learn()).balanced(), 1);
}

TEST(Learn, asks_for_enough_rows_and_says_how_many) {
  const auto status =
      CheckEnough(SamplesOf(SampleText(16, 128, 128, "a") + SampleText(32, 128, 128, "a")));
  EXPECT_EQ(ErrorCode(status), "too_few_rows");
  EXPECT_THAT(status.error().detail,
              testing::HasSubstr("at least 200 tuned shapes with at least 2 different sizes"));
  EXPECT_THAT(status.error().detail, testing::HasSubstr("found 2 shapes with 1"));
  EXPECT_TRUE(CheckEnough(SamplesOf(Ruled(400))).ok());
}

TEST(Samples, take_the_fastest_of_a_key_and_leave_out_what_has_no_time) {
  const Samples samples = SamplesOf(
      SampleText(16, 128, 128, "slow", "50") + SampleText(16, 128, 128, "fast", "40") +
      SampleText(32, 128, 128, "slow", "inf") + SampleText(48, 128, 128, "slow", "60", "9") +
      SampleText(64, 128, 128, "slow", "60", "9"));
  ASSERT_EQ(samples.rows.size(), 3U);
  EXPECT_EQ(samples.without_time, 1U);
  const auto name = [&](const Sample& sample) {
    return samples.choices[sample.choice].cells[Blockscale().Find("kernelName")];
  };
  EXPECT_EQ(name(samples.rows[0]), "fast");
  EXPECT_EQ(samples.rows[0].timed.size(), 2U);
  EXPECT_EQ(name(samples.rows[1]), "slow");
  // If a kernel name has several ids, the learner uses the most frequent id.
  EXPECT_EQ(samples.choices[samples.rows[1].choice].cells[Blockscale().Find("kernelId")], "9");
  EXPECT_EQ(samples.groups, std::vector<std::string>{"N=128 K=128"});
}

TEST(ScoreOf, counts_what_a_wrong_choice_costs_where_it_was_measured) {
  const Samples samples =
      SamplesOf(SampleText(16, 128, 128, "slow", "80") + SampleText(16, 128, 128, "fast", "40") +
                SampleText(300, 128, 128, "fast", "60"));
  const Score score = ScoreOf(samples, samples.choices[0]);  // chooses "slow" for every row
  EXPECT_EQ(score.all.rows, 2U);
  EXPECT_EQ(score.all.matches, 0U);
  EXPECT_EQ(score.timed_rows, 1U);
  EXPECT_DOUBLE_EQ(score.slowdown, 2);
  EXPECT_EQ(score.UpTo(256).rows, 1U);
  EXPECT_EQ(score.UpTo(4096, 256).rows, 1U);
}

// Heuristic files. AITER's maintainers proposed a heuristic with seven arms for untuned shapes.

Heuristic SevenArms() {
  return Must(LoadHeuristic(TUNEHUB_SOURCE_DIR "/configs/heuristics", Blockscale())).value();
}

std::string IdFor(const Heuristic& heuristic, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::string texts[] = {std::to_string(m), std::to_string(n), std::to_string(k)};
  const core::Cells cells = test::CellsOf(
      Blockscale(), {{"gfx", "gfx942"}, {"M", texts[0]}, {"N", texts[1]}, {"K", texts[2]}});
  std::vector<double> numbers;
  Features(Blockscale()).Of(cells, 304, numbers);
  return heuristic.choices[heuristic.Choose(numbers)].cells[Blockscale().Find("kernelId")];
}

// The seven arms, as in the proposal.
int Plain(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t mn = m * n;
  if (k == 128) {
    if (mn <= 307'200) return 6;
    if (mn <= 2'000'000) return 11;
    return 16;
  }
  if (mn <= 307'200) return 8;
  if (mn <= 1'050'000) return 18;
  if (k < 384) return 18;
  if (mn <= 2'500'000) return 2;
  return 0;
}

TEST(SevenArms, are_what_the_proposal_says_for_every_shape) {
  const Heuristic arms = SevenArms();
  std::mt19937 random(20260922);
  std::uniform_int_distribution<std::int64_t> m(1, 4096), n(16, 40'000), k(1, 64);
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t a = m(random), b = n(random), c = k(random) * 128;
    ASSERT_EQ(IdFor(arms, a, b, c), std::to_string(Plain(a, b, c))) << a << " " << b << " " << c;
  }
  for (const std::int64_t edge : {307'200, 1'050'000, 2'000'000, 2'500'000}) {
    for (const std::int64_t c : {128, 256, 384, 5120}) {
      EXPECT_EQ(IdFor(arms, edge, 1, c), std::to_string(Plain(edge, 1, c)));
      EXPECT_EQ(IdFor(arms, edge + 1, 1, c), std::to_string(Plain(edge + 1, 1, c)));
    }
  }
}

TEST(SevenArms, have_the_kernel_names_of_the_real_tables) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  std::map<std::string, std::string> names;  // kernel names by id
  std::string scratch;
  for (const auto& file : test::RealTunedFiles()) {
    if (file.filename().string().find("a8w8_blockscale_tuned_gemm") == std::string::npos) continue;
    const std::string text = test::ReadText(file);
    const auto table = Must(core::ReadTunedTable(Blockscale(), test::ShippedTargets(), text));
    for (const core::Row& row : table.rows) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      if (cells[Blockscale().Find("libtype")] != "ck") continue;
      names[std::string(cells[Blockscale().Find("kernelId")])] =
          cells[Blockscale().Find("kernelName")];
    }
  }
  Heuristic arms = SevenArms();
  arms.choices.push_back(*arms.fallback);
  std::size_t compared = 0;
  for (const Choice& choice : arms.choices) {
    const auto found = names.find(choice.cells[Blockscale().Find("kernelId")]);
    if (found == names.end()) continue;
    EXPECT_EQ(choice.cells[Blockscale().Find("kernelName")], found->second);
    ++compared;
  }
  EXPECT_GE(compared, 6U);
}

TEST(HeuristicFile, comes_back_as_it_was_written) {
  const Heuristic arms = SevenArms();
  const auto again = Must(ParseHeuristic("again", ToJson(arms, Blockscale()).dump(), Blockscale()));
  EXPECT_EQ(ToJson(again, Blockscale()), ToJson(arms, Blockscale()));
  EXPECT_TRUE(again.AppliesTo("gfx942", 80));
  EXPECT_FALSE(again.AppliesTo("gfx950", 256));
}

TEST(HeuristicFile, says_where_it_is_wrong) {
  const auto error = [](const std::string& json) {
    return ErrorText(ParseHeuristic("tree.json", json, Blockscale()));
  };
  const std::string leaf = R"({"choose": {"libtype": "ck", "splitK": "0", "kernelName": "a"}})";
  const auto with = [](const std::string& tree) {
    return R"({"family": "a8w8_blockscale", "tree": )" + tree + "}";
  };
  EXPECT_EQ(error(with(leaf)), "");
  EXPECT_THAT(error("{"), testing::StartsWith("bad_heuristic: tree.json: expected JSON"));
  EXPECT_THAT(error(R"({"family": "a8w8", "tree": {}})"),
              testing::HasSubstr("/family: is 'a8w8'; expected a8w8_blockscale"));
  EXPECT_THAT(error(R"({"family": "a8w8_blockscale"})"), testing::HasSubstr("/tree: is missing"));
  EXPECT_THAT(error(with(R"({"feature": "Q", "at_most": 1, "yes": {}, "no": {}})")),
              testing::HasSubstr("/tree/feature: unknown feature 'Q' of a8w8_blockscale; known "
                                 "features: M, N, K, MN, MK, NK, waves_16x64"));
  EXPECT_THAT(error(with(R"({"feature": "M", "at_most": 1, "yes": )" + leaf + "}")),
              testing::HasSubstr("/tree/no: is missing"));
  EXPECT_THAT(error(with(R"({"choose": {"libtype": "ck", "kernelName": "a"}})")),
              testing::HasSubstr("/tree/choose/splitK: is missing"));
  EXPECT_THAT(error(with(R"({"choose": {"libtype": "ck", "splitK": "x", "kernelName": "a"}})")),
              testing::HasSubstr("/tree/choose/splitK: "));
  std::string deep = leaf;
  for (int i = 0; i < 80; ++i) {
    deep = R"({"feature": "M", "at_most": 1, "yes": )" + leaf + R"(, "no": )" + deep + "}";
  }
  EXPECT_THAT(error(with(deep)), testing::HasSubstr("is nested deeper than 64 levels"));
  EXPECT_THAT(error(with("[]")), testing::HasSubstr("/tree: must be an object"));
}

}  // namespace
}  // namespace tunehub::analysis
