#include "tests/unit/agent/capture/explain_support.h"

namespace tunehub::agent::test {
namespace {

using testing::Not;

constexpr char kMissedMoe[] =
    "[2026-02-17 23:52:11 TP6] [fused_moe] using 2stage default for ('gfx942', 304, 64, 7168, 256, "
    "257, 9, 'ActivationType.Silu', 'torch.bfloat16', 'torch.float8_e4m3fnuz', "
    "'torch.float8_e4m3fnuz', 'QuantType.per_1x128', True, False)\n";

TEST_F(AgentExplain, says_what_was_missed_and_how_often_by_the_layer) {
  const ExplainOptions options =
      On304(Missed(1) + Missed(100) + Missed(1) + "noise\n" + Missed(37, 7168) + kMissedMoe);
  const Ran ran = Say(options);
  EXPECT_EQ(ran.code, kFinding);
  const std::string log = options.log.logs.front();
  EXPECT_EQ(
      ran.out,
      log +
          ": 6 lines, 5 of them misses: AITER found no tuned row for 4 shapes\n"
          "GPU: MI300X / MI325X (gfx942:304), as --gfx says\n"
          "\n"
          "a8w8_blockscale: 3 shapes, missed 4 times\n"
          "  missed  shapes  M             of\n"
          "       3       2  1-100         N=1280 K=8192\n"
          "       1       1  37            N=7168 K=8192\n"
          "\n"
          "fmoe: 1 shape, missed once\n"
          "  missed  shapes  token         of\n"
          "       1       1  64            model_dim=7168 inter_dim=256 expert=257 topk=9\n"
          "\n"
          "Not checked: whether tuned rows exist. Use --hub URL, or --tables FILE... (tuned "
          "tables, or folders\n"
          "of them).\n"
          "\n"
          "Tune what is missing, on a host with that GPU:\n"
          "  tunehub-agent capture " +
          log +
          " -o untuned\n"
          "  tunehub-agent bench --before --tuner aiter -i "
          "untuned/a8w8_blockscale_untuned_gemm.csv\n"
          "  tunehub-agent tune --tuner aiter -i untuned/a8w8_blockscale_untuned_gemm.csv \\\n"
          "      -o a8w8_blockscale.csv\n"
          "  tunehub-agent bench --before --tuner aiter -i untuned/untuned_fmoe.csv\n"
          "  tunehub-agent tune --tuner aiter -i untuned/untuned_fmoe.csv -o fmoe.csv\n");
}

TEST_F(AgentExplain, what_tells_groups_apart_is_said_and_no_more) {
  const std::string fp8 =
      "shape is M:16, N:1, K:2, q_dtype_w:torch.float8_e4m3fnuz, not found "
      "tuned config in a8w8_tuned_gemm.csv, will use default config!\n";
  std::string int8 = fp8;
  int8.replace(int8.find("torch.float8_e4m3fnuz"), 21, "torch.int8");
  EXPECT_THAT(Say(On304(fp8)).out, HasSubstr("  N=1 K=2\n"));
  EXPECT_THAT(Say(On304(fp8 + int8)).out, HasSubstr("N=1 K=2 q_dtype_w=torch.int8\n"));
}

TEST_F(AgentExplain, a_log_without_a_miss_is_no_finding_and_says_what_was_looked_for) {
  const Ran ran = Say(On304("one\ntwo\n"));
  EXPECT_EQ(ran.code, kGood);
  EXPECT_THAT(ran.out, HasSubstr("vllm.log: 2 lines, none of them a miss\n"));
  EXPECT_THAT(ran.out, HasSubstr("'not found tuned'"));
  EXPECT_THAT(ran.out, Not(HasSubstr("GPU")));
}

TEST_F(AgentExplain, shapes_are_spoken_of_only_where_a_line_of_aiter_was_read) {
  EXPECT_THAT(Say(On304("one\ntwo\n")).out,
              HasSubstr("No line of AITER about a shape is in this log"));
  const std::string hit =
      "[aiter] shape M:5, N:64, K:128 q_dtype_w:torch.int8, found padded_M: 8, N:64, K:128 is "
      "tuned, in /tmp/a8w8_tuned_gemm.csv! libtype is ck!\n";
  EXPECT_THAT(Say(On304(hit)).out, HasSubstr("1 lines name a row that AITER found"));
  const std::string wrapped = "shape is M:16, N:1,\nK:2, not found tuned config in a.csv\n";
  EXPECT_THAT(Say(On304(wrapped + hit)).out,
              HasSubstr("2 of the lines hold words of a message of AITER and are"));
}

TEST_F(AgentExplain, bytes_that_are_no_text_are_named_and_refused) {
  const auto refused = [&](std::string_view bytes) {
    const Ran ran = Say(On304(std::string(bytes)));
    EXPECT_NE(ran.code, kGood);
    EXPECT_EQ(ran.out, "");
    return ran.err;
  };
  using namespace std::string_view_literals;
  EXPECT_THAT(refused("\x28\xb5\x2f\xfd\x04"sv), HasSubstr("packed by zstd"));
  EXPECT_THAT(refused("\xfd\x37zXZ\0\0"sv), HasSubstr("packed by xz"));
  EXPECT_THAT(refused("\xff\xfeo\0\n\0"sv), HasSubstr("UTF-16"));
  EXPECT_THAT(refused("one\nt\0w\0"sv), HasSubstr("line 2 of the part read holds a NUL byte"));
}

TEST_F(AgentExplain, misses_that_cannot_be_read_are_a_finding) {
  const Ran ran = Say(On304(Missed(0)));
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("1 misses could not be read; the first: shape is M:0"));
}

TEST_F(AgentExplain, the_gpu_is_the_lines_own_else_what_is_said_else_the_only_one_of_the_log) {
  EXPECT_THAT(Say(Of(Missed(1) + kMissedMoe)).out,
              HasSubstr("GPU: MI300X / MI325X (gfx942:304), as its lines say\n"));
  EXPECT_THAT(Say(Of(Missed(1))).out, HasSubstr("GPU: not known. "));
  ExplainOptions other = Of(Missed(1) + kMissedMoe);
  other.log.gfx = "gfx942";
  other.log.cu_num = 80;
  const Ran ran = Say(other);
  EXPECT_THAT(ran.out, HasSubstr("MI308X (gfx942:80), as --gfx says\n"));
  EXPECT_THAT(ran.out, HasSubstr("fmoe on MI300X / MI325X (gfx942:304): 1 shape"));
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale on MI308X (gfx942:80): 1 shape"));
}

TEST_F(AgentExplain, a_log_of_several_gpus_does_not_say_whose_a_gemm_is) {
  std::string other = kMissedMoe;
  other.replace(other.find("304"), 3, "80");
  const std::string out = Say(Of(Missed(1) + kMissedMoe + other)).out;
  EXPECT_THAT(out, HasSubstr("fmoe on MI308X (gfx942:80): 1 shape"));
  EXPECT_THAT(out, HasSubstr("a8w8_blockscale on a GPU that is not known: 1 shape"));
}

TEST_F(AgentExplain, the_gpu_may_be_this_hosts) {
  folder_.Write("root/sys/class/kfd/kfd/topology/nodes/1/properties",
                "simd_count 1024\nsimd_per_cu 4\ngfx_target_version 90500\n");
  EXPECT_THAT(Say(Of(Missed(1))).out,
              HasSubstr("GPU: MI350X / MI355X (gfx950:256), this host's\n"));
}

TEST_F(AgentExplain, wrong_options_are_refused_by_name) {
  ExplainOptions options = Of(Missed(1));
  options.log.cu_num = 304;
  EXPECT_THAT(Say(options).err, HasSubstr("--cu-num 304 is of no GPU without --gfx"));
  options.log.gfx = "GFX 9";
  EXPECT_THAT(Say(options).err, HasSubstr("bad_gfx"));
  options = On304("");
  options.log.logs = {folder_ / "none.log"};
  const Ran ran = Say(options);
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("none.log: No such file"));
  EXPECT_THAT(InTables(On304(Missed(1)), {folder_ / "none.csv"}).err, HasSubstr("none.csv"));
}

}  // namespace
}  // namespace tunehub::agent::test
