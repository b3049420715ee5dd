#include <gtest/gtest.h>

#include "core/shapes/shape.h"
#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::CellList;

// Returns the warnings as "column code", so that tests compare whole lists.
std::vector<std::string> Codes(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  std::vector<std::string> codes;
  for (const RowIssue& warning :
       CheckReach(family, test::ShippedTargets(), test::CellsOf(family, cells))) {
    codes.push_back(warning.column + " " + warning.code);
  }
  return codes;
}

std::string FirstDetail(std::string_view family_name, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  const auto warnings = CheckReach(family, test::ShippedTargets(), test::CellsOf(family, cells));
  return warnings.empty() ? "no warning" : warnings.front().detail;
}

using List = std::vector<std::string>;

TEST(Reach, what_a_lookup_finds_and_what_is_not_judged_has_no_warning) {
  EXPECT_EQ(Codes("a8w8_blockscale", "gfx=gfx942 cu_num=304 M=48 N=4096 K=512"), List{});
  EXPECT_EQ(
      Codes("fmoe",
            "gfx=gfx950 cu_num=256 token=64 act_type=ActivationType.Silu dtype=torch.bfloat16 "
            "q_dtype_a=torch.float8_e4m3fn q_dtype_w=torch.float4_e2m1fn_x2"),
      List{});
  for (const char* const gfx : {"gfx90a", "gfx1201", "sm_90", "cpu-x86-64-v4"}) {
    EXPECT_EQ(Codes("a8w8", {{"gfx", gfx}, {"M", "1"}, {"N", "1"}}), List{}) << gfx;
  }
}

TEST(Reach, a_gfx_or_a_type_that_is_never_asked_for_is_named) {
  const CellList other = "gfx=gfx950 cu_num=256 M=16 N=512";
  EXPECT_EQ(Codes("a16w8_mxfp8_asm", other), List{"gfx gfx_never_asked"});
  EXPECT_EQ(FirstDetail("a16w8_mxfp8_asm", other),
            "AITER looks up rows of a16w8_mxfp8_asm only on gfx942");
  EXPECT_EQ(Codes("a8w8", "gfx=gfx950 cu_num=256 M=1 N=1 q_dtype_w=torch.float8_e4m3fnuz"),
            List{"q_dtype_w fp8_of_other_arch"});
  EXPECT_EQ(Codes("a8w8", "gfx=gfx942 cu_num=80 M=1 N=1 q_dtype_w=torch.float8_e4m3fn"),
            List{"q_dtype_w fp8_of_other_arch"});
  EXPECT_EQ(
      Codes("fmoe",
            "gfx=gfx1250 token=1 q_dtype_a=torch.float8_e4m3fnuz q_dtype_w=torch.float8_e4m3fnuz"),
      (List{"q_dtype_a fp8_of_other_arch", "q_dtype_w fp8_of_other_arch"}));
  EXPECT_EQ(FirstDetail("a8w8", "gfx=gfx950 M=1 N=1 q_dtype_w=torch.float8_e4m3fnuz"),
            "torch.float8_e4m3fnuz is the wrong fp8 for gfx950; expected torch.float8_e4m3fn");
  EXPECT_EQ(Codes("a8w8", "gfx=gfx9999 cu_num=7 M=1 N=1 q_dtype_w=torch.float8_e4m3fnuz"),
            List{"gfx unknown_gfx"});
}

TEST(Reach, an_m_off_the_grid_is_named_where_there_is_one) {
  for (const char* const family : {"fmoe", "fhmoe", "grouped_fmoe"}) {
    EXPECT_EQ(Codes(family, "gfx=gfx950 token=3"), List{"token token_no_tier"});
    EXPECT_EQ(Codes(family, "gfx=gfx950 token=65536"), List{"token token_no_tier"});
    EXPECT_EQ(Codes(family, "gfx=gfx950 token=131072"), List{});
  }
  EXPECT_EQ(FirstDetail("fmoe", "gfx=gfx950 token=100"),
            "100 is not a tier of tokens; AITER looks up 128 instead");
  EXPECT_EQ(Codes("a8w8_blockscale", "gfx=gfx942 M=3 N=512"), List{"M m_off_grid"});
  for (const char* const m : {"1", "2", "4", "8"}) {  // AITER finds powers of two by gl1
    EXPECT_EQ(Codes("bf16", {{"gfx", "gfx942"}, {"M", m}, {"N", "512"}}), List{});
  }
  EXPECT_EQ(Codes("batched_a8w8_blockscale_mxscale", "gfx=gfx950 m=17 n=1"), List{"m m_off_grid"});
  EXPECT_EQ(FirstDetail("a4w4_blockscale", "gfx=gfx950 M=300 N=512"),
            "only a lookup of exactly M=300 finds the row, because this M is not on AITER's fine "
            "or coarse grid (the next M there: 320 and 512)");
  EXPECT_EQ(Codes("batched_a8w8", "gfx=gfx942 M=3 N=512"), List{});
  EXPECT_EQ(Codes("chunk_gdn_h", "gfx=gfx942 total_chunks=3 N=3"), List{});
}

TEST(Reach, ACuNumThatNoProductOfTheArchHas) {
  EXPECT_EQ(Codes("a8w8_blockscale", "gfx=gfx942 cu_num=256 M=1 N=1"),
            List{"cu_num no_such_cu_num"});
  // Whole products, their partitions, and the CU counts that AITER calls an MI308.
  for (const char* const cu_num : {"304", "228", "80", "38", "76", "152", "20", "40", "64"}) {
    EXPECT_EQ(
        Codes("a8w8_blockscale", {{"gfx", "gfx942"}, {"cu_num", cu_num}, {"M", "1"}, {"N", "1"}}),
        List{});
  }
  for (const char* const cu_num : {"256", "128", "64", "32"}) {
    EXPECT_EQ(
        Codes("a8w8_blockscale", {{"gfx", "gfx950"}, {"cu_num", cu_num}, {"M", "1"}, {"N", "1"}}),
        List{});
  }
  EXPECT_EQ(FirstDetail("a8w8_blockscale", "gfx=gfx950 cu_num=304 M=1 N=1"),
            "no known GPU with gfx950 has 304 CUs (MI350X 256, MI355X 256, MI350P 128)");
}

}  // namespace
}  // namespace tunehub::core
