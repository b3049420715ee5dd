#include "core/analysis/coverage.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "build_info.h"
#include "core/analysis/model_coverage.h"
#include "core/shapes/known_models.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/lookup.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::analysis {
namespace {

using test::ShapeOf;
using test::ShippedFamily;

TEST(MBucket, is_a_power_of_two) {
  EXPECT_EQ(BucketAt(BucketOf(1)), (MBucket{1, 1}));
  EXPECT_EQ(BucketAt(BucketOf(2)), (MBucket{2, 2}));
  EXPECT_EQ(BucketAt(BucketOf(3)), (MBucket{3, 4}));
  EXPECT_EQ(BucketAt(BucketOf(4)), (MBucket{3, 4}));
  EXPECT_EQ(BucketAt(BucketOf(9)), (MBucket{9, 16}));
  EXPECT_EQ(BucketAt(BucketOf(16384)), (MBucket{8193, 16384}));
  for (std::int64_t m = 1; m < 5000; ++m) {
    const MBucket bucket = BucketAt(BucketOf(m));
    ASSERT_TRUE(bucket.from <= m && m <= bucket.to) << m;
  }
}

std::string Row(int m, int n, const std::string& us = "900.0") {
  return "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + ",5120,ck,0,0," + us + ",k" +
         std::to_string(m) + ",0,0,0.0\n";
}

// A table, and its coverage of shapes (M, N, count) on gfx942:304.
class Covered {
 public:
  struct Missed {
    int m, n;
    std::int64_t count;
  };
  Covered(const std::string& rows, const std::vector<Missed>& missed)
      : read_(test::ReadTable("a8w8_blockscale", test::kBlockscaleHeader + rows)),
        table_(Family(), test::ServedRows(read_)) {
    for (const Missed& it : missed) {
      shapes_.push_back(
          {ShapeOf(Family(),
                   {{"M", std::to_string(it.m)}, {"N", std::to_string(it.n)}, {"K", "5120"}}),
           it.count});
    }
    coverage = Cover(table_, "gfx942", 304, shapes_);
  }
  static const core::Family& Family() { return ShippedFamily("a8w8_blockscale"); }
  std::string Csv(std::span<const State> states = {}) const {
    return CoverageCsv(table_, shapes_, coverage, states);
  }

  Coverage coverage;

 private:
  core::TunedTable read_;
  lookup::Table table_;
  std::vector<core::ShapeDemand> shapes_;
};

TEST(Coverage, every_shape_is_in_one_state) {
  const Covered it(Row(100, 1280) + Row(112, 1280) + Row(128, 1280) + Row(16, 1280, "0"),
                   {{100, 1280, 0},
                    {101, 1280, 0},
                    {90, 1280, 0},
                    {10, 1280, 0},
                    {300, 1280, 0},
                    {100, 2560, 0}});
  EXPECT_EQ(it.Csv(),
            "M,N,K,state,demand,step,row_M,us,kernelName\n"
            "100,1280,5120,exact,0,exact,100,900.0,k100\n"
            "101,1280,5120,gl0,0,gl0,112,900.0,k112\n"
            "90,1280,5120,gl1,0,gl1,128,900.0,k128\n"
            "10,1280,5120,unmeasured,0,gl0,16,0,k16\n"
            "300,1280,5120,missing,0,default,,,\n"
            "100,2560,5120,missing,0,default,,,\n");
  EXPECT_EQ(it.coverage.totals().shapes(), 6);
  EXPECT_EQ(it.coverage.totals().covered(), 3);
  constexpr State kMissingOnly[] = {State::kMissing};
  EXPECT_EQ(it.Csv(kMissingOnly),
            "M,N,K,state,demand,step,row_M,us,kernelName\n"
            "300,1280,5120,missing,0,default,,,\n"
            "100,2560,5120,missing,0,default,,,\n");
}

TEST(Coverage, what_runs_untuned_is_a_state_of_its_own_and_covers_nothing) {
  const auto read =
      test::ReadTable("a8w8_blockscale", test::kBlockscaleHeader + Row(100, 1280) + Row(112, 1280));
  std::vector<lookup::TableRow> rows = test::ServedRows(read);
  for (lookup::TableRow& row : rows) row.baseline = true;
  const lookup::Table table(Covered::Family(), std::move(rows));
  const std::vector<core::ShapeDemand> shapes = {
      {ShapeOf(Covered::Family(), "M=100 N=1280 K=5120"), 0},
      {ShapeOf(Covered::Family(), "M=101 N=1280 K=5120"), 0}};
  const Coverage coverage = Cover(table, "gfx942", 304, shapes);
  EXPECT_EQ(coverage.shapes[0].state, State::kBaseline);
  EXPECT_EQ(coverage.shapes[1].state, State::kBaseline) << "a padded M finds the row";
  EXPECT_EQ(coverage.totals().shapes(), 2);
  EXPECT_EQ(coverage.totals().covered(), 0);
  EXPECT_EQ(coverage.share.exact(), 0);
}

TEST(Coverage, the_headline_is_the_mean_of_the_buckets_not_of_the_shapes) {
  // The bucket of M = 1 is covered. In bucket 257-512, two of four shapes are covered.
  const Covered it(Row(1, 1280) + Row(288, 1280) + Row(320, 1280),
                   {{1, 1280, 0}, {288, 1280, 0}, {320, 1280, 0}, {352, 1280, 0}, {384, 1280, 0}});
  EXPECT_FALSE(it.coverage.share.covered_by_demand());
  EXPECT_DOUBLE_EQ(it.coverage.share.covered(), 0.75);
  EXPECT_DOUBLE_EQ(it.coverage.share.exact(), 0.75);
  EXPECT_EQ(it.coverage.buckets, (std::vector<MBucket>{{1, 1}, {257, 512}}));
}

TEST(Coverage, demand_weighs_the_buckets_in_a_number_of_its_own) {
  const Covered it(Row(1, 1280), {{1, 1280, 30}, {288, 1280, 10}, {320, 1280, 0}});
  EXPECT_DOUBLE_EQ(*it.coverage.share.covered_by_demand(), 0.75);
  EXPECT_DOUBLE_EQ(it.coverage.share.covered(), 0.5);
  EXPECT_EQ(it.coverage.totals().demand, 40);
}

TEST(Coverage, a_shape_that_is_asked_for_twice_counts_once_with_its_demand_added_up) {
  const Covered it(Row(1, 1280), {{1, 1280, 3}, {1, 1280, 4}});
  EXPECT_EQ(it.coverage.totals().shapes(), 1);
  EXPECT_EQ(it.coverage.totals().demand, 7);
}

TEST(Coverage, nothing_asked_is_nothing_covered) {
  const Covered it(Row(1, 1280), {});
  EXPECT_EQ(it.coverage.totals().shapes(), 0);
  EXPECT_EQ(it.coverage.share.covered(), 0);
}

TEST(Coverage, the_json_adds_up) {
  const Covered it(Row(100, 1280) + Row(112, 1280),
                   {{100, 1280, 0}, {101, 1280, 0}, {101, 2560, 5}, {1, 2560, 0}});
  const auto json = CoverageJson(Covered::Family(), it.coverage, {{{"1280", "5120"}, {"qkv", 12}}});
  EXPECT_EQ(json.at("pairs").dump(),
            R"([{"N":1280,"K":5120,"layer":"qkv","flops_per_token":12.0},{"N":2560,"K":5120}])");
  EXPECT_EQ(json.at("buckets").dump(), R"([{"from":1,"to":1},{"from":65,"to":128}])");
  EXPECT_EQ(json.at("cells").size(), 3U);
  EXPECT_EQ(json.at("cells")[1].dump(),
            R"({"bucket":1,"pair":0,"shapes":2,"exact":1,"padded":1,"gl0":1,"gl1":0,"tier":0,)"
            R"("nearest":0,"baseline":0,"unmeasured":0,"missing":0,"demand":0})");
  int shapes = 0, missing = 0;
  for (const auto& cell : json.at("cells")) {
    shapes += cell.at("shapes").get<int>();
    missing += cell.at("missing").get<int>();
  }
  EXPECT_EQ(json.at("totals").at("shapes"), shapes);
  EXPECT_EQ(json.at("totals").at("missing"), missing);
  EXPECT_DOUBLE_EQ(json.at("headline").at("covered").get<double>(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(json.at("headline").at("exact").get<double>(), 1.0 / 6);
  EXPECT_DOUBLE_EQ(json.at("headline").at("covered_by_demand").get<double>(), 2.0 / 3);
}

core::Model Shipped(const std::string& name) {
  return *core::LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", name);
}

TEST(ModelReads, name_the_table_of_each_layer_and_why_a_layer_has_none) {
  const auto engines = test::ShippedEngineReads();
  const auto reads = [&](const char* name, std::size_t engine, const char* gfx, const char* rocm,
                         std::int64_t tp = 8) {
    const core::Model model = Shipped(name);
    ModelQuestion asked{model, tp};
    asked.options.gfx = gfx;
    asked.options = core::ServedBy(asked.options, &engines.at(engine), rocm);
    const auto found = ReadsOf(asked, test::ShippedFamilies(), [&](const core::Family& it) {
      return HasPrecision(test::ShippedTargets(), it, gfx);
    });
    if (!found.ok()) return found.error().code;
    std::string text;
    for (const core::Family* it : found->tables) text += it->name + " ";
    for (const UnreadLayer& it : found->unread) text += "-" + it.layer + " ";
    return text;
  };
  EXPECT_EQ(reads("Qwen/Qwen3-VL-32B-Instruct-FP8", 0, "gfx942", ""), "a8w8_blockscale -lm_head ");
  EXPECT_EQ(reads("qwen3-8b", 0, "gfx942", ""), "-qkv -o -gate_up -down -lm_head ");
  EXPECT_EQ(reads("qwen3-8b", 1, "gfx942", ""), "bf16 ");
  EXPECT_EQ(reads("Qwen/Qwen3-32B-FP8", 1, "gfx950", ""), "a8w8_blockscale_bpreshuffle bf16 ");
  EXPECT_EQ(reads("Qwen/Qwen3-32B-FP8", 1, "gfx950", "7.2"), "a8w8_blockscale_bpreshuffle bf16 ");
  EXPECT_EQ(reads("Qwen/Qwen3-32B-FP8", 1, "gfx950", "7.1.1"), "a8w8_blockscale bf16 ");
  EXPECT_EQ(reads("Qwen/Qwen3-32B-FP8", 1, "gfx942", "7.2"), "a8w8_blockscale bf16 ");
  EXPECT_EQ(reads("RedHatAI/Qwen3-32B-FP8-dynamic", 0, "gfx942", ""), "a8w8_bpreshuffle -lm_head ");
  EXPECT_EQ(reads("RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8", 0, "gfx942", ""),
            "a8w8 -lm_head ");
  // gfx942 has no fp4.
  EXPECT_EQ(reads("amd/Llama-3.3-70B-Instruct-MXFP4-Preview", 0, "gfx950", ""),
            "a4w4_blockscale -lm_head ");
  EXPECT_EQ(reads("amd/Llama-3.3-70B-Instruct-MXFP4-Preview", 0, "gfx942", ""),
            "-qkv -o -gate_up -down -lm_head ");
  EXPECT_EQ(reads("glm-4.7-flash", 0, "gfx942", "", 8), "bad_tp")
      << "8 ranks cannot split 20 heads";
  EXPECT_EQ(reads("Qwen/Qwen3-235B-A22B-FP8", 0, "gfx942", ""),
            "a8w8_blockscale fmoe -router -lm_head ");
}

TEST(BucketShare, tables_of_one_model_are_one_number_of_all_their_shapes) {
  BucketShare share, other;
  share.Add(0, State::kExact, 0);
  share.Add(0, State::kMissing, 0);
  share.Add(9, State::kGl0, 0);
  other.Add(0, State::kExact, 4);
  other.Add(0, State::kExact, 0);
  share.Add(other);
  EXPECT_EQ(share.totals().shapes(), 5);
  EXPECT_EQ(share.buckets(), 2u);
  EXPECT_DOUBLE_EQ(share.covered(), (0.75 + 1) / 2);
  EXPECT_DOUBLE_EQ(share.exact(), 0.75 / 2);
  EXPECT_DOUBLE_EQ(*share.covered_by_demand(), 0.75);
}

TEST(ShapesOfModel, is_small_m_and_the_fine_grid_to_16384) {
  const core::Model model = Shipped("qwen3-vl-32b");
  const auto shapes = [&](std::int64_t tp, const char* grid, std::int64_t max_m) {
    return ShapesOfModel({model, tp, grid, max_m, {}}, test::ShippedTargets(), Covered::Family(),
                         "gfx942");
  };
  EXPECT_EQ(Must(shapes(8, "gl0", kDefaultMaxM)).size(), 4U * (4 + 184));
  EXPECT_EQ(shapes(8, "1,70000", 16)->size(), 8U);
  EXPECT_EQ(ErrorCode(shapes(7, "gl0", 16)), "bad_tp");
  EXPECT_EQ(ErrorCode(shapes(8, "0", 16)), "bad_grid");
  EXPECT_EQ(ErrorCode(shapes(8, "pow2", 0)), "bad_grid");
}

// The model's real table: AITER tuned the whole fine grid, except M of 1, 2, 4 and 8.
TEST(Coverage, of_the_table_that_was_tuned_for_the_model) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  const core::Family& family = Covered::Family();
  std::vector<core::TunedTable> tables;
  std::vector<lookup::TableRow> rows;
  for (const auto& file : test::AiterFilesOf(family)) {
    tables.push_back(test::ReadTable(family.name, test::ReadText(file)));
  }
  for (const auto& table : tables) {
    const auto part = test::ServedRows(table);
    rows.insert(rows.end(), part.begin(), part.end());
  }
  const lookup::Table table(family, rows);
  const core::Model model = Shipped("qwen3-vl-32b");
  const auto shapes =
      ShapesOfModel({model, 8, "gl0", kDefaultMaxM, {}}, test::ShippedTargets(), family, "gfx942");
  const Coverage coverage = Cover(table, "gfx942", 304, *shapes);
  const auto of = [&](State state) {
    return coverage.totals().of.at(static_cast<std::size_t>(state));
  };
  EXPECT_EQ(of(State::kExact), 4 * 184);
  EXPECT_EQ(of(State::kGl0), 4 * 4) << "lookups pad 1, 2, 4 and 8 to 16";
  EXPECT_EQ(coverage.totals().covered(), coverage.totals().shapes());
  EXPECT_DOUBLE_EQ(coverage.share.covered(), 1);
  const Coverage other = Cover(table, "gfx942", 80, *shapes);
  EXPECT_EQ(other.totals().covered(), 0);
  // The checkpoint of that model. vLLM finds a row for every shape of its block-scaled layers.
  const core::Model stored = Shipped("Qwen/Qwen3-VL-32B-Instruct-FP8");
  const auto engines = test::ShippedEngineReads();
  ModelQuestion asked{stored, 8};
  asked.options.gfx = "gfx942";
  asked.options = core::ServedBy(asked.options, &engines.front(), "");
  const auto part = Must(CoverTable(asked, test::ShippedTargets(), table, {"gfx942", 304}));
  EXPECT_EQ(part.coverage.totals().covered(), 752);
  EXPECT_EQ(part.coverage.totals().shapes(), 752);
  const auto json = CoverageJson(family, coverage, LayersOf({model, 8}, family));
  EXPECT_EQ(json.at("pairs")[0].at("layer"), "qkv");
}

}  // namespace
}  // namespace tunehub::analysis
