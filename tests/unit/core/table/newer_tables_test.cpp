// Rows that stand apart although their other key cells are equal, and cells of older spellings.
#include <gtest/gtest.h>

#include "core/table/detect.h"
#include "core/table/merge.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

const std::string kMxscale =
    "gfx,cu_num,M,N,K,w_scale_block,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
const std::string kMxscaleRow = "gfx950,256,16,768,7168,";

std::string Merge(const std::string& csv) {
  const SourceFile source{"t.csv", csv};
  const auto merged = MergeTables(test::ShippedFamily("a8w8_blockscale_mxscale_bpreshuffle"),
                                  test::ShippedTargets(), {&source, 1});
  return merged.ok() ? merged->Csv() : merged.error().detail;
}

TEST(NewerTables, rows_of_the_batched_path_compete_with_one_another_alone) {
  const std::string plain = kMxscaleRow + "1x32,flydsl,25824,1,7.5,flydsl_mxpsh_a,1,1,0.0\n";
  const std::string bmm = kMxscaleRow + "1x32,flydsl,bmm,4,4.9,flydsl_bmm_mxfp8_a,1,1,0.0\n";
  const std::string slower = kMxscaleRow + "1x32,flydsl,bmm,4,5.9,flydsl_bmm_mxfp8_b,1,1,0.0\n";
  const std::string other = kMxscaleRow + "32x32,flydsl,bmm,4,6.9,flydsl_bmm_mxfp8_b,1,1,0.0\n";
  EXPECT_EQ(Merge(kMxscale + other + slower + bmm + plain), kMxscale + plain + bmm + other);
}

TEST(NewerTables, a_block_that_no_table_has_is_refused_by_its_row) {
  EXPECT_EQ(test::Rejections(test::ReadTable(
                "a8w8_blockscale_mxscale_bpreshuffle",
                kMxscale + kMxscaleRow + "64x64,flydsl,1,1,7.5,flydsl_mxpsh_a,1,1,0.0\n")),
            "2 w_scale_block not_in_enum");
}

TEST(NewerTables, an_older_batched_table_says_a_group_or_nothing) {
  const std::string head = "gfx,b,m,n,k,", tail = "libtype,kernelId,splitK,us,kernelName\n";
  const std::string key = "gfx950,8,16,1024,4096,", run = "flydsl,-1,1,24.2,flydsl_bmm_mxfp8_x";
  const auto block = [&](const std::string& column, const std::string& cell) {
    const TunedTable table = test::ReadTable("batched_a8w8_blockscale_mxscale_bpreshuffle",
                                             head + column + tail + key + cell + run + "\n");
    if (table.rows.empty()) return test::Rejections(table);
    return std::string(table.rows[0].line).substr(key.size(), 7);
  };
  EXPECT_EQ(block("", ""), "128x128");
  EXPECT_EQ(block("groupSize,", "128,"), "128x128");
  EXPECT_EQ(block("groupSize,", "32,"), "32x32,f");
  EXPECT_EQ(block("w_scale_block,", "1x32,"), "1x32,fl");
  EXPECT_EQ(block("groupSize,", "64,"), "2 w_scale_block not_in_enum");
}

TEST(NewerTables, a_column_that_tells_operations_apart_refuses_the_table_that_lacks_it) {
  const std::string rest = "kernelId,splitK,us,kernelName,tflops,bw,errRatio";
  for (const char* const column : {"tp", "comm_mode", "gate_mode", "w_scale_block", "b_intype"}) {
    EXPECT_EQ(test::Refusal("a4w4_blockscale", "gfx,cu_num,M,N,K," + rest + "," + column + "\n"),
              "key_column: line 1: '" + std::string(column) +
                  "' is no column of a4w4_blockscale, and rows that differ in it are of different "
                  "operations: without it they would be merged into one");
  }
  EXPECT_EQ(test::Refusal("a4w4_blockscale", "gfx,cu_num,M,N,K," + rest + ",colour\n"), "");
}

TEST(NewerTables, a_header_that_many_share_is_of_the_family_whose_kernels_its_rows_name) {
  const std::string header = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto named = [&](const std::string& kernel) {
    const auto family =
        DetectFamily(test::ShippedFamilies(), "",
                     header + "gfx950,256,16,768,7168,1,0,9," + kernel + ",1,1,0\n");
    return family.ok() ? (*family)->name : family.error().code;
  };
  EXPECT_EQ(named("f4gemm_x"), "a4w4_blockscale");
  EXPECT_EQ(named("aiter_a6w6_m256n256"), "a6w6_blockscale");
  EXPECT_EQ(named("_ZN5aiter39f4f6gemm_bf16_xE"), "a4w6_asm");
  EXPECT_EQ(named("f6f4gemm_m32"), "a6w4_asm");
  EXPECT_EQ(named("_ZN5aiter35a16w8gemm_bf16_mxfp8_xE"), "a16w8_mxfp8_asm");
  EXPECT_EQ(named("unheard_of"), "a4w4_blockscale");
}

}  // namespace
}  // namespace tunehub::core
