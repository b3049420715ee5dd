#include "core/shapes/engine_reads.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "core/shapes/shape.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

TEST(EngineReads, name_families_that_there_are_and_take_the_products_so) {
  for (const EngineReads& engine : test::ShippedEngineReads()) {
    for (const ReadRule& rule : engine.rules) {
      const Family* const family = test::ShippedFamilies().Find(rule.family);
      ASSERT_NE(family, nullptr) << rule.family;
      for (const std::string& scheme : rule.schemes) {
        EXPECT_TRUE(std::ranges::any_of(family->products,
                                        [&](const ProductRule& it) {
                                          return it.of == Name(rule.of) &&
                                                 std::ranges::find(it.schemes, scheme) !=
                                                     it.schemes.end();
                                        }))
            << engine.name << " " << rule.family << " " << scheme;
      }
    }
  }
}

TEST(EngineReads, find_a_rule_by_product_scheme_device_and_version) {
  EXPECT_THAT(VersionNumbers("0.1.16.post3"), testing::ElementsAre(0, 1, 16));
  EXPECT_THAT(VersionNumbers("7.10"), testing::ElementsAre(7, 10));
  EXPECT_THAT(VersionNumbers("new"), testing::IsEmpty());
  EXPECT_TRUE(IsRocmVersion("7.2.1"));
  for (const char* none : {"", "7.", ".7", "7.2rc", "7.2.post1"}) EXPECT_FALSE(IsRocmVersion(none));
  const auto engines = test::ShippedEngineReads();
  ASSERT_EQ(engines.front().name, "vllm");
  const EngineReads& sglang = engines.at(1);
  const auto reads = [&](const char* scheme, const char* gfx, const char* rocm) {
    const ReadRule* const rule = sglang.RuleFor(ProductKind::kDense, scheme, gfx, rocm);
    return rule == nullptr ? "none" : rule->family;
  };
  EXPECT_EQ(reads("fp8_block", "gfx950", ""), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.2.1"), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.10"), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.1"), "a8w8_blockscale");
  EXPECT_EQ(reads("fp8_block", "gfx942", "7.2"), "a8w8_blockscale");
  EXPECT_EQ(reads("fp8", "gfx942", ""), "a8w8_bpreshuffle");
  EXPECT_EQ(reads("int4", "gfx942", ""), "none");
  EXPECT_EQ(engines.front().RuleFor(ProductKind::kDense, "bf16", "gfx942", ""), nullptr);
  EXPECT_THAT(sglang.SchemesOf("a8w8", "gfx942", ""), testing::ElementsAre("int8"));
  EXPECT_THAT(sglang.SchemesOf("a8w8_blockscale_bpreshuffle", "gfx942", ""), testing::IsEmpty());
  EXPECT_THAT(sglang.SchemesOf("a8w8_blockscale", "gfx950", "7.2"), testing::IsEmpty());
}

TEST(EngineReads, refuse_what_is_no_rule_with_its_place) {
  const auto said = [](const char* rule) {
    const auto read = ParseEngineReads(
        "e.json", std::string(R"({"engines":[{"name":"e","title":"E","source":"s","reads":[)") +
                      rule + "]}]}");
    return read.ok() ? "" : read.error().code + " " + read.error().detail;
  };
  EXPECT_EQ(said(R"({"of":"dense","family":"a8w8"})"), "");
  EXPECT_THAT(
      said(R"({"of":"sparse","family":"a8w8"})"),
      testing::AllOf(testing::HasSubstr("bad_engines e.json"),
                     testing::HasSubstr("/engines/0/reads/0/of"), testing::HasSubstr("'sparse'")));
  EXPECT_THAT(said(R"({"of":"dense"})"), testing::HasSubstr("/family: is missing"));
  EXPECT_THAT(said(R"({"of":"dense","family":"a8w8","rocm_from":"new"})"),
              testing::HasSubstr("'new': expected a version"));
  EXPECT_THAT(said(R"({"of":"dense","family":"a8w8","scheme":"fp8"})"),
              testing::HasSubstr("scheme"));
}

using test::ShippedFamily;

using Shape = std::vector<std::string>;

TEST(LookupShape, pads_m_or_tokens_and_nothing_else) {
  const Family& padded_family = ShippedFamily("a8w8_blockscale");
  const std::vector<std::pair<int, int>> expected = {
      {1, 1}, {2, 2}, {3, 16}, {4, 4}, {5, 16}, {8, 8}, {9, 16}, {257, 288}, {80001, 80128}};
  for (const auto& [m, padded] : expected) EXPECT_EQ(LookupM(padded_family, m), padded) << m;
  for (const char* name : {"fmoe", "fhmoe", "grouped_fmoe"}) {
    const Family& family = ShippedFamily(name);
    EXPECT_EQ(LookupM(family, 3), 4);
    EXPECT_EQ(LookupM(family, 16384), 16384);
    EXPECT_EQ(LookupM(family, 16385), 32768);
    EXPECT_EQ(LookupM(family, 40000), 32768);
    EXPECT_EQ(LookupM(family, 131071), 32768);
    EXPECT_EQ(LookupM(family, 131072), 131072);
    EXPECT_EQ(LookupM(family, 1000000), 131072);
  }
  EXPECT_EQ(LookupM(ShippedFamily("batched_a8w8"), 37), 37);
  EXPECT_EQ(LookupShape(ShippedFamily("batched_bf16"), {"16", "37", "1280", "8192"}),
            (Shape{"16", "37", "1280", "8192"}));
  EXPECT_EQ(LookupShape(ShippedFamily("a8w8"), {"37", "37", "37", "torch.int8"}),
            (Shape{"48", "37", "37", "torch.int8"}));
  EXPECT_EQ(LookupShape(ShippedFamily("batched_a8w8_blockscale_mxscale"), {"5", "5", "5", "5"}),
            (Shape{"5", "16", "5", "5"}));
  EXPECT_EQ(LookupShape(ShippedFamily("a8w8"), {"many", "37", "37", "torch.int8"})[0], "many");
}

TEST(LookupShape, is_one_rule_for_the_cells_of_an_untuned_row_and_of_all_columns) {
  const Family& family = ShippedFamily("a8w8");
  FamilyShape shape;
  shape.cells.resize(family.columns.size());
  shape.cells[family.Find("M")] = shape.cells[family.Find("N")] = "37";
  EXPECT_EQ(LookupShape(family, shape).cells[family.Find("M")], "48");
  EXPECT_EQ(LookupShape(family, shape).cells[family.Find("N")], "37");
  shape.cells[family.Find("M")] = "many";
  EXPECT_EQ(LookupShape(family, shape), shape);
}

// Computes the grid in a second way: for each step, the multiples up to the step's end.
std::set<std::int64_t> Gl0Grid(std::int64_t limit) {
  std::set<std::int64_t> grid;
  std::int64_t m = 0;
  while (m < limit) {
    m += m < 256 ? 16 : m < 1024 ? 32 : m < 4096 ? 64 : 128;
    if (m <= limit) grid.insert(m);
  }
  return grid;
}

TEST(PaddedM, gl0_rounds_up_to_its_grid_and_gl1_to_a_power_of_two) {
  const std::set<std::int64_t> grid = Gl0Grid(80000);
  std::set<std::int64_t> reached;
  for (std::int64_t m = 1; m <= 80000; ++m) {
    ASSERT_EQ(PaddedMGl0(m), *grid.lower_bound(m)) << m;
    reached.insert(PaddedMGl0(m));
  }
  EXPECT_EQ(reached.size(), 681U);
  std::int64_t power = 1;
  for (std::int64_t m = 1; m <= 8192; ++m) {
    if (m > power) power *= 2;
    ASSERT_EQ(PaddedMGl1(m, 8192), power) << m;
    ASSERT_EQ(PaddedMGl1(m, 4096), power) << m;
  }
  EXPECT_EQ(PaddedMGl1(0, 8192), 1);
  EXPECT_EQ(PaddedMGl1(-5, 8192), 1);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(PaddedMGl1(largest, 1), std::int64_t{1} << 62);
  EXPECT_EQ(TokenTier(largest), 131072);
}

TEST(PaddedM, Gl1StopsAt8192WhereBothMAndNAreLarge) {
  EXPECT_EQ(PaddedMGl1(8193, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(100000, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(8193, 4096), 16384);
  EXPECT_EQ(PaddedMGl1(8192, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(100000, 4096), 131072);
}

}  // namespace
}  // namespace tunehub::core
