// The reader maps every past and present header of AITER's tables to the family's current columns.
#include <gtest/gtest.h>

#include "core/table/detect.h"
#include "core/table/merge.h"
#include "core/table/table_writer.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

struct HeaderCase {
  const char* name;
  const char* family;
  const char* header;
  const char* row;
  const char* line;  // the served line
};

void PrintTo(const HeaderCase& it, std::ostream* out) {
  *out << it.name;
}

#define FMOE_KEY "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
#define FMOE_STAGES \
  "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us"
#define FMOE_SHAPE                                                                         \
  "64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,QuantType.No," \
  "1,0,32,0,10,k1,0.0%,5,k2,0.3%,15"

const HeaderCase kHeaders[] = {
    {"G0", "a4w4_blockscale", "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0.0",
     "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0.0"},
    {"G1", "a8w8_blockscale",
     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx942,304,1,1280,8192,ck,7,0,4.8294,k,4.0,2000.0,0.0",
     "gfx942,304,1,1280,8192,ck,7,0,4.8294,k,4.0,2000.0,0.0"},
    {"G2", "a8w8", "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx942,80,1,1280,8192,torch.int8,34,0,20.5611,k,1.02,510.5,0.0",
     "gfx942,80,1,1280,8192,torch.int8,34,0,20.5611,k,1.02,510.5,0.0"},
    {"G3", "a8w8_bpreshuffle",
     "gfx,cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx942,80,128,128,5120,torch.int8,asm,0,8,7.3189,k,22.92,183.56,0.182",
     "gfx942,80,128,128,5120,torch.int8,asm,0,8,7.3189,k,22.92,183.56,0.182"},
    {"G4", "batched_bf16", "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx942,304,16,1,1280,8192,78,0,111.9323,k,3.0,3000.45,0.0",
     "gfx942,304,16,1,1280,8192,78,0,111.9323,k,3.0,3000.45,0.0"},
    {"G4new", "batched_a8w8", "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,errRatio,tflops,bw",
     "gfx942,304,16,1,1280,8192,78,0,111.9323,k,0.01,3.0,3000.45",
     "gfx942,304,16,1,1280,8192,78,0,111.9323,k,3.0,3000.45,0.01"},
    {"G5", "bf16",
     "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,"
     "kernelName,err_ratio,tflops,bw",
     "gfx950,256,64,256,5120,False,torch.bfloat16,torch.float32,False,False,asm,5,13,7.9191,k,"
     "0.0,21.19,417.92",
     "gfx950,256,64,256,5120,False,torch.bfloat16,torch.float32,False,False,asm,5,13,7.9191,k,"
     "0.0,21.19,417.92"},
    {"G6", "batched_a8w8_blockscale_mxscale",
     "gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "gfx950,2,1,1024,4096,opus,311,1,7.8,k,2.2,1076.95,0.0015",
     "gfx950,2,1,1024,4096,opus,311,1,7.8,k,2.2,1076.95,0.0015"},
    {"G7", "chunk_gdn_h",
     "gfx,cu_num,dtype,K,V,BT,H,Hg,is_varlen,use_h0,store_fs,snapshot_bf16,state_bf16,T_flat,N,"
     "total_chunks,max_seq_chunks,BV,us",
     "gfx942,80,torch.bfloat16,128,128,64,32,16,False,True,False,True,False,2048,1,32,32,64,147.9",
     "gfx942,80,torch.bfloat16,128,128,64,32,16,False,True,False,True,False,2048,1,32,32,64,147.9"},
    {"F1", "fmoe", "cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,tflops,bw,_tag",
     "256," FMOE_SHAPE ",0,5.2,26.4,", "gfx950,256," FMOE_SHAPE ",0,0,0,5.2,26.4,"},
    {"F2", "fmoe", "cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,tflops,bw,xbf16,_tag",
     "80," FMOE_SHAPE ",0,5.2,26.4,1,", "gfx942,80," FMOE_SHAPE ",0,1,0,5.2,26.4,"},
    {"F3", "fmoe", "cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,xbf16,tflops,bw,_tag",
     "304," FMOE_SHAPE ",1,1,5.2,26.4,x", "gfx942,304," FMOE_SHAPE ",1,1,0,5.2,26.4,x"},
    {"F4", "fmoe", "cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,xbf16,flat,tflops,bw,_tag",
     "256," FMOE_SHAPE ",0,0,3,5.2,26.4,", "gfx950,256," FMOE_SHAPE ",0,0,3,5.2,26.4,"},
    {"F5", "fmoe", "gfx,cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,xbf16,flat,tflops,bw",
     "gfx950,256," FMOE_SHAPE ",0,0,2,5.2,26.4", "gfx950,256," FMOE_SHAPE ",0,0,2,5.2,26.4,"},
    {"F6", "fmoe", "gfx,cu_num," FMOE_KEY FMOE_STAGES ",run_1stage,xbf16,flat,tflops,bw,_tag",
     "gfx950,256," FMOE_SHAPE ",0,0,2,5.2,26.4,t", "gfx950,256," FMOE_SHAPE ",0,0,2,5.2,26.4,t"},
    {"FH", "fhmoe",
     "gfx,cu_num,token,model_dim,inter_dim,expert,topk,shared_expert_id,act_type,dtype,q_dtype_a,"
     "q_dtype_w,q_type,use_g1u1,doweight_stage1,hidden_pad,intermediate_pad,gate_mode,block_m,"
     "ksplit,kernelName1,kernelName2",
     "gfx950,256,1,7168,384,385,7,384,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
     "QuantType.per_1x32,1,0,0,0,GateMode.INTERLEAVE,32,0,k1,k2",
     "gfx950,256,1,7168,384,385,7,384,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
     "QuantType.per_1x32,1,0,0,0,GateMode.INTERLEAVE,32,0,k1,k2"},
    {"GR", "grouped_fmoe",
     "gfx,cu_num," FMOE_KEY
     "use_g1u1,doweight_stage1,max_m,tile_m,tile_n,tile_k,tile_m2,tile_n2,tile_k2,m_warp,n_warp,"
     "m_warp2,n_warp2,num_buffers,num_buffer_stage2,split_k1,split_k2,grouped_persistent_m,"
     "persistent_workers,wave_specialized_tdm,tdm_as_in_prologue,cluster_n,waves_per_tensor_tdm,"
     "next_stage_prefetch,kernelName1,kernelName2,us,tflops,bw",
     "gfx1250,256,64,4096,2048,256,-1,ActivationType.Swiglu,torch.bfloat16,torch.int8,torch.int8,"
     "QuantType.No,1,0,384,16,512,128,16,512,128,1,4,1,4,2,2,1,1,0,,1,0,-1,-1,0,k1,k2,468.05,0,0",
     // The file lacks gate_mode, so its cell is the empty cell before max_m.
     "gfx1250,256,64,4096,2048,256,-1,ActivationType.Swiglu,torch.bfloat16,torch.int8,torch.int8,"
     "QuantType.No,1,0,,384,16,512,128,16,512,128,1,4,1,4,2,2,1,1,0,,1,0,-1,-1,0,k1,k2,468.05,0,0"},
    // Headers of older AITER trees.
    {"v0_1_2_gemm", "a8w8", "cu_num,M,N,K,kernelId,splitK,us,kernelName",
     "80,1,1280,8192,34,0,20.5,k", "gfx942,80,1,1280,8192,torch.int8,34,0,20.5,k,,,"},
    {"v0_1_5_a8w8", "a8w8", "cu_num,M,N,K,kernelId,splitK,us,kernelName,errRatio,tflops,bw",
     "304,1,1280,8192,34,0,20.5,k,0.01,1.5,500",
     "gfx942,304,1,1280,8192,torch.int8,34,0,20.5,k,1.5,500,0.01"},
    {"v0_1_3_fmoe", "fmoe",
     "cu_num," FMOE_KEY
     "use_g1u1,doweight_stage1,block_m,us1,kernelName1,err1,us2,kernelName2,err2,total_us",
     "80,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,QuantType.No,"
     "1,0,32,10,k1,0.00%,5,Null,3.80%,15",
     "gfx942,80,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
     "QuantType.No,1,0,32,0,10,k1,0.00%,5,Null,3.80%,15,0,0,0,,,"},
    {"v0_1_6_bf16", "bf16",
     "M,N,K,bias,dtype,outdtype,scaleAB,cu_num,libtype,solidx,splitK,soltimes,kernelName,"
     "err_ratio,tflops,bw",
     "64,256,5120,True,torch.bfloat16,torch.bfloat16,False,80,asm,5,1,7.9,k,0.0,21.1,417.9",
     "gfx942,80,64,256,5120,True,torch.bfloat16,torch.bfloat16,False,False,asm,5,1,7.9,k,0.0,"
     "21.1,417.9"},
    {"v0_1_7_bpreshuffle", "a8w8_bpreshuffle",
     "cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "80,128,128,5120,torch.int8,0,8,7.3,ck_k,22.9,183.5,0.1",
     "gfx942,80,128,128,5120,torch.int8,ck,0,8,7.3,ck_k,22.9,183.5,0.1"},
    {"v0_1_9_blockscale", "a8w8_blockscale",
     "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio",
     "304,1,1280,8192,7,0,4.8,k,4.0,2000.0,0.0",
     "gfx942,304,1,1280,8192,ck,7,0,4.8,k,4.0,2000.0,0.0"},
};

class TableHeaders : public testing::TestWithParam<HeaderCase> {};

TEST_P(TableHeaders, are_read_by_name) {
  const HeaderCase& it = GetParam();
  const TunedTable table =
      test::ReadTable(it.family, std::string(it.header) + "\n" + it.row + "\n");
  EXPECT_EQ(test::Rejections(table), "");
  EXPECT_EQ(test::Lines(table), std::string(it.line) + "\n");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].inferred_gfx, !std::string_view(it.header).starts_with("gfx"));
}

INSTANTIATE_TEST_SUITE_P(Aiter, TableHeaders, testing::ValuesIn(kHeaders),
                         [](const auto& it) { return std::string(it.param.name); });

constexpr char kG0[] = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio";

TEST(TableHeader, the_oldest_gemm_tables_lack_the_cu_count_and_are_refused) {
  EXPECT_EQ(test::Refusal("a8w8", "M,N,K,kernelId,splitK,us,kernelName\n1,2,3,4,0,5,k\n"),
            "missing_column: line 1: the column 'cu_num' of a8w8 is missing");
}

// AITER's merge keeps an unknown column, but no lookup reads it.
TEST(TableHeader, an_unknown_column_is_left_out_with_a_warning_that_names_it) {
  const TunedTable table = test::ReadTable(
      "a4w4_blockscale",
      "gfx,cu_num,M,colour,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio,colour2\n"
      "gfx950,256,16,red,1280,8192,1,0,9.5,a4w4_blockscale_x,1.5,2.5,0.0,blue\n");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].line, "gfx950,256,16,1280,8192,1,0,9.5,a4w4_blockscale_x,1.5,2.5,0.0");
  EXPECT_EQ(test::Warnings(table), "1 colour unknown_column; 1 colour2 unknown_column");
}

TEST(TableHeader, what_is_wrong_is_named_with_the_line_of_the_file) {
  EXPECT_EQ(test::Refusal("a4w4_blockscale", "gfx,cu_num,m,N,K,kernelId,splitK,us\n"),
            "missing_column: line 1: the column 'M' of a4w4_blockscale is missing; the column 'm' "
            "is unknown\nexpected " +
                std::string(kG0))
      << "names are case-sensitive";
  EXPECT_EQ(test::Refusal("a4w4_blockscale", "gfx,cu_num,M,N,M\n"),
            "duplicate_column: line 1: the column 'M' occurs twice");
  EXPECT_EQ(test::Refusal("fmoe", "us,total_us\n"),
            "duplicate_column: line 1: the column 'total_us' occurs twice");
  EXPECT_EQ(test::Refusal("a4w4_blockscale", "# by hand\n\ngfx,cu_num,M,N\n"),
            "missing_column: line 3: the column 'K' of a4w4_blockscale is missing");
  EXPECT_EQ(test::Refusal("batched_a8w8_blockscale_mxscale", "b,m,n,k,libtype,splitK,us\n"),
            "missing_column: line 1: the column 'gfx' of batched_a8w8_blockscale_mxscale is "
            "missing");
}

TEST(TableHeader, leftovers_of_pandas_and_of_old_tuners_are_ignored) {
  const TunedTable table =
      test::ReadTable("a4w4_blockscale", "Unnamed: 0," + std::string(kG0) + ",Unnamed: 13\n" +
                                             "0,gfx950,256,1,512,4096,21,0,5.4,k,1,2,0.0,x\n");
  EXPECT_EQ(test::Lines(table), "gfx950,256,1,512,4096,21,0,5.4,k,1,2,0.0\n");
}

// Columns that newer tables added to the shape key, and cells with older spellings.

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
                  "' is not a column of a4w4_blockscale. Without this column, rows of different "
                  "operations would become one row");
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
