// With AITER_LOG_TUNED_CONFIG=1, AITER logs each found row. `capture` reads these rows.
#include "core/analysis/hits.h"

#include <nlohmann/json.hpp>

#include "agent/capture/commands.h"
#include "core/family/family_misses.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub {
namespace {

using core::MissLog;
using core::MissShape;

MissLog Read(const std::string& text, core::MissLogOptions options = {}) {
  options.hits = true;
  MissLog log(test::ShippedFamilies(), std::move(options));
  log.Feed(text);
  log.Finish();
  return log;
}

// Returns each row as "family gfx cu_num cells... name=value...", with its number of hits.
std::string Told(const std::string& text, const core::MissLogOptions& options = {}) {
  const MissLog log = Read(text, options);
  std::string told;
  for (const MissShape& shape : log.Shapes()) {
    told += shape.family->name + " " + (shape.gfx.empty() ? "-" : shape.gfx) + " " +
            (shape.cu_num.empty() ? "-" : shape.cu_num);
    for (const std::string& cell : shape.cells) told += " " + cell;
    for (const auto& [name, value] : shape.config) told += " " + name + "=" + value;
    told += " x" + std::to_string(shape.count) + "\n";
  }
  if (log.counts().unread > 0) told += "unread " + log.counts().first_unread + "\n";
  return told;
}

const std::string kTables = "/tmp/aiter_configs/";

std::string HitsBlockscale(int m, int padded,
                           const std::string& kernel = "a8w8_blockscale_1x128x128_k",
                           const std::string& file = "a8w8_blockscale_tuned_gemm.csv") {
  return "[aiter] shape is M:" + std::to_string(m) +
         ", N:1536, K:7168, found padded_M: " + std::to_string(padded) +
         ", N:1536, K:7168 is tuned on cu_num = 304 in " + kTables + file + " , kernel name is " +
         kernel + "!\n";
}

TEST(Hits, each_form_of_the_newer_families_names_its_row_and_kernel) {
  const struct {
    std::string line, told;
  } kForms[] = {
      {"A16W8 MXFP8 shape M:13 N:1152 K:5120 uses the M:24 entry of /t/a16w8.csv: "
       "_ZN5aiter35a16w8gemm_xE splitK 4\n",
       "a16w8_mxfp8_asm - - 24 1152 5120 kernelName=_ZN5aiter35a16w8gemm_xE splitK=4 x1\n"},
      {"[aiter] A6W6 shape M:500 N:700 K:200 matched padded config M:512 N:768 K:256 on gfx950/256 "
       "in /t/a.csv: aiter_a6w6_m256\n",
       "a6w6_blockscale gfx950 256 512 768 256 kernelName=aiter_a6w6_m256 x1\n"},
      {"A6W4 shape M:512 N:768 K:256 matched exact config M:512 N:768 K:256 in /t/a.csv: "
       "f6f4gemm_x\n",
       "a6w4_asm - - 512 768 256 kernelName=f6f4gemm_x x1\n"},
      {"A4W6 shape M:512 N:768 K:256 matched exact config M:512 N:768 K:256 in /t/a.csv: "
       "f4f6gemm_x\n",
       "a4w6_asm - - 512 768 256 kernelName=f4f6gemm_x x1\n"},
      {"mxscale bpreshuffle (2d) M:7, N:768, K:7168, w_scale 1x32 is tuned at padded_M 16 on "
       "gfx950: flydsl_mxpsh_x\n",
       "a8w8_blockscale_mxscale_bpreshuffle gfx950 - 16 768 7168 1x32 kernelName=flydsl_mxpsh_x "
       "x1\n"},
      {"shape is B:8, M:7, N:1024, K:4096, w_scale 32x32, exact miss on gfx = gfx950; using "
       "padded_M: 16 config {'libtype': 'opus', 'kernelName': 'opus_x'} from /t/a.csv!\n",
       "batched_a8w8_blockscale_mxscale_bpreshuffle gfx950 - 8 16 1024 4096 32x32 "
       "kernelName=opus_x x1\n"},
      {HitsBlockscale(37, 48, "triton", "a8w8_blockscale_group32_tuned_gemm.csv"),
       "a8w8_blockscale_group32 - 304 48 1536 7168 kernelName=triton x1\n"},
  };
  for (const auto& form : kForms) EXPECT_EQ(Told(form.line), form.told) << form.line;
}

TEST(Hits, each_form_of_a_found_line_names_its_row_and_kernel) {
  const struct {
    std::string line, told;
  } kForms[] = {
      {HitsBlockscale(37, 48),
       "a8w8_blockscale - 304 48 1536 7168 kernelName=a8w8_blockscale_1x128x128_k x1\n"},
      {HitsBlockscale(37, 48, "flydsl_x", "a8w8_blockscale_bpreshuffle_tuned_gemm.csv"),
       "a8w8_blockscale_bpreshuffle - 304 48 1536 7168 kernelName=flydsl_x x1\n"},
      {"shape is M:5, N:9216, K:3072, found padded_M: 8, N:9216, K:3072 is tuned on cu_num = 256 "
       "in /c/a4w4_blockscale_tuned_gemm.csv, kernel name is "
       "_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256E, splitK is 0!\n",
       "a4w4_blockscale - 256 8 9216 3072 "
       "kernelName=_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256E splitK=0 x1\n"},
      {"shape M:5, N:1280, K:8192 q_dtype_w:torch.int8, found padded_M: 8, N:1280, K:8192 is "
       "tuned, in /c/a8w8_tuned_gemm.csv! kernelName is a8w8_rowwise_k (kernelId 7)!\n",
       "a8w8 - - 8 1280 8192 torch.int8 kernelName=a8w8_rowwise_k kernelId=7 x1\n"},
      {"shape M:5, N:1280, K:8192 q_dtype_w:torch.int8, found padded_M: 8, N:1280, K:8192 is "
       "tuned, in /c/a8w8_tuned_gemm.csv!\n",
       "a8w8 - - 8 1280 8192 torch.int8 x1\n"},
      {"shape M:5, N:1280, K:8192 q_dtype_w:torch.float8_e4m3fn, found padded_M: 8, N:1280, K:8192 "
       "is tuned, in /c/a8w8_bpreshuffle_tuned_gemm.csv! libtype is asm! kernelName is _ZN5aiterE "
       "(kernelId 3)!\n",
       "a8w8_bpreshuffle - - 8 1280 8192 torch.float8_e4m3fn libtype=asm kernelName=_ZN5aiterE "
       "kernelId=3 x1\n"},
      {"shape M:5, N:1280, K:8192 q_dtype_w:torch.float8_e4m3fn, found padded_M: 8, N:1280, K:8192 "
       "is tuned, in /c/a8w8_bpreshuffle_tuned_gemm.csv! libtype is ck!\n",
       "a8w8_bpreshuffle - - 8 1280 8192 torch.float8_e4m3fn libtype=ck x1\n"},
      {"shape is M:5, N:512, K:4096 dtype='torch.bfloat16' otype='torch.float32' bias=True, "
       "scaleAB=False, bpreshuffle=False found padded_M: 16, N:512, K:4096 is tuned on cu_num = "
       "256 in /c/bf16_tuned_gemm.csv, libtype is opus, kernel name is opus_gemm\n",
       "bf16 - 256 16 512 4096 True torch.bfloat16 torch.float32 False False libtype=opus "
       "kernelName=opus_gemm x1\n"},
      {"shape is M:5, N:512, K:4096 dtype='torch.bfloat16' otype='torch.float32' bias=False, "
       "scaleAB=False, found padded_M: 16, N:512, K:4096 is tuned on cu_num = 304 in "
       "/c/bf16_tuned_gemm.csv, libtype is hipblaslt, kernel name is \n",
       "bf16 - 304 16 512 4096 False torch.bfloat16 torch.float32 False False libtype=hipblaslt "
       "kernelName= x1\n"},
      {"shape is B:16, M:1, N:512, K:128, is tuned on cu_num = 304 in "
       "/c/a8w8_tuned_batched_gemm.csv, kernel name is a8w8_batched_rowwise_k, splitK is 2!\n",
       "batched_a8w8 - 304 16 1 512 128 kernelName=a8w8_batched_rowwise_k splitK=2 x1\n"},
      {"shape is B:16, M:1, N:512, K:128 dtype is bf16, is tuned on cu_num = 304 in "
       "/c/bf16_tuned_batched_gemm.csv, kernel name is bf16_batched_k, splitK is 0!\n",
       "batched_bf16 - 304 16 1 512 128 kernelName=bf16_batched_k splitK=0 x1\n"},
      {"shape is B:8, M:64, N:4096, K:1024, is tuned on gfx = gfx950 in /c/m.csv, config is "
       "{'libtype': 'opus', 'kernelId': 150, 'splitK': 2, 'kernelName': 'opus_bmm_150'}!\n",
       "batched_a8w8_blockscale_mxscale gfx950 - 8 64 4096 1024 kernelName=opus_bmm_150 x1\n"},
      {"shape is B:8, M:60, N:4096, K:1024, exact miss on gfx = gfx950; using padded_M: 64 config "
       "{'libtype': 'opus', 'kernelId': 150, 'splitK': 2, 'kernelName': 'opus_bmm_150'} from "
       "/c/m.csv!\n",
       "batched_a8w8_blockscale_mxscale gfx950 - 8 64 4096 1024 kernelName=opus_bmm_150 x1\n"},
      {"[aiter] [fused_moe] using 2stage (kernelName1='ck_1', kernelName2='ck_2') for ('gfx950', "
       "256, 64, 7168, 256, 257, 9, <ActivationType.Silu: 0>, 'torch.bfloat16', "
       "'torch.float8_e4m3fn', 'torch.uint32', 'QuantType.per_1x128', True, False) \n",
       "fmoe gfx950 256 64 7168 256 257 9 ActivationType.Silu torch.bfloat16 torch.float8_e4m3fn "
       "torch.int4 QuantType.per_1x128 1 0 kernelName1=ck_1 kernelName2=ck_2 x1\n"},
      {"[fused_moe] using 1stage xbf16 (kernelName1='_ZN5aiterE', kernelName2=nan) for (80, 64, "
       "7168, 256, 257, 9, 'ActivationType.Silu', 'torch.bfloat16', 'torch.float8_e4m3fnuz', "
       "'torch.float8_e4m3fnuz', 'QuantType.per_1x128', True, False) \n",
       "fmoe - 80 64 7168 256 257 9 ActivationType.Silu torch.bfloat16 torch.float8_e4m3fnuz "
       "torch.float8_e4m3fnuz QuantType.per_1x128 1 0 kernelName1=_ZN5aiterE kernelName2= x1\n"},
  };
  for (const auto& form : kForms) EXPECT_EQ(Told(form.line), form.told) << form.line;
}

TEST(Hits, every_family_with_a_miss_line_has_found_lines_apart_from_the_grouped) {
  for (const auto& family : test::AiterFamilies()) {
    const bool says = !family->hits.empty();
    EXPECT_EQ(says, !family->misses.empty() && family->name != "grouped_fmoe") << family->name;
  }
}

TEST(Hits, copies_of_the_ranks_fold_and_prefixes_do_not_matter) {
  const std::string line = HitsBlockscale(37, 48).substr(8);
  EXPECT_EQ(Told("(Worker_TP0 pid=8) [aiter] " + line + "[2026-02-17 23:52:11 TP6] " + line +
                 "noise\n" + HitsBlockscale(33, 48)),
            "a8w8_blockscale - 304 48 1536 7168 kernelName=a8w8_blockscale_1x128x128_k x3\n");
}

TEST(Hits, a_damaged_line_is_counted_and_shown_and_the_others_are_read) {
  const std::string good = HitsBlockscale(37, 48);
  for (std::size_t cut : {std::size_t{90}, good.size() - 2}) {
    const MissLog log = Read(good.substr(0, cut) + "\n" + good);
    EXPECT_EQ(log.counts().misses, 1U) << cut;
    EXPECT_EQ(log.Shapes().size(), 1U) << cut;
  }
  EXPECT_EQ(Read(good.substr(0, good.size() - 3) + "\n").counts().unread, 1U);
  // Two processes wrote into one line. Only the complete message counts.
  EXPECT_EQ(Read(good.substr(0, 40) + good).counts().misses, 1U);
  std::string binary = good;
  binary[30] = '\0';
  EXPECT_EQ(Read(binary + good).counts().misses, 1U);
}

TEST(Hits, misses_are_not_read_as_hits_nor_hits_as_misses) {
  const std::string miss =
      "[aiter] shape is M:8, N:1280, K:8192, not found tuned config in "
      "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!\n";
  EXPECT_EQ(Read(miss).counts().misses, 0U);
  MissLog log(test::ShippedFamilies(), {});
  log.Feed(HitsBlockscale(37, 48));
  log.Finish();
  EXPECT_EQ(log.counts().misses + log.counts().unread, 0U);
}

// `capture --hits` compares the rows of a log with the rows of a table.

using agent::CaptureOptions;
using agent::test::Ran;
using agent::test::RealConfiguration;
using agent::test::RecordingConsole;
using agent::test::TempFolder;

std::string TableRow(const std::string& target, int m, const std::string& kernel) {
  return target + "," + std::to_string(m) + ",1536,7168,ck,1,0,10.0," + kernel + ",9,9,0.0\n";
}

// Returns the output for one log and, if not empty, one table.
Ran ReadHits(const std::string& log, const std::string& table, CaptureOptions options = {},
             const std::string& name = "a8w8_blockscale_tuned_gemm.csv") {
  const TempFolder folder;
  options.hits = true;
  if (!log.empty()) options.logs = {folder.Write("a.log", log)};
  if (!table.empty()) options.tables = {folder.Write(name, table)};
  RecordingConsole recorded;
  const agent::Configuration configuration = RealConfiguration();
  const auto tables = agent::TablesOfFiles(configuration, options);
  if (!tables.ok()) return {kFailed, "", tables.error().code};
  const int code = agent::CaptureHits(configuration, options, *tables, recorded.console);
  return recorded.Ended(code);
}

TEST(CaptureHits, says_which_rows_were_found_how_often_and_which_never) {
  const std::string log = HitsBlockscale(37, 48, "a") + HitsBlockscale(40, 48, "a") +
                          HitsBlockscale(16, 16, "b"),
                    table = test::kBlockscaleHeader + TableRow("gfx942,304", 16, "b") +
                            TableRow("gfx942,304", 48, "a") + TableRow("gfx942,304", 64, "c") +
                            TableRow("gfx942,80", 64, "d");
  const Ran ran = ReadHits(log, table);
  EXPECT_EQ(ran.code, kGood) << ran.err;
  EXPECT_EQ(ran.out,
            "a8w8_blockscale: 2 of 3 rows found, 3 times\n"
            "  2 x gfx942:304 M=48 N=1536 K=7168 kernelName=a\n"
            "  1 x gfx942:304 M=16 N=1536 K=7168 kernelName=b\n"
            "  never found: gfx942:304 M=64 N=1536 K=7168 kernelName=c\n"
            "3 lines read, 3 hits\n")
      << "the log has no lookup with another CU count";
  CaptureOptions options;
  options.json = true;
  const auto json = nlohmann::json::parse(ReadHits(log, table, options).out);
  const auto& family = json.at("families")[0];
  EXPECT_EQ(family.at("rows"), 3);
  EXPECT_EQ(family.at("found")[0].at("count"), 2);
  EXPECT_EQ(family.at("never")[0].at("config").at("kernelName"), "c");
}

TEST(CaptureHits, a_kernel_that_the_table_does_not_have_is_a_finding) {
  const Ran ran = ReadHits(HitsBlockscale(37, 48, "older") + HitsBlockscale(16, 16, "b"),
                           test::kBlockscaleHeader + TableRow("gfx942,304", 48, "a"));
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_EQ(
      ran.out,
      "a8w8_blockscale: 0 of 1 rows found, 0 times\n  never found: gfx942:304 M=48 N=1536 K=7168 "
      "kernelName=a\n  AITER found the shape, but with another config than this table has: "
      ":304 M=48 N=1536 K=7168 kernelName=older\n  AITER found a row that this table does "
      "not have: :304 M=16 N=1536 K=7168 kernelName=b\n2 lines read, 2 hits\n");
}

TEST(CaptureHits, without_a_table_the_lines_speak_alone_and_one_that_says_nothing_is_refused) {
  EXPECT_EQ(ReadHits(HitsBlockscale(37, 48, "a"), "").out,
            "a8w8_blockscale: 1 rows found, 1 times\n"
            "  1 x :304 M=48 N=1536 K=7168 kernelName=a\n"
            "1 lines read, 1 hits\n");
  CaptureOptions options;
  options.family = "fhmoe";
  EXPECT_EQ(ReadHits("", "gfx\n", options, "tuned_fhmoe.csv").err, "no_hit_lines");
}

TEST(CaptureHits, a_fused_moe_row_of_the_other_activation_is_the_one_that_was_found) {
  const auto row = [](const std::string& act, const std::string& kernel) {
    return "gfx950,256,64,7168,256,257,9,ActivationType." + act +
           ",torch.bfloat16,torch.float8_e4m3fn,torch.float8_e4m3fn,QuantType.per_1x128,1,0,32,0,5."
           "0," +
           kernel + ",0.0%,5.0," + kernel + "_2,0.0%,10.0,0,0,0,1,1\n";
  };
  const Ran ran = ReadHits(
      "[fused_moe] using 2stage (kernelName1='silu', kernelName2='silu_2') for ('gfx950', 256, 64, "
      "7168, 256, 257, 9, <ActivationType.Gelu: 1>, 'torch.bfloat16', 'torch.float8_e4m3fn', "
      "'torch.float8_e4m3fn', 'QuantType.per_1x128', True, False)\n",
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
      "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
      "run_1stage,xbf16,flat,tflops,bw\n" +
          row("Silu", "silu") + row("Gelu", "gelu"),
      {}, "tuned_fmoe.csv");
  EXPECT_EQ(ran.code, kGood) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("1 of 2 rows found, 1 times"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("1 x gfx950:256 token=64 model_dim=7168 inter_dim=256 expert=257 topk=9 "
                         "act_type=ActivationType.Silu"),
            std::string::npos)
      << ran.out;
}

}  // namespace
}  // namespace tunehub
