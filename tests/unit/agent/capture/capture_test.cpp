#include "agent/capture/capture.h"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/capture/commands.h"
#include "core/base/archive.h"
#include "tests/support/miss_line.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

std::string Miss(int m, const std::string& family = "a8w8_blockscale") {
  return tunehub::test::MissLine(m, 1280, 8192, family);
}

constexpr char kMoe[] =
    "[aiter] [fused_moe] using 2stage default for (256, 64, 7168, 256, 257, 9, "
    "'ActivationType.Silu', 'torch.bfloat16', 'torch.float8_e4m3fn', 'torch.float8_e4m3fn', "
    "'QuantType.per_1x128', True, False)\n";

class AgentCapture : public CommandTest {
 protected:
  void Log(const std::string& text) { options_.logs = {folder_.Write("a.log", text)}; }
  Ran ToFiles() {
    console_.Clear();
    return console_.Ended(CaptureToFiles(configuration_, options_, console_.console));
  }
  Ran ToHub() {
    console_.Clear();
    return console_.Ended(CaptureToHub(configuration_, options_, hub_, {.tries = 2}, pauses_.pauses,
                                       console_.console));
  }

  CaptureOptions options_;
};

TEST_F(AgentCapture, writes_an_untuned_table_per_family_with_the_most_wanted_first) {
  options_.logs = {
      folder_.Write("a.log", Miss(37) + Miss(33) + Miss(8) + "noise\n"),
      folder_.Write("b.log", Miss(8) + Miss(8) + Miss(8) + kMoe + Miss(1, "a4w4_blockscale"))};
  options_.output = folder_ / "untuned";
  const Ran ran = ToFiles();
  EXPECT_EQ(ran.code, kGood);
  EXPECT_EQ(ran.out,
            "a4w4_blockscale: 1 shapes, missed 1 times\n"
            "a8w8_blockscale: 2 shapes, missed 6 times\n"
            "fmoe: 1 shapes, missed 1 times\n"
            "9 lines read, 8 misses\n");
  EXPECT_EQ(ReadText(folder_ / "untuned/a8w8_blockscale_untuned_gemm.csv"),
            "M,N,K\n8,1280,8192\n48,1280,8192\n");
  EXPECT_EQ(ReadText(folder_ / "untuned/untuned_fmoe.csv"),
            "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
            "use_g1u1,doweight_stage1\n"
            "64,7168,256,257,9,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fn,"
            "torch.float8_e4m3fn,QuantType.per_1x128,1,0\n");
}

TEST_F(AgentCapture, a_recorded_table_of_no_family_is_named_and_the_others_are_read) {
  folder_.Write("dump/a6w6_blockscale_untuned_gemm.csv", "M,N,K\n37,1280,8192\n");
  folder_.Write("dump/untuned_gdr_decode_tuned.csv", "arch,b\ngfx950,1\n");
  options_.logs = {folder_ / "dump"};
  options_.output = folder_ / "untuned";
  const Ran ran = ToFiles();
  EXPECT_EQ(ReadText(folder_ / "untuned/a6w6_blockscale_untuned_gemm.csv"),
            "M,N,K\n37,1280,8192\n");
  EXPECT_THAT(ran.out + ran.err, HasSubstr("untuned_gdr_decode_tuned.csv: the header"))
      << ran.out << ran.err;
}

TEST_F(AgentCapture, raw_keeps_what_was_asked_for) {
  Log(Miss(37) + Miss(33));
  options_.output = folder_ / "untuned";
  options_.raw = true;
  EXPECT_EQ(ToFiles().code, kGood);
  EXPECT_EQ(ReadText(folder_ / "untuned/a8w8_blockscale_untuned_gemm.csv"),
            "M,N,K\n33,1280,8192\n37,1280,8192\n");
}

TEST_F(AgentCapture, a_grid_is_written_for_each_n_and_k_that_was_captured) {
  Log(Miss(37) + Miss(8) + tunehub::test::MissLine(1, 512, 512, "a8w8_blockscale"));
  options_.output = folder_ / "untuned";
  options_.grid = "pow2";
  EXPECT_EQ(ToFiles().out, "a8w8_blockscale: 36 shapes, missed 3 times\n3 lines read, 3 misses\n");
  const std::string table = ReadText(folder_ / "untuned/a8w8_blockscale_untuned_gemm.csv");
  EXPECT_EQ(table.find("M,N,K\n1,1280,8192\n2,1280,8192\n4,1280,8192\n"), 0U) << table;
  EXPECT_THAT(table, HasSubstr("\n131072,1280,8192\n1,512,512\n2,512,512\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("\n48,")))
      << "the captured, padded M is no point of the grid";
}

TEST_F(AgentCapture, demand_for_no_gpu_is_refused_and_none_of_it_is_posted) {
  Log(Miss(37) + Miss(8));
  options_.device_root = folder_ / "root";  // has no GPU
  const Ran ran = ToHub();
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("2 of 2 shapes name no GPU"));
  EXPECT_THAT(ran.err, HasSubstr("--gfx"));
  EXPECT_TRUE(hub_.requests.empty());
  options_.follow = true;  // --follow must also end at the refusal
  options_.interval_s = 0;
  EXPECT_EQ(ToHub().code, kFailed);
  EXPECT_TRUE(hub_.requests.empty());
}

TEST_F(AgentCapture, the_report_as_json_keeps_raw_shapes_and_the_target) {
  Log(Miss(37) + kMoe);
  options_.json = true;
  const Ran ran = ToFiles();
  const Json report = Json::parse(ran.out);
  EXPECT_EQ(report["misses"], 2);
  EXPECT_EQ(report["shapes"][0],
            Json::parse(R"({"family": "a8w8_blockscale", "gfx": null, "cu_num": null,
                            "shape": {"M": "37", "N": "1280", "K": "8192"}, "count": 1})"));
  EXPECT_EQ(report["shapes"][1]["gfx"], "gfx950") << "AITER sets 256 CUs for gfx950";
  EXPECT_EQ(report["shapes"][1]["cu_num"], 256);
}

TEST_F(AgentCapture, misses_that_cannot_be_used_are_a_finding) {
  Log(Miss(0) +
      "shape is M:1, N:2, K:3, not found tuned config in CKGEMM, will use default config!\n");
  Ran ran = ToFiles();
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("1 misses could not be read; the first: shape is M:0"));
  EXPECT_THAT(ran.out, HasSubstr("1 misses name no family"));
  options_.family = "a8w8_blockscale";
  ran = ToFiles();
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale: 1 shapes"));
}

TEST_F(AgentCapture, a_log_without_a_miss_is_clean_only_where_a_row_was_found) {
  const auto read = [&](const std::string& log) {
    options_.logs = {folder_.Write("a.log", log)};
    return ToFiles();
  };
  EXPECT_THAT(read("one\ntwo\n").out, HasSubstr("no AITER line about a shape"));
  const std::string miss = Miss(37);
  for (const char* word : {"N:1280", "not found", "found tuned", "tuned config"}) {
    const std::size_t at = miss.find(word) + 3;
    const Ran ran = read(miss.substr(0, at) + "\n" + miss.substr(at));
    EXPECT_EQ(ran.code, kFinding) << word;
    EXPECT_THAT(ran.out, HasSubstr("cut or wrapped them")) << word << ran.out;
  }
}

TEST_F(AgentCapture, wrong_options_are_refused_by_name) {
  options_.logs = {folder_ / "none.log"};
  EXPECT_THAT(ToFiles().err, HasSubstr("none.log: No such file"));
  options_.family = "a9w9";
  EXPECT_THAT(ToFiles().err, HasSubstr("'a9w9'"));
  options_.family.clear();
  options_.gfx = "GFX 9";
  EXPECT_THAT(ToFiles().err, HasSubstr("bad_gfx"));
  options_.gfx.clear();
  options_.follow = true;
  options_.logs.push_back("b.log");
  EXPECT_THAT(ToFiles().err, HasSubstr("bad_follow"));
}

// Reads until the source has no new text. '|' marks the start of another log.
std::string Drain(LogSource& source) {
  std::string text;
  for (;;) {
    const auto next = source.Read(0ms);
    if (!next.ok()) return text + "[" + next.error().code + "]";
    if (next->state == LogSource::State::kMore) text += next->bytes;
    if (next->state == LogSource::State::kOther) text += "|";
    if (next->state == LogSource::State::kEnd) return text + ".";
    if (next->state == LogSource::State::kNone) return text;
  }
}

TEST_F(AgentCapture, a_log_that_is_followed_may_grow_be_cut_and_be_replaced) {
  const std::string path = folder_.Write("a.log", "one\n");
  auto source = Must(LogSource::Open(path, true));
  EXPECT_EQ(Drain(source), "one\n");
  std::ofstream(path, std::ios::app) << "two\n";
  EXPECT_EQ(Drain(source), "two\n");
  folder_.Write("a.log", "3\n");  // the log is truncated and written again
  EXPECT_EQ(Drain(source), "|3\n");
  std::ofstream(path, std::ios::app) << "last\n";
  std::filesystem::rename(path, folder_ / "a.log.1");  // its last lines still count
  EXPECT_EQ(Drain(source), "last\n");
  folder_.Write("a.log", "new\n");
  EXPECT_EQ(Drain(source), "|new\n");
}

TEST_F(AgentCapture, a_log_that_is_not_followed_has_an_end) {
  auto source = LogSource::Open(folder_.Write("a.log", "one"), false);
  EXPECT_EQ(Drain(*source), "one.");
  EXPECT_EQ(LogSource::Open(folder_.path().string(), false).error().code, "file_unreadable");
}

TEST_F(AgentCapture, a_log_that_is_packed_is_read_as_it_was) {
  std::string text;
  for (int m = 1; m < 20'000; ++m) text += Miss(m % 8 + 1);
  options_.logs = {folder_.Write("a.log.gz", core::Gzip(text)),
                   folder_.Write("rotated.1", core::Gzip(Miss(3)) + core::Gzip(Miss(4)))};
  EXPECT_EQ(ToFiles().out,
            "a8w8_blockscale: 5 shapes, missed 20001 times\n20001 lines read, 20001 misses\n");
  options_.logs = {folder_.Write("cut.log.gz", core::Gzip(text).substr(0, 900))};
  const Ran ran = ToFiles();
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("cut.log.gz: the gzip stream ends too early"));
}

TEST_F(AgentCapture, posts_raw_demand_per_family_and_target) {
  Log(Miss(37) + Miss(37) + kMoe);
  options_.gfx = "gfx942:sramecc+";
  options_.cu_num = 304;
  hub_.answers = {{200, {}, R"({"accepted": 1, "new": 1, "count": 2, "rejected": []})"},
                  {200, {}, R"({"accepted": 1, "new": 0, "count": 1, "rejected": []})"}};
  const Ran ran = ToHub();
  EXPECT_EQ(ran.code, kGood) << ran.err;
  ASSERT_EQ(hub_.requests.size(), 2U);
  EXPECT_EQ(hub_.requests[0].target, "/untuned/a8w8_blockscale");
  EXPECT_EQ(Json::parse(hub_.requests[0].body), Json::parse(R"({"gfx": "gfx942", "cu_num": 304,
                            "shapes": [{"M": "37", "N": "1280", "K": "8192", "count": 2}]})"));
  EXPECT_NE(HeaderOf(hub_.requests[0], "Idempotency-Key"), "");
  EXPECT_EQ(hub_.requests[1].target, "/untuned/fmoe");
  EXPECT_EQ(Json::parse(hub_.requests[1].body)["cu_num"], 256)
      << "the line's CU count overrides the option";
  EXPECT_THAT(ran.out, HasSubstr("2 shapes posted (1 new to the hub), missed 3 times"));
}

TEST_F(AgentCapture, a_try_again_has_the_same_key_and_a_dead_hub_is_a_failure) {
  Log(Miss(37));
  options_.gfx = "gfx942";
  hub_.answers = {{503, {}, ""}, {200, {}, R"({"count": 1, "new": 1, "rejected": []})"}};
  EXPECT_EQ(ToHub().code, kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[1], "Idempotency-Key"));
  const Ran ran = ToHub();
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("hub_unreachable"));
}

TEST_F(AgentCapture, rows_that_the_hub_refuses_are_a_finding) {
  Log(Miss(37));
  options_.gfx = "gfx942";
  hub_.answers = {{200, {}, R"({"count": 0, "new": 0, "rejected": [{"row": 1, "code": "x"}]})"}};
  const Ran ran = ToHub();
  EXPECT_EQ(ran.code, kFinding);
  EXPECT_THAT(ran.out, HasSubstr("1 rejected; the first: a8w8_blockscale: "));
}

}  // namespace
}  // namespace tunehub::agent::test
