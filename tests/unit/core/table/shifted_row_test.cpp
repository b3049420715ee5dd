// A row that lacks its last field and one whose columns are shifted have the same number of fields
// (28 of 29 in AITER's fmoe tables): the first is read, and so is the second where one field alone
// can be the missing one; otherwise it is kept as evidence only.
#include <gtest/gtest.h>

#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

const std::string kF6 =
    "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
    "run_1stage,xbf16,flat,tflops,bw,_tag\n";
const std::string kShape =
    "gfx950,256,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
    "QuantType.No,1,0,32,0,10,k1,0.0%,5,k2,0.3%,15,";

TunedTable ReadShifted(const std::string& end) {
  return test::ReadTable("fmoe", kF6 + kShape + end + "\n");
}

// The standing's code and the served line, or what was rejected.
std::string Told(const std::string& end) {
  const TunedTable table = ReadShifted(end);
  if (table.rows.empty()) return "rejected " + test::Rejections(table);
  const Row& row = table.rows[0];
  return std::string(Name(row.standing)) + " " + row.reason.substr(0, row.reason.find(':')) +
         " ..." + row.line.substr(row.line.find("15,") + 3);
}

TEST(ShiftedRow, a_missing_last_tag_is_an_empty_one) {
  EXPECT_EQ(Told("0,0,2,5.2,26.4,"), "measured  ...0,0,2,5.2,26.4,");
  EXPECT_EQ(Told("0,0,2,5.2,26.4"), "measured  ...0,0,2,5.2,26.4,");
  EXPECT_EQ(Told("0,0,0,0,0"), "measured  ...0,0,0,0,0,");
  EXPECT_EQ(ReadShifted("0,0,2,5.2,26.4").rows[0].key, ReadShifted("0,0,2,5.2,26.4,").rows[0].key);
}

// As eight rows of a DeepSeek V4 table are: `flat` is missing, AITER takes tflops for it, and reads
// it of one-stage rows only.
TEST(ShiftedRow, a_two_stage_row_that_lacks_flat_is_read_as_aiter_reads_it) {
  EXPECT_EQ(Told("0,0,49.07,12274.59,"), "measured  ...0,0,0,49.07,12274.59,");
  EXPECT_EQ(Told("0,1,5.2,26.4,"), "measured  ...0,1,0,5.2,26.4,");
  const TunedTable table = ReadShifted("0,0,49.07,12274.59,");
  EXPECT_EQ(test::Warnings(table), "2 flat realigned");
  EXPECT_EQ(table.rows[0].us, 15);
  EXPECT_EQ(table.rows[0].candidate, ReadShifted("0,0,0,5.2,26.4,").rows[0].candidate);
}

TEST(ShiftedRow, a_field_that_may_be_any_of_several_is_quarantined_in_its_text) {
  EXPECT_EQ(Told("1,0,5.2,26.4,"), "quarantined shifted_columns ...1,0,5.2,26.4,")
      << "of a one-stage row AITER reads flat, and finds 5.2 there";
  EXPECT_EQ(Told("0,0,5,26,"), "quarantined shifted_columns ...0,0,5,26,")
      << "flat, tflops or bw: all fit";
  EXPECT_EQ(Told("0,0,5.2,26.4,flydsl_fallback"),
            "quarantined shifted_columns ...0,0,5.2,26.4,flydsl_fallback")
      << "AITER reads no tag there";
  EXPECT_EQ(Told("0,0,5,26,flydsl_fallback"),
            "quarantined shifted_columns ...0,0,5,26,flydsl_fallback")
      << "a tag is no bandwidth";
  EXPECT_EQ(Told("0,fast,26.4,9.5,"), "quarantined shifted_columns ...0,fast,26.4,9.5,")
      << "no gap makes it fit";
}

TEST(ShiftedRow, its_key_is_known) {
  const Row shifted = ReadShifted("1,0,5.2,26.4,").rows[0];
  EXPECT_EQ(shifted.key, ReadShifted("0,0,2,5.2,26.4,").rows[0].key);
  EXPECT_EQ(shifted.order, ReadShifted("0,0,2,5.2,26.4,").rows[0].order);
  EXPECT_EQ(shifted.gfx, "gfx950");
  EXPECT_EQ(shifted.cu_num, 256);
}

TEST(ShiftedRow, one_whose_key_does_not_fit_is_rejected) {
  const TunedTable table =
      test::ReadTable("fmoe", kF6 +
                                  "gfx950,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,"
                                  "torch.int8,torch.int8,QuantType.No,1,0,32,0,10,k1,0.0%,5,k2,"
                                  "0.3%,15,0,0,2,5.2,26.4,\n");
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(test::Rejections(table), "2 topk not_an_integer");
}

TEST(ShiftedRow, a_line_break_in_it_rejects_it) {
  EXPECT_EQ(Told("0,0,5.2,26.4,\"a\nb\""), "rejected 2  bad_text")
      << "its text is stored as one line";
}

TEST(ShiftedRow, two_missing_fields_are_a_ragged_row) {
  EXPECT_EQ(Told("0,0,5.2,"), "rejected 2  ragged_row");
  EXPECT_EQ(Told("0,0,2,5.2,26.4,,"), "rejected 2  ragged_row");
}

TEST(ShiftedRow, only_a_table_that_ends_in_the_tag_may_lack_a_field) {
  const std::string header =
      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const TunedTable gemm =
      test::ReadTable("a8w8_blockscale", header + "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1\n");
  EXPECT_EQ(test::Rejections(gemm), "2  ragged_row");
}

}  // namespace
}  // namespace tunehub::core
