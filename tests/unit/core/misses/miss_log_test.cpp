// Every line that a release of AITER logs when it finds no row.
#include "core/misses/miss_log.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamilies;
using test::ShippedFamily;

std::string Text(const MissShape& shape) {
  std::string text = shape.family->name + " ";
  for (const std::string& cell : shape.cells)
    text += cell + (&cell == &shape.cells.back() ? "" : ",");
  if (!shape.gfx.empty() || !shape.cu_num.empty()) text += " @" + shape.gfx + ":" + shape.cu_num;
  return text + (shape.count == 1 ? "" : " x" + std::to_string(shape.count));
}

// Returns one line per shape, then the counts of unreadable lines.
std::string Read(std::string_view log, const MissLogOptions& options = {}) {
  MissLog misses(ShippedFamilies(), options);
  misses.Feed(log);
  misses.Finish();
  std::string text;
  for (const MissShape& shape : misses.Shapes()) text += (text.empty() ? "" : "\n") + Text(shape);
  const MissCounts& counts = misses.counts();
  if (counts.unread != 0) text += "[unread " + std::to_string(counts.unread) + "]";
  if (counts.unnamed != 0) text += "[unnamed " + std::to_string(counts.unnamed) + "]";
  return text;
}

struct Line {
  const char* log;
  const char* shape;
};

const Line kNewerLines[] = {
    {"A16W8 MXFP8 shape M:12 N:1152 K:5120 has no tuned config for gfx942/304 in "
     "/tmp/aiter_configs/a16w8_mxfp8_asm_tuned_gemm.csv; using the default kernel",
     "a16w8_mxfp8_asm 12,1152,5120 @gfx942:304"},
    {"[aiter] A6W6 shape M:7 N:256 K:512 has no tuned config in "
     "/t/a6w6_blockscale_tuned_gemm.csv; using the safe default kernel",
     "a6w6_blockscale 7,256,512"},
    {"A6W4 shape M:7 N:256 K:512 has no tuned config in /t/x.csv; using the safe default kernel",
     "a6w4_asm 7,256,512"},
    {"A4W6 shape M:7 N:256 K:512 has no tuned config in /t/x.csv; using the safe default kernel",
     "a4w6_asm 7,256,512"},
    {"[aiter] mxscale bpreshuffle (bmm) M:7, N:768, K:7168, w_scale 128x128 is untuned on gfx950; "
     "a heuristic picks the kernel.",
     "a8w8_blockscale_mxscale_bpreshuffle 7,768,7168,128x128 @gfx950:"},
    {"mxscale bpreshuffle (2d) M:7,N:768,K:7168, w_scale 1x32 is untuned on gfx950; a heuristic "
     "picks the kernel.",
     "a8w8_blockscale_mxscale_bpreshuffle 7,768,7168,1x32 @gfx950:"},
    {"shape is B:8, M:7, N:1024, K:4096, w_scale 32x32, not found tuned/padded config in "
     "/t/batched_gemm_a8w8_blockscale_mxscale_bpreshuffle_tuned.csv, the caller will fall back!",
     "batched_a8w8_blockscale_mxscale_bpreshuffle 8,7,1024,4096,32x32"},
    {"shape is B:8, M:7, N:1024, K:4096, not found tuned/padded config in "
     "/t/batched_gemm_a8w8_blockscale_mxscale_bpreshuffle_tuned.csv, the caller will fall back!",
     "batched_a8w8_blockscale_mxscale_bpreshuffle 8,7,1024,4096,128x128"},
    {"shape is B:8, M:7, N:1024, K:4096, not found tuned/padded config in "
     "/t/batched_gemm_a8w8_blockscale_mxscale_tuned.csv, the caller will fall back!",
     "batched_a8w8_blockscale_mxscale 8,7,1024,4096"},
    {"shape is M:7, N:768, K:7168, not found tuned config in "
     "/t/a8w8_blockscale_group32_tuned_gemm.csv, will use default config!",
     "a8w8_blockscale_group32 7,768,7168"},
    {"shape is M:7, N:768, K:7168, not found tuned config in "
     "/t/a8w8_blockscale_abpreshuffle_tuned_gemm.csv, will use default config!",
     "a8w8_blockscale_abpreshuffle 7,768,7168"},
    {"shape is M:7, N:768, K:7168, not found tuned config in "
     "/t/a8w8_mxfp8_bpreshuffle_tuned_gemm.csv, will use default config!",
     "a8w8_mxfp8_bpreshuffle 7,768,7168"},
};

const Line kGemmLines[] = {
    {"[aiter] shape is M:8192, N:1280, K:8192, not found tuned config in "
     "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!",
     "a8w8_blockscale 8192,1280,8192"},
    {"[aiter] shape is M:17, N:7168, K:2048, not found tuned config in "
     "/tmp/aiter_configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv, will use default config!",
     "a8w8_blockscale_bpreshuffle 17,7168,2048"},
    {"[aiter] shape is M:1, N:106496, K:16384, not found tuned config in "
     "/tmp/aiter_configs/a4w4_blockscale_tuned_gemm.csv, will use default config!",
     "a4w4_blockscale 1,106496,16384"},
    {"[aiter] shape is M:64, N:1280, K:8192, q_dtype_w:torch.int8, not found tuned config in "
     "/tmp/aiter_configs/a8w8_tuned_gemm.csv, will use default config!",
     "a8w8 64,1280,8192,torch.int8"},
    {"[aiter] shape is M:64, N:1280, K:8192, q_dtype_w:torch.float8_e4m3fnuz, not found tuned "
     "config in /tmp/aiter_configs/a8w8_bpreshuffle_tuned_gemm.csv, will use default config!",
     "a8w8_bpreshuffle 64,1280,8192,torch.float8_e4m3fnuz"},
    {"[aiter] shape is M:7, N:256, K:5120 dtype='torch.bfloat16' otype='torch.float32' bias=False, "
     "scaleAB=False, bpreshuffle=False, not found tuned config in "
     "/tmp/aiter_configs/bf16_tuned_gemm.csv, will use default config! using torch solution:0",
     "bf16 7,256,5120,False,torch.bfloat16,torch.float32,False,False"},
    {"[aiter] shape is M:7, N:256, K:5120 dtype='torch.bfloat16' otype='torch.bfloat16' bias=True, "
     "scaleAB=False, bpreshuffle=True , not found tuned config in "
     "/opt/aiter/aiter/configs/bf16_tuned_gemm.csv, will use default config!",
     "bf16 7,256,5120,True,torch.bfloat16,torch.bfloat16,False,True"},
    {"[aiter] shape is M:7, N:256, K:5120, not found tuned config in "
     "/opt/aiter/aiter/configs/bf16_tuned_gemm.csv, will use default config!",
     "bf16 7,256,5120,False,torch.bfloat16,torch.bfloat16,False,False"},
    {"[aiter] shape is B:16, M:32, N:1280, K:8192, not found tuned config in CKGEMM, will use "
     "default config!",
     "batched_a8w8 16,32,1280,8192"},
    {"[aiter] shape is B:16, M:32, N:1280, K:8192 dtype is bf16, not found tuned config in CKGEMM, "
     "will use default config!",
     "batched_bf16 16,32,1280,8192"},
    {"[aiter] shape is B:8, M:5, N:1024, K:4096, not found tuned/padded config in "
     "/x/batched_gemm_a8w8_blockscale_mxscale_tuned.csv, the caller will fall back!",
     "batched_a8w8_blockscale_mxscale 8,5,1024,4096"},
    {"[gfx1250] gemm_a8w8_bpreshuffle untuned M=3, N=1536, K=7168; falling back to flydsl kernel "
     "'flydsl_bpreshuflle_16x64x256'.",
     "a8w8_bpreshuffle 3,1536,7168,torch.float8_e4m3fn @gfx1250:"},
    {"[gfx1250] gemm_a8w8_blockscale_bpreshuffle untuned M=3, N=1536, K=7168; falling back to "
     "flydsl kernel 'flydsl_x'.",
     "a8w8_blockscale_bpreshuffle 3,1536,7168 @gfx1250:"},
};

constexpr char kMoeRest[] =
    "'torch.bfloat16', 'torch.float8_e4m3fn', 'torch.float4_e2m1fn_x2', 'QuantType.per_1x32', "
    "True, False)";
constexpr char kMoeCells[] =
    "torch.bfloat16,torch.float8_e4m3fn,torch.float4_e2m1fn_x2,QuantType.per_1x32,1,0";

TEST(MissLog, every_line_of_every_gemm_family_is_read) {
  for (const Line& line : kNewerLines) EXPECT_EQ(Read(std::string(line.log) + "\n"), line.shape);
  for (const Line& line : kGemmLines) EXPECT_EQ(Read(line.log), line.shape) << line.log;
}

TEST(MissLog, reads_a_fused_moe_tuple_with_and_without_gfx_in_three_spellings_of_the_activation) {
  for (const char* act :
       {"<ActivationType.Silu: 0>", "'ActivationType.Silu'", "ActivationType.Silu"}) {
    for (const char* stages : {"1stage", "2stage", "1stage xbf16", "2stage xbf16"}) {
      const std::string head =
          "[aiter] [fused_moe] using " + std::string(stages) + " default for (";
      const std::string tuple =
          "256, 1024, 7168, 256, 257, 9, " + std::string(act) + ", " + kMoeRest;
      const std::string cells =
          "fmoe 1024,7168,256,257,9,ActivationType.Silu," + std::string(kMoeCells);
      EXPECT_EQ(Read(head + "'gfx950', " + tuple), cells + " @gfx950:256");
      EXPECT_EQ(Read(head + tuple), cells + " @:256");
    }
  }
}

TEST(MissLog, reads_a_grouped_miss_and_four_packed_weights) {
  EXPECT_EQ(Read("[fused_moe] using 2stage default for ('gfx950', 256, 64, 7168, 512, 384, 8, "
                 "<ActivationType.Silu: 0>, 'torch.bfloat16', 'torch.bfloat16', 'torch.uint32', "
                 "'QuantType.per_1x32', True, False)"),
            "fmoe 64,7168,512,384,8,ActivationType.Silu,torch.bfloat16,torch.bfloat16,torch.int4,"
            "QuantType.per_1x32,1,0 @gfx950:256");
  EXPECT_EQ(Read("[aiter] no grouped CSV config matched (token=64 model_dim=3072 inter_dim=3072 "
                 "experts=128 topk=-1 act=ActivationType.Swiglu dtype=torch.bfloat16 "
                 "q_dtype_a=torch.float4_e2m1fn_x2 q_dtype_w=torch.float4_e2m1fn_x2 "
                 "quant_type=QuantType.per_1x32); using defaults tile_m=64 n_warp=4 num_buffers=2"),
            "grouped_fmoe ,64,3072,3072,128,-1,ActivationType.Swiglu,torch.bfloat16,"
            "torch.float4_e2m1fn_x2,torch.float4_e2m1fn_x2,QuantType.per_1x32,1,0,");
}

constexpr char kBody[] =
    "shape is M:8192, N:1280, K:8192, not found tuned config in "
    "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!";

TEST(MissLog, whatever_a_framework_puts_before_the_message_is_no_part_of_it) {
  for (const std::string prefix :
       {"", "[aiter] ", "(Worker_TP4_EP4 pid=892) [aiter] ", "[2026-02-17 23:52:11 TP6] ",
        "\x1b[1;36m(Worker_TP0 pid=1)\x1b[0;0m [aiter] ",
        "[aiter INFO] 2026-02-17 23:52:11,123 - MainProcess:892 - /x/gemm_op_a8w8.py:300 - get\n",
        "2026-02-17T23:52:11.1Z stderr F [aiter] ", "{\"log\":\"[aiter] "}) {
    EXPECT_EQ(Read(prefix + kBody + "\n"), "a8w8_blockscale 8192,1280,8192") << prefix;
  }
  EXPECT_EQ(Read(std::string(kBody) + "\r\n"), "a8w8_blockscale 8192,1280,8192");
  EXPECT_EQ(Read("{\"log\":\"[fused_moe] using 2stage default for (304, 16, 6144, 4096, 8, 2, "
                 "\\u003cActivationType.Gelu: 1\\u003e, 'torch.bfloat16', 'torch.bfloat16', "
                 "'torch.bfloat16', 'QuantType.No', True, False)\\n\",\"stream\":\"stderr\"}\n"),
            "fmoe 16,6144,4096,8,2,ActivationType.Gelu,torch.bfloat16,torch.bfloat16,"
            "torch.bfloat16,QuantType.No,1,0 @:304");
}

TEST(MissLog, two_processes_that_wrote_into_one_line_are_both_read) {
  const std::string both = std::string("shape is M:1, N:2, K") + kBody + "[aiter] " +
                           "shape is M:16, N:1280, K:8192, not found tuned config in "
                           "a8w8_blockscale_tuned_gemm.csv, will use default config!\n";
  EXPECT_EQ(Read(both), "a8w8_blockscale 16,1280,8192\na8w8_blockscale 8192,1280,8192");
}

TEST(MissLog, copies_of_the_ranks_are_one_shape_with_a_count_and_the_frequent_come_first) {
  std::string log;
  for (int rank = 0; rank < 8; ++rank) {
    log += "(Worker_TP" + std::to_string(rank) + " pid=1) [aiter] " + kBody + "\n";
  }
  log += kGemmLines[1].log + std::string("\n") + kGemmLines[2].log + "\nsome other line\n";
  MissLog misses(ShippedFamilies(), {});
  misses.Feed(log);
  misses.Finish();
  EXPECT_EQ(Read(log),
            "a8w8_blockscale 8192,1280,8192 x8\n"
            "a4w4_blockscale 1,106496,16384\n"
            "a8w8_blockscale_bpreshuffle 17,7168,2048");
  EXPECT_EQ(misses.counts().lines, 11U);
  EXPECT_EQ(misses.counts().misses, 10U);
  EXPECT_EQ(misses.counts().bytes, log.size());
}

std::string InFile(const std::string& path) {
  return Read("shape is M:1, N:2, K:3, not found tuned config in " + path +
              ", will use default config!");
}

TEST(MissLog, a_family_is_told_by_the_words_of_a_file_or_by_the_caller) {
  EXPECT_EQ(InFile("/data/tuned/a4w4.csv"), "a4w4_blockscale 1,2,3");
  EXPECT_EQ(InFile("/data/tuned/my_a8w8_blockscale.csv"), "a8w8_blockscale 1,2,3");
  EXPECT_EQ(InFile("/data/my-blockscale-bpreshuffle-v2.csv"), "a8w8_blockscale_bpreshuffle 1,2,3");
  EXPECT_EQ(InFile("a8w8_blockscale_tuned_gemm_ds_v3.csv"), "a8w8_blockscale 1,2,3");
  EXPECT_EQ(InFile("dsv4_a8w8_blockscale_bpreshuffle_tuned_gemm.csv"),
            "a8w8_blockscale_bpreshuffle 1,2,3");
  EXPECT_EQ(InFile("/a4w4_blockscale/tuned.csv"), "[unnamed 1]");
  EXPECT_EQ(InFile("/data/blockscale.csv"), "[unnamed 1]");
  EXPECT_EQ(Read("shape is M:1, N:2, K:3, q_dtype_w:torch.int8, not found tuned config in "
                 "/data/bpreshuffle.csv, will use default config!"),
            "a8w8_bpreshuffle 1,2,3,torch.int8");
  const std::string log =
      "shape is M:1, N:2, K:3, not found tuned config in CKGEMM, will use default config!\n"
      "shape is M:1, N:2, K:3, not found tuned config in /x/a4w4_blockscale_tuned_gemm.csv, will "
      "use default config!\n";
  EXPECT_EQ(Read(log), "a4w4_blockscale 1,2,3[unnamed 1]");
  EXPECT_EQ(Read(log, {.family = &ShippedFamily("a8w8_blockscale")}),
            "a4w4_blockscale 1,2,3\na8w8_blockscale 1,2,3");
  EXPECT_EQ(Read(log, {.family = &ShippedFamily("fmoe")}), "a4w4_blockscale 1,2,3[unnamed 1]");
  MissLogOptions options;
  options.gfx = "gfx942";
  options.cu_num = "304";
  EXPECT_EQ(Read(kBody, options), "a8w8_blockscale 8192,1280,8192 @gfx942:304");
  EXPECT_EQ(Read(kGemmLines[11].log, options),
            "a8w8_bpreshuffle 3,1536,7168,torch.float8_e4m3fn @gfx1250:304");
}

TEST(MissLog, lines_that_report_no_miss_say_nothing) {
  EXPECT_EQ(
      Read(
          "[aiter] shape is M:16, N:1280, K:8192, found padded_M: 16, N:1280, K:8192 is tuned on "
          "cu_num = 304 in /tmp/a8w8_blockscale_tuned_gemm.csv , kernel name is k!\n"
          "[aiter] [fused_moe] using 2stage (kernelName1='a', kernelName2='b') for ('gfx950', 256, "
          "1, 2, 3, 4, 5, <ActivationType.Silu: 0>, 'torch.bfloat16')\n"
          "run_1stage = False, xbf16 = False, ksplit = 0 q_type = QuantType.No block_m = 32\n"
          "WARNING [fused_moe] no tuned FlyDSL config for ('gfx950', 256), using untuned a16wi4 "
          "fallback (kn1='a', kn2='b')\n"
          "using defaults, not found tuned anything; another program's untuned M=3\n\n"),
      "");
}

TEST(MissLog, a_miss_that_cannot_be_read_is_counted_and_quoted) {
  MissLog misses(ShippedFamilies(), {});
  misses.Feed(
      "shape is M:x, N:2, K:3, not found tuned config in /x/a8w8_blockscale_tuned_gemm.csv, "
      "will use default config!\nshape is M:0, N:2, K:3, not found tuned config in "
      "/x/a8w8_blockscale_tuned_gemm.csv, will use default config!\n"
      "shape is M:1, N:2, K:3, not found tuned con\n");
  EXPECT_EQ(misses.counts().unread, 3U);
  EXPECT_TRUE(misses.counts().first_unread.starts_with("shape is M:x"));
  EXPECT_TRUE(misses.Shapes().empty());
}

TEST(MissLog, a_log_may_be_cut_anywhere) {
  std::string log;
  for (const Line& line : kGemmLines) log += std::string("noise\n[x] ") + line.log + "\n";
  const std::string whole = Read(log);
  for (const std::size_t part : {1, 2, 7, 50, 113, 4096}) {
    MissLog misses(ShippedFamilies(), {});
    for (std::size_t at = 0; at < log.size(); at += part) {
      misses.Feed(std::string_view(log).substr(at, part));
    }
    misses.Finish();
    std::string text;
    for (const MissShape& shape : misses.Shapes()) text += (text.empty() ? "" : "\n") + Text(shape);
    EXPECT_EQ(text, whole) << part;
    EXPECT_EQ(misses.counts().lines, 2 * std::size(kGemmLines)) << part;
  }
}

TEST(MissLog, whatever_byte_is_missing_the_shapes_are_those_misses_that_were_counted) {
  std::string log;
  for (const Line& line : kGemmLines) log += std::string(line.log) + "\n";
  MissLog misses(ShippedFamilies(), {});
  std::uint64_t counted = 0;
  for (std::size_t at = 0; at < log.size(); ++at) {
    misses.Feed(std::string(log).erase(at, 1));
    misses.Finish();
    for (const MissShape& shape : misses.Take()) {
      counted += shape.count;
      ASSERT_EQ(shape.cells.size(), shape.family->untuned_columns.size());
    }
    ASSERT_EQ(counted, misses.counts().misses) << at;
  }
  EXPECT_GE(counted, (std::size(kGemmLines) - 2) * log.size())
      << "each damaged byte may spoil at most two lines";
}

TEST(MissLog, memory_is_bounded_in_shapes_and_in_the_length_of_a_line) {
  MissLogOptions options;
  options.max_shapes = 100;
  MissLog misses(ShippedFamilies(), options);
  for (int m = 1; m <= 150; ++m) {
    misses.Feed("shape is M:" + std::to_string(m) +
                ", N:2, K:3, not found tuned config in "
                "a8w8_blockscale_tuned_gemm.csv, will use default config!\n");
  }
  misses.Feed(
      "shape is M:1, N:2, K:3, not found tuned config in a8w8_blockscale_tuned_gemm.csv, "
      "will use default config!\n");
  EXPECT_EQ(misses.counts().misses, 101U);
  EXPECT_EQ(misses.counts().dropped, 50U);
  EXPECT_EQ(misses.Shapes().size(), 100U);
  for (std::size_t i = 0; i <= kMaxLogLineBytes / 1000; ++i) misses.Feed(std::string(1000, 'x'));
  misses.Feed("\n" + std::string(kBody) + "\n");
  EXPECT_EQ(misses.counts().overlong, 1U);
  EXPECT_EQ(misses.counts().lines, 153U);
  EXPECT_EQ(misses.counts().dropped, 51U);
}

TEST(MissLog, taking_the_shapes_begins_a_new_count) {
  MissLog misses(ShippedFamilies(), {});
  misses.Feed(std::string(kBody) + "\n" + kBody + "\n");
  EXPECT_EQ(misses.Take().at(0).count, 2U);
  misses.Feed(std::string(kBody) + "\n");
  EXPECT_EQ(misses.Take().at(0).count, 1U);
  EXPECT_TRUE(misses.Take().empty());
}

}  // namespace
}  // namespace tunehub::core
