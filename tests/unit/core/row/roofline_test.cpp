#include "core/row/roofline.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::CellList;

const Devices& Known() {
  static const Targets kTargets = test::ShippedTargets();
  return kTargets.devices();
}

std::optional<Roofline> On(std::string_view product, std::string_view family_name,
                           const CellList& given) {
  const Family& family = test::ShippedFamily(family_name);
  const Device* const device = Known().Find(product);
  return RooflineOf(family, test::CellsOf(family, given), Known(), device->gfx, device->cu_num,
                    device);
}

TEST(Roofline, is_the_slower_of_memory_and_matrix_units) {
  // One row of activations: the weights have to come, 5120 * 1280 bytes and some.
  const auto small = On("MI300X", "a8w8_blockscale", "M=1 N=1280 K=5120");
  EXPECT_TRUE(small->by_memory);
  EXPECT_DOUBLE_EQ(small->us, (5120.0 + 1280 * 5120 + 2 * 1280) / 5300e3);
  const auto large = On("MI300X", "a8w8_blockscale", "M=16384 N=8192 K=8192");
  EXPECT_FALSE(large->by_memory);
  EXPECT_DOUBLE_EQ(large->us, 2.0 * 16384 * 8192 * 8192 / 2614.9e6);
  EXPECT_DOUBLE_EQ(large->Share(2 * large->us), 0.5);
}

TEST(Roofline, is_of_the_product_asked_for_or_else_of_the_slowest) {
  const CellList given = "M=1 N=1280 K=5120";
  const Family& family = test::ShippedFamily("a8w8_blockscale");
  const auto any = RooflineOf(family, test::CellsOf(family, given), Known(), "gfx942", 304);
  EXPECT_EQ(any->product->product, "MI300X") << "5.3 TB/s, and MI325X has 6";
  EXPECT_LT(On("MI325X", "a8w8_blockscale", given)->us, any->us);
  EXPECT_EQ(On("MI325X", "a8w8_blockscale", given)->product->product, "MI325X");
}

TEST(Roofline, is_nothing_where_a_figure_is_not_known) {
  const CellList given = "M=1 N=1280 K=5120";
  EXPECT_FALSE(On("MI308X", "a8w8_blockscale", given)) << "nobody says what its memory does";
  EXPECT_FALSE(On("MI300X", "a4w4_blockscale", given)) << "it has no fp4";
  EXPECT_TRUE(On("MI355X", "a4w4_blockscale", given));
  const Family& family = test::ShippedFamily("a8w8_blockscale");
  const Cells cells = test::CellsOf(family, given);
  EXPECT_FALSE(RooflineOf(family, cells, Known(), "cpu-x86-64-v4", 8));
  EXPECT_FALSE(On("MI300X", "a8w8_blockscale", {{"M", ""}, {"N", "1280"}, {"K", "5120"}}));
}

std::optional<Work> LeastExperts(const std::string& token, const std::string& weights) {
  const Family& family = test::ShippedFamily("fmoe");
  return LeastWork(family, test::CellsOf(family,
                                         "model_dim=7168 inter_dim=256 expert=256 topk=8 "
                                         "dtype=torch.bfloat16 q_dtype_a=torch.float8_e4m3fn "
                                         "use_g1u1=1 token=" +
                                             token + " q_dtype_w=" + weights));
}

TEST(Roofline, reads_the_weights_of_the_experts_that_tokens_reach) {
  const double one = 7168.0 * 3 * 256;
  EXPECT_EQ(LeastExperts("2", "torch.float8_e4m3fn")->bytes, 2 * 7168 * 3.0 + 16 * one);
  EXPECT_EQ(LeastExperts("64", "torch.float8_e4m3fn")->bytes, 64 * 7168 * 3.0 + 256 * one);
  EXPECT_EQ(LeastExperts("64", "torch.float4_e2m1fn_x2")->bytes, 64 * 7168 * 3.0 + 128 * one)
      << "two of them in a byte";
  EXPECT_EQ(LeastExperts("64", "torch.float8_e4m3fn")->flops, 2.0 * 64 * 8 * one);
}

TEST(Roofline, takes_the_type_that_the_row_names) {
  const Family& family = test::ShippedFamily("bf16");
  const auto bytes = [&](std::string_view dtype) {
    return LeastWork(family,
                     test::CellsOf(family, {{"M", "2"}, {"N", "3"}, {"K", "5"}, {"dtype", dtype}}))
        ->bytes;
  };
  EXPECT_EQ(bytes("torch.bfloat16"), 20 + 30 + 12);
  EXPECT_EQ(bytes("torch.float8_e4m3fnuz"), 10 + 15 + 12);
}

}  // namespace
}  // namespace tunehub::core
