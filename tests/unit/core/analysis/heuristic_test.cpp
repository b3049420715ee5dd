// Heuristics as files, and the seven arms: what AITER's maintainers propose for untuned shapes.
#include "core/analysis/heuristic.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "build_info.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::analysis {
namespace {

const core::Family& Blockscale() {
  return test::ShippedFamily("a8w8_blockscale");
}

Heuristic SevenArms() {
  auto heuristic = LoadHeuristic(TUNEHUB_SOURCE_DIR "/configs/heuristics", Blockscale());
  if (!heuristic.ok() || !*heuristic) throw std::runtime_error("the seven arms are not there");
  return **std::move(heuristic);
}

std::string IdFor(const Heuristic& heuristic, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::string texts[] = {std::to_string(m), std::to_string(n), std::to_string(k)};
  const core::Cells cells = test::CellsOf(
      Blockscale(), {{"gfx", "gfx942"}, {"M", texts[0]}, {"N", texts[1]}, {"K", texts[2]}});
  std::vector<double> numbers;
  Features(Blockscale()).Of(cells, 304, numbers);
  return heuristic.choices[heuristic.Choose(numbers)].cells[Blockscale().Find("kernelId")];
}

// The arms as they are written in the proposal.
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
  std::map<std::string, std::string> names;  // by id
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
  EXPECT_THAT(error("{"), testing::StartsWith("bad_heuristic: tree.json: is no JSON"));
  EXPECT_THAT(error(R"({"family": "a8w8", "tree": {}})"),
              testing::HasSubstr("/family: is 'a8w8', not a8w8_blockscale"));
  EXPECT_THAT(error(R"({"family": "a8w8_blockscale"})"), testing::HasSubstr("/tree: is missing"));
  EXPECT_THAT(error(with(R"({"feature": "Q", "at_most": 1, "yes": {}, "no": {}})")),
              testing::HasSubstr("/tree/feature: 'Q' is no feature of a8w8_blockscale; there are "
                                 "M, N, K, MN, MK, NK, waves_16x64"));
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
  EXPECT_THAT(error(with(deep)), testing::HasSubstr("lies deeper than 64 levels"));
  EXPECT_THAT(error(with("[]")), testing::HasSubstr("/tree: must be an object"));
}

}  // namespace
}  // namespace tunehub::analysis
