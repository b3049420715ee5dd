// Match rates for each model, and a comparison of default, heuristic and tuned.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "build_info.h"
#include "core/analysis/score.h"
#include "core/analysis/speedups.h"
#include "core/analysis/statistics.h"
#include "core/shapes/known_models.h"
#include "core/shapes/products.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::analysis {
namespace {

SpeedupKey TimedKey(double default_us, double heuristic_us, double tuned_us) {
  SpeedupKey key;
  key.default_us = default_us;
  key.heuristic_us = heuristic_us;
  key.tuned_us = tuned_us;
  return key;
}

TEST(ThreeWayComparison, counts_a_key_where_all_three_were_measured) {
  const SpeedupKey whole = TimedKey(40, 20, 10), other = TimedKey(30, 15, 15),
                   without = TimedKey(kNotMeasured, 20, 10), alone = TimedKey(90, kNotMeasured, 1);
  const auto json = ToJson(SpeedupKeys{&whole, &without, &other, &alone}).at("three_way");
  EXPECT_EQ(json.at("keys"), 2);
  EXPECT_EQ(json.at("heuristic_over_default"), 2);
  EXPECT_EQ(json.at("tuned_over_default"), 2.8284);
  EXPECT_EQ(json.at("tuned_over_heuristic"), 1.4142);
  EXPECT_EQ(ToJson(SpeedupKeys{&alone}).at("three_way"), nlohmann::json({{"keys", 0}}));
}

// Each of the model's sizes at M = 16 and 32. For each size, the score's choice is right at one M.
TEST(ModelScore, counts_models_of_equal_sizes_once) {
  const core::Family& family = test::ShippedFamily("a8w8_blockscale");
  const auto model = Must(core::LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", "qwen3-32b"));
  core::Model alias = model;
  alias.name = "an alias";
  const auto sizes = Must(core::Projections(model, 8));
  std::vector<std::string> lines;
  for (const core::Projection& it : sizes) {
    for (const char* m : {"16", "32"}) {
      lines.push_back("gfx942,304," + std::string(m) + "," + std::to_string(it.n) + "," +
                      std::to_string(it.k) + ",ck,1,0,9,kernel_" + m + ",,,0");
    }
  }
  std::vector<SampleRow> rows;
  for (const std::string& line : lines) rows.push_back({line, 304, 9});
  const Samples samples = MakeSamples(family, rows);
  const Score score = ScoreOf(samples, samples.choices.front());
  const auto tallies = ByModel(samples, score, {model, alias});
  ASSERT_EQ(tallies.size(), 1U);
  EXPECT_EQ(tallies[0].models, (std::vector<std::string>{"qwen3-32b", "an alias"}));
  EXPECT_EQ(tallies[0].tp, 8);
  EXPECT_EQ(tallies[0].tally.rows, 2 * sizes.size());
  EXPECT_EQ(tallies[0].tally.matches, sizes.size());
}

}  // namespace
}  // namespace tunehub::analysis
