#include "core/table/tuned_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/table/csv.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

const std::string kG1Legacy =
    "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

TEST(TunedTable, rows_keep_their_order_line_and_values) {
  const TunedTable table =
      test::ReadTable("a8w8_blockscale", test::kBlockscaleHeader +
                                             "gfx942,304,16,1280,8192,ck,7,0,4.8294,k,4.0,2.0,"
                                             "0.01\r\n"
                                             "\n"
                                             "gfx942:sramecc+:xnack-, 80.0 ,1,2,3,ck,7.0,0,1.5,"
                                             "tk_mine,,,\n");
  EXPECT_EQ(test::Lines(table),
            "gfx942,304,16,1280,8192,ck,7,0,4.8294,k,4.0,2.0,0.01\n"
            "gfx942,80,1,2,3,ck,7,0,1.5,tk_mine,,,\n");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].us, 4.8294);
  EXPECT_EQ(table.rows[0].error, 0.01);
  EXPECT_EQ(table.rows[0].source_line, 2u);
  EXPECT_FALSE(table.rows[0].own_kernel);
  EXPECT_EQ(table.rows[1].gfx, "gfx942");
  EXPECT_EQ(table.rows[1].cu_num, 80);
  EXPECT_EQ(table.rows[1].source_line, 4u);
  EXPECT_TRUE(std::isnan(table.rows[1].error));
  EXPECT_TRUE(table.rows[1].own_kernel);
}

TEST(TunedTable, one_bad_row_is_reported_and_the_others_are_read) {
  const TunedTable table =
      test::ReadTable("a8w8_blockscale", test::kBlockscaleHeader +
                                             "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1,0.0\n"
                                             "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1\n"
                                             "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1,0.0,x\n"
                                             "gfx942,304,x,2,3,ck,7,0,1.5,k,1,1,0.0\n"
                                             "gfx942,304,0,2,3,ck,7,0,1.5,k,1,1,0.0\n"
                                             "GFX942,304,1,2,3,ck,7,0,1.5,k,1,1,0.0\n"
                                             "gfx942,304,1,2,3,ck,7,0,fast,k,1,1,0.0\n"
                                             "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1,high\n"
                                             "gfx942,304,1,,3,ck,7,0,1.5,k,1,1,0.0\n"
                                             "gfx942,304,4,2,3,ck,7,0,1.5,k,1,1,0.0");
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(test::Rejections(table),
            "3  ragged_row; 4  ragged_row; 5 M not_an_integer; 6 M out_of_range; 7 gfx bad_gfx; "
            "8 us not_a_number; 9 errRatio not_a_number; 10 N empty_key");
  EXPECT_EQ(table.rejected[0].detail, "has 12 fields, but the header has 13");
  EXPECT_EQ(table.rejected[2].detail, "'x': expected an integer");
  EXPECT_EQ(table.rejected[3].detail, "0: expected a number from 1 to 2147483647");
}

// Returns the number of records after the header.
std::size_t RecordsOf(std::string_view csv) {
  CsvReader reader(csv);
  CsvRecord record;
  std::size_t records = 0;
  for (auto more = reader.Next(record); more.ok() && *more; more = reader.Next(record)) ++records;
  return records - 1;
}

TEST(TunedTable, whatever_byte_is_missing_or_the_last_no_row_is_lost_or_made_up) {
  const std::string whole = test::kBlockscaleHeader +
                            "gfx950,256,1,2,3,cktile,-1,3,inf,\"a,b\",0,0,3.8%\r\n\n# a\n,,,\n"
                            "gfx942:xnack-,80.0, 1 ,2,3,0,7,0,-1,FAILED: x,,,\n"
                            "gfx942,304,\xC3\xA9\xE2\x82\xAC,2,3,ck,7,0,1.5,k,1,1,0.0\n";
  std::size_t read = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (std::string csv : {whole.substr(0, at), std::string(whole).erase(at, 1)}) {
      const auto table =
          ReadTunedTable(test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(), csv);
      if (!table.ok()) continue;
      ++read;
      ASSERT_EQ(table->rows.size() + table->rejected.size(), RecordsOf(csv)) << csv;
      for (const RowIssue& it : table->rejected)
        ASSERT_TRUE(CheckTableText(it.detail + "\n" + it.column).ok()) << it.detail;
    }
  }
  EXPECT_GT(read, whole.size() / 2) << "too little was read";
}

TEST(TunedTable, a_missing_target_follows_from_the_cu_count_where_aiter_knows_it) {
  const TunedTable table = test::ReadTable("a8w8_blockscale", kG1Legacy +
                                                                  "256,1,2,3,ck,7,0,1.5,k,,,\n"
                                                                  "80,1,2,3,ck,7,0,1.5,k,,,\n"
                                                                  "304.0,1,2,3,ck,7,0,1.5,k,,,\n"
                                                                  "128,1,2,3,ck,7,0,1.5,k,,,\n"
                                                                  ",1,2,3,ck,7,0,1.5,k,,,\n"
                                                                  "x,1,2,3,ck,7,0,1.5,k,,,\n");
  EXPECT_EQ(test::Lines(table),
            "gfx950,256,1,2,3,ck,7,0,1.5,k,,,\n"
            "gfx942,80,1,2,3,ck,7,0,1.5,k,,,\n"
            "gfx942,304,1,2,3,ck,7,0,1.5,k,,,\n");
  for (const Row& row : table.rows) EXPECT_TRUE(row.inferred_gfx);
  EXPECT_EQ(test::Rejections(table), "5 gfx unknown_gfx; 6 gfx unknown_gfx; 7 gfx unknown_gfx");
  EXPECT_EQ(table.rejected[0].detail,
            "the row has no gfx, and the gfx does not follow from its cu_num '128'");
}

TEST(TunedTable, a_missing_libtype_and_dtype_follow_from_kernel_and_target) {
  EXPECT_EQ(test::Lines(test::ReadTable(
                "a8w8_bpreshuffle",
                "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName\n"
                "gfx942,304,1,2,3,7,0,1.5,a8w8_bpreshuffle_256x128\n"
                "gfx950,256,1,2,3,7,0,1.5,a8w8_bpreshuffle_256x128\n"
                "gfx950:xnack-,256,1,2,3,7,0,1.5,a8w8_bpreshuffle_cktile_256x128\n"
                "gfx950,256,1,2,3,7,0,1.5,flydsl_bpreshuflle_256\n"
                "gfx950,256,1,2,3,7,0,1.5,_ZN5aiter41I8gemm_BpreShuffle_16x128E\n")),
            "gfx942,304,1,2,3,torch.float8_e4m3fnuz,ck,7,0,1.5,a8w8_bpreshuffle_256x128,,,\n"
            "gfx950,256,1,2,3,torch.float8_e4m3fn,ck,7,0,1.5,a8w8_bpreshuffle_256x128,,,\n"
            "gfx950,256,1,2,3,torch.float8_e4m3fn,cktile,7,0,1.5,a8w8_bpreshuffle_cktile_256x128"
            ",,,\n"
            "gfx950,256,1,2,3,torch.float8_e4m3fn,flydsl,7,0,1.5,flydsl_bpreshuflle_256,,,\n"
            "gfx950,256,1,2,3,torch.float8_e4m3fn,asm,7,0,1.5,_ZN5aiter41I8gemm_BpreShuffle_16x"
            "128E,,,\n");
}

std::string StandingOf(const std::string& row, const ReadOptions& options = {}) {
  const TunedTable table =
      test::ReadTable("a8w8_blockscale", test::kBlockscaleHeader + row + "\n", options);
  if (table.rows.size() != 1) return "rejected";
  return std::string(Name(table.rows[0].standing)) + " " +
         table.rows[0].reason.substr(0, table.rows[0].reason.find(':'));
}

TEST(TunedTable, cells_that_were_filled_have_their_defaults_and_the_limit_is_the_runs) {
  for (const char* const gfx : {"", "0", "nan", "None"}) {
    const TunedTable table = test::ReadTable(
        "a8w8_blockscale", test::kBlockscaleHeader + gfx + ",256,1,2,3,ck,7,0,1.5,k,,,\n");
    ASSERT_EQ(table.rows.size(), 1u) << gfx;
    EXPECT_EQ(table.rows[0].gfx, "gfx950");
    EXPECT_TRUE(table.rows[0].inferred_gfx);
  }
  EXPECT_EQ(test::Lines(test::ReadTable(
                "a8w8_blockscale", test::kBlockscaleHeader + "gfx942,304,1,2,3,0,7,0,1.5,k,,,\n")),
            "gfx942,304,1,2,3,ck,7,0,1.5,k,,,\n");
  EXPECT_EQ(
      test::Lines(test::ReadTable(
          "a8w8", "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us\ngfx942,304,1,2,3,0,7,0,1.5\n")),
      "gfx942,304,1,2,3,torch.int8,7,0,1.5,,,,\n");
  const std::string row = "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1,0.3";
  EXPECT_EQ(StandingOf(row), "quarantined error_above_limit");
  EXPECT_EQ(StandingOf(row, {.error_limit = 0.4}), "measured ");
  EXPECT_EQ(StandingOf(row, {.error_limit = 0.1}), "quarantined error_above_limit");
}

TEST(TunedTable, identities_do_not_depend_on_the_files_columns) {
  const Row a = test::ReadTable("a8w8",
                                "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName\n"
                                "gfx942,304,1,2,3,torch.int8,7,0,1.5,k\n")
                    .rows.at(0);
  const Row b =
      test::ReadTable("a8w8", "K,N,M,kernelName,us,splitK,kernelId,cu_num\n3,2,1.0,k,9,0,8,304\n")
          .rows.at(0);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.candidate, b.candidate) << "a candidate's identity does not include the kernel's id";
  const Row plain = test::ReadTable("a8w8", "cu_num,M,N,K,kernelId,splitK,us\n304,1,2,3,7,0,9\n",
                                    {.error_limit = {}, .identify = nullptr})
                        .rows.at(0);
  EXPECT_EQ(plain.key, Hash128{});
  EXPECT_EQ(plain.order, a.order);
}

// The hub writes these cells into a file that PyTorch splits at each line end and comma.
TEST(TunedTable, ARowOfTunableOpsIsOneLineOfItsFile) {
  const std::string head = "engine,device,validators,op,params,solution,us,ms,blas_params\n";
  const std::string set = "PT_VERSION=2.11.0", op = "GemmTunableOp_float_NN",
                    params = "nn_50_33_70_ld_50_70_50", solution = "Gemm_Rocblas_7";
  const auto row = [](std::initializer_list<std::string> cells) {
    std::string line = "rocm";
    for (const std::string& cell : cells) line += ",\"" + cell + "\"";
    return line + "\n";
  };
  const std::string device = "AMD_Instinct_MI300X";
  const std::string good =
      row({device, set, op, params, solution, "12.3", "0.0123", "BLAS_PARAMS: {M: 1, N: 2}"}) +
      row({device, "", op, params, "Default", "", "", ""}) +
      row({"gfx942", set, "GemmTunableOp_c10::complex<float>_TN", "tn_*_64_4096", solution, "", "",
           ""});
  const TunedTable table = test::ReadTable("tunableop", head + good);
  EXPECT_EQ(test::Rejections(table), "");
  EXPECT_EQ(table.rows.size(), 3U);
  const std::string bad =
      row({device, set, "Validator", params, "9.9", "12.3", "", ""}) +
      row({device, set, op, "tn_50_33_70", solution, "12.3", "", ""}) +
      row({device, set, op, params, "Default,0.0001,Gemm", "12.3", "", ""}) +
      row({device, set, op, params, "", "12.3", "", ""}) +
      row({device, set, op, params, solution, "12.3", "0", ""}) +
      row({device, set, op, params, solution, "12.3", "999", ""}) +
      row({device, set, op, params, "Evil", "12.3", "", ""}) +
      row({device, set, op, params, "Gemm_Hipblaslt_99999999999", "12.3", "", ""}) +
      row({device, set, op, params, solution, "12.3", "", "x,y'"}) +
      row({device, "PT_VERSION=2.5.0,x", op, params, solution, "12.3", "", ""}) +
      row({device, "PT_VERSION=", op, params, solution, "12.3", "", ""}) +
      row({device, "HIP_VERSION=6", op, params, solution, "12.3", "", ""}) +
      row({"../../../x", set, op, params, solution, "12.3", "", ""});
  EXPECT_EQ(
      test::Rejections(test::ReadTable("tunableop", head + bad)),
      "2 op bad_line; 3 op bad_line; 4 solution bad_text; 5 solution bad_line; 6 ms bad_line; "
      "7 ms bad_line; 8 solution bad_line; 9 solution bad_line; 10 blas_params bad_line; "
      "11 validators bad_text; 12 validators bad_line; 13 validators bad_line; 14 device bad_text");
}

// Some rows of AITER's fmoe tables have 28 of 29 fields: the last field is missing, or columns are
// shifted. The hub reads a row if the last field, or exactly one field, can be the missing one. It
// stores every other row, but such a row does not compete.

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

// Returns the standing, its code and the served line, or the reason for the rejection.
std::string Told(const std::string& end) {
  const TunedTable table = ReadShifted(end);
  if (table.rows.empty()) return "rejected " + test::Rejections(table);
  const Row& row = table.rows[0];
  return std::string(Name(row.standing)) + " " + row.reason.substr(0, row.reason.find(':')) +
         " ..." + row.line.substr(row.line.find("15,") + 3);
}

TEST(ShiftedRow, is_read_as_aiter_reads_it_where_its_key_fits) {
  EXPECT_EQ(Told("0,0,2,5.2,26.4,"), "measured  ...0,0,2,5.2,26.4,");
  EXPECT_EQ(Told("0,0,2,5.2,26.4"), "measured  ...0,0,2,5.2,26.4,");
  EXPECT_EQ(Told("0,0,0,0,0"), "measured  ...0,0,0,0,0,");
  EXPECT_EQ(ReadShifted("0,0,2,5.2,26.4").rows[0].key, ReadShifted("0,0,2,5.2,26.4,").rows[0].key);
  const Row shifted = ReadShifted("1,0,5.2,26.4,").rows[0];
  EXPECT_EQ(shifted.key, ReadShifted("0,0,2,5.2,26.4,").rows[0].key);
  EXPECT_EQ(shifted.order, ReadShifted("0,0,2,5.2,26.4,").rows[0].order);
  EXPECT_EQ(shifted.gfx, "gfx950");
  EXPECT_EQ(shifted.cu_num, 256);
  const TunedTable table =
      test::ReadTable("fmoe", kF6 +
                                  "gfx950,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,"
                                  "torch.int8,torch.int8,QuantType.No,1,0,32,0,10,k1,0.0%,5,k2,"
                                  "0.3%,15,0,0,2,5.2,26.4,\n");
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(test::Rejections(table), "2 topk not_an_integer");
}

// Eight rows of a DeepSeek V4 table lack `flat`. AITER then reads tflops as flat, but only in
// one-stage rows.
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
      << "in a one-stage row AITER would read 5.2 as flat";
  EXPECT_EQ(Told("0,0,5,26,"), "quarantined shifted_columns ...0,0,5,26,")
      << "flat, tflops or bw could be missing";
  EXPECT_EQ(Told("0,0,5.2,26.4,flydsl_fallback"),
            "quarantined shifted_columns ...0,0,5.2,26.4,flydsl_fallback")
      << "AITER would read no tag in this row";
  EXPECT_EQ(Told("0,0,5,26,flydsl_fallback"),
            "quarantined shifted_columns ...0,0,5,26,flydsl_fallback")
      << "a tag cannot be a bandwidth";
  EXPECT_EQ(Told("0,fast,26.4,9.5,"), "quarantined shifted_columns ...0,fast,26.4,9.5,")
      << "no missing field explains this row";
}

TEST(ShiftedRow, what_is_none_is_rejected) {
  EXPECT_EQ(Told("0,0,5.2,26.4,\"a\nb\""), "rejected 2  bad_text")
      << "the hub stores a row's text as one line";
  EXPECT_EQ(Told("0,0,5.2,"), "rejected 2  ragged_row");
  EXPECT_EQ(Told("0,0,2,5.2,26.4,,"), "rejected 2  ragged_row");
  const TunedTable gemm = test::ReadTable(
      "a8w8_blockscale", test::kBlockscaleHeader + "gfx942,304,1,2,3,ck,7,0,1.5,k,1,1\n");
  EXPECT_EQ(test::Rejections(gemm), "2  ragged_row");
}

}  // namespace
}  // namespace tunehub::core
