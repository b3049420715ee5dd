#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/shapes/padded_m.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamily;

using Shape = std::vector<std::string>;

TEST(LookupShape, a_padded_m_keeps_small_powers_and_goes_up_to_the_gl0_grid) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const std::vector<std::pair<int, int>> expected = {
      {1, 1},     {2, 2},       {3, 16},      {4, 4},         {5, 16},
      {8, 8},     {9, 16},      {16, 16},     {17, 32},       {256, 256},
      {257, 288}, {1025, 1088}, {4097, 4224}, {80000, 80000}, {80001, 80128}};
  for (const auto& [m, padded] : expected) EXPECT_EQ(LookupM(family, m), padded) << m;
}

TEST(LookupShape, tokens_go_up_to_their_tier) {
  for (const char* name : {"fmoe", "fhmoe", "grouped_fmoe"}) {
    const Family& family = ShippedFamily(name);
    EXPECT_EQ(LookupM(family, 3), 4);
    EXPECT_EQ(LookupM(family, 16384), 16384);
    EXPECT_EQ(LookupM(family, 16385), 32768);
    EXPECT_EQ(LookupM(family, 40000), 32768);
    EXPECT_EQ(LookupM(family, 131072), 131072);
  }
}

TEST(LookupShape, an_exact_lookup_keeps_every_value) {
  EXPECT_EQ(LookupM(ShippedFamily("batched_a8w8"), 37), 37);
  EXPECT_EQ(LookupShape(ShippedFamily("batched_bf16"), {"16", "37", "1280", "8192"}),
            (Shape{"16", "37", "1280", "8192"}));
}

TEST(LookupShape, only_the_padded_column_of_a_shape_changes) {
  EXPECT_EQ(LookupShape(ShippedFamily("a8w8"), {"37", "37", "37", "torch.int8"}),
            (Shape{"48", "37", "37", "torch.int8"}));
  EXPECT_EQ(LookupShape(ShippedFamily("batched_a8w8_blockscale_mxscale"), {"5", "5", "5", "5"}),
            (Shape{"5", "16", "5", "5"}));
  EXPECT_EQ(LookupShape(ShippedFamily("a8w8"), {"many", "37", "37", "torch.int8"})[0], "many");
}

// The grid said again, point by point: the multiples of each step up to the step's end.
std::set<std::int64_t> Gl0Grid(std::int64_t limit) {
  std::set<std::int64_t> grid;
  std::int64_t m = 0;
  while (m < limit) {
    m += m < 256 ? 16 : m < 1024 ? 32 : m < 4096 ? 64 : 128;
    if (m <= limit) grid.insert(m);
  }
  return grid;
}

TEST(PaddedM, gl0_rounds_up_to_the_next_point_of_its_grid) {
  const std::set<std::int64_t> grid = Gl0Grid(80000);
  std::set<std::int64_t> reached;
  for (std::int64_t m = 1; m <= 80000; ++m) {
    ASSERT_EQ(PaddedMGl0(m), *grid.lower_bound(m)) << m;
    reached.insert(PaddedMGl0(m));
  }
  EXPECT_EQ(reached.size(), 681U);
}

TEST(PaddedM, gl1_is_the_next_power_of_two) {
  std::int64_t power = 1;
  for (std::int64_t m = 1; m <= 8192; ++m) {
    if (m > power) power *= 2;
    ASSERT_EQ(PaddedMGl1(m, 8192), power) << m;
    ASSERT_EQ(PaddedMGl1(m, 4096), power) << m;
  }
  EXPECT_EQ(PaddedMGl1(0, 8192), 1);
  EXPECT_EQ(PaddedMGl1(-5, 8192), 1);
}

TEST(PaddedM, Gl1StopsAt8192WhereBothMAndNAreLarge) {
  EXPECT_EQ(PaddedMGl1(8193, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(100000, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(8193, 4096), 16384);
  EXPECT_EQ(PaddedMGl1(8192, 4097), 8192);
  EXPECT_EQ(PaddedMGl1(100000, 4096), 131072);
}

TEST(PaddedM, no_value_overflows) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(PaddedMGl1(largest, 1), std::int64_t{1} << 62);
  EXPECT_EQ(TokenTier(largest), 131072);
}

TEST(PaddedM, tokens_have_a_tier_per_power_of_two_then_two_wide_ones) {
  EXPECT_EQ(TokenTier(1), 1);
  EXPECT_EQ(TokenTier(3), 4);
  EXPECT_EQ(TokenTier(1000), 1024);
  EXPECT_EQ(TokenTier(16385), 32768);
  EXPECT_EQ(TokenTier(32767), 32768);
  EXPECT_EQ(TokenTier(32768), 32768);
  EXPECT_EQ(TokenTier(131071), 32768);
  EXPECT_EQ(TokenTier(131072), 131072);
  EXPECT_EQ(TokenTier(1000000), 131072);
}

}  // namespace
}  // namespace tunehub::core
