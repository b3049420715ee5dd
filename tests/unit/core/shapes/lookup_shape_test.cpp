#include "core/shapes/lookup_shape.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tunehub::core
