#include <nlohmann/json.hpp>
#include <regex>

#include "tests/unit/agent/capture/explain_support.h"

namespace tunehub::agent::test {
namespace {

using nlohmann::json;
using testing::Not;

// A hub's three answers: its index, its table, and the table with only its tuned rows.
std::deque<Answer> HubWith(const std::string& rows, const std::string& tuned) {
  return {{200, {}, R"({"families": [{"family": "a8w8_blockscale", "targets":
                      [{"gfx": "gfx942", "cu_num": 304, "rows": 2}]}]})"},
          {200, {}, kBlockscaleHeader + rows},
          {200, {}, kBlockscaleHeader + tuned}};
}

class AgentExplainHub : public AgentExplain {
 protected:
  Ran AtHub(ExplainOptions options) {
    options.hub = "http://hub:8080";
    const auto source = RowsOfHub(configuration_, options.hub, hub_, {.tries = 1}, pauses_.pauses);
    return Say(options, source.get());
  }

  FakeHub hub_;
  RecordedPauses pauses_;
};

TEST_F(AgentExplainHub, tells_baselines_from_tuned_rows) {
  hub_.answers =
      HubWith(BlockscaleRow(16, "10.0") + BlockscaleRow(32, "20.0"), BlockscaleRow(16, "10.0"));
  const Ran ran = AtHub(On304(Missed(7) + Missed(7) + Missed(20) + Missed(1, 640)));
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  missed  shapes  tuned  M             of\n"
                                 "       3       2      1  7-20          N=1280 K=8192\n"
                                 "       1       1      0  1             N=640 K=8192\n"));
  EXPECT_THAT(ran.out, HasSubstr("  1 shape has only the row of the default kernel (baseline)\n"));
  ASSERT_EQ(hub_.requests.size(), 3U);
  EXPECT_EQ(hub_.requests[1].target, "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304&allow_empty=1");
}

TEST_F(AgentExplainHub, where_nobody_knows_the_gpu_every_one_of_the_hub_is_tried) {
  hub_.answers =
      HubWith(BlockscaleRow(16, "10.0") + BlockscaleRow(32, "20.0"), BlockscaleRow(16, "10.0"));
  const Ran ran = AtHub(Of(Missed(7) + Missed(20) + Missed(500)));
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("  on MI300X / MI325X (gfx942:304): 1 of 3 shapes have a tuned row\n"))
      << "M=20 has only the default's row";
  ASSERT_EQ(hub_.requests.size(), 3U);
  EXPECT_EQ(hub_.requests[1].target, "/tuned/a8w8_blockscale?allow_empty=1");
}

TEST_F(AgentExplainHub, the_next_steps_go_on_with_the_hub) {
  hub_.answers = HubWith(BlockscaleRow(16, "10.0"), BlockscaleRow(16, "10.0"));
  const ExplainOptions options = On304(Missed(7) + Missed(500));
  const Ran ran = AtHub(options);
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent pull --hub http://hub:8080 --family "
                                 "a8w8_blockscale --gfx gfx942 \\\n      -o a8w8_blockscale.csv\n"
                                 "  export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=\"$PWD\"/"
                                 "a8w8_blockscale.csv\n"));
  // The command folds long commands, and the log's path may be long.
  EXPECT_THAT(std::regex_replace(ran.out, std::regex(R"( \\\n *)"), " "),
              HasSubstr("  tunehub-agent capture " + options.log.logs.front() +
                        " --hub http://hub:8080 --gfx gfx942 --cu-num 304\n"));
}

TEST_F(AgentExplainHub, a_hub_that_is_away_leaves_what_the_log_says) {
  const Ran ran = AtHub(On304(Missed(7)));
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.out, HasSubstr("a8w8_blockscale: 1 shape, missed once\n"));
  EXPECT_THAT(ran.out, HasSubstr("  tunehub-agent explain "));
  EXPECT_THAT(ran.err, HasSubstr("hub_unreachable"));
  ExplainOptions options = On304(Missed(7));
  options.log.json = true;
  const json report = json::parse(AtHub(options).out);
  EXPECT_EQ(report["error"]["code"], "hub_unreachable");
  EXPECT_EQ(report["families"][0]["tuned"], nullptr) << "the number of tuned rows is unknown";
}

// A static export on a page host (agent/hub/static_hub.cpp): one table, by family and target.
class ExportedTable : public HubClient {
 public:
  core::Result<Answer> Send(const Request& request) override {
    if (request.target == "/tuned/a8w8_blockscale?gfx=gfx942&cu_num=304") {
      return Answer{200, {}, kBlockscaleHeader + BlockscaleRow(16, "10.0")};
    }
    const bool table = request.target.starts_with("/tuned/");
    return core::Error{table ? "no_rows" : "static_export", request.target};
  }
};

TEST_F(AgentExplain, files_of_a_hub_have_rows_and_take_no_demand) {
  ExportedTable files;
  const RecordedPauses pauses;
  ExplainOptions options = On304(Missed(7) + Missed(500) + Missed(7, 1280, "a4w4_blockscale"));
  options.hub = "http://pages";
  const auto source = RowsOfHub(configuration_, options.hub, files, {.tries = 1}, pauses.pauses);
  const Ran ran = Say(options, source.get());
  EXPECT_EQ(ran.code, kFinding);
  const std::string& out = ran.out;
  EXPECT_THAT(out, HasSubstr("Looked in: http://pages, a static export\n"));
  EXPECT_THAT(out,
              HasSubstr("a8w8_blockscale: 2 shapes, missed 2 times; 1 with a tuned row, 1 with"));
  EXPECT_THAT(out, HasSubstr("a4w4_blockscale: 1 shape, missed once; 0 with a tuned row"));
  EXPECT_THAT(out, HasSubstr("no rows of this family for this GPU\n"));
  EXPECT_THAT(out, HasSubstr("  tunehub-agent pull --hub http://pages "));
  EXPECT_THAT(out, Not(HasSubstr("capture")));
  EXPECT_THAT(out, HasSubstr("--hub http://pages -o untuned\n"));
}

TEST_F(AgentExplainHub, an_answer_of_something_else_is_refused) {
  hub_.answers = {{200, {}, "<html>"}};
  EXPECT_THAT(AtHub(On304(Missed(7))).err, HasSubstr("bad_answer"));
}

constexpr char kMoeColumns[] =
    "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,backend,M,config,us\n";

std::string MoeRow(const std::string& device) {
  return "vllm,AMD_Instinct_" + device +
         R"(,,8,7168,,0,0,0,0,,1,"{""BLOCK_SIZE_M"":16,""num_warps"":4}",7.5)" + "\n";
}

std::string MoeMiss(const std::string& device) {
  return "WARNING [fused_moe.py:727] Using default MoE config. Performance might be sub-optimal! "
         "Config file not found at /p/vllm/model_executor/layers/fused_moe/configs/"
         "E=8,N=7168,device_name=AMD_Instinct_" +
         device + ".json\n";
}

TEST_F(AgentExplainHub, files_of_two_devices_are_pulled_into_one_folder_at_once) {
  hub_.answers = {{200, {}, kMoeColumns + MoeRow("MI300X") + MoeRow("MI325X")}};
  const Ran two = AtHub(Of(MoeMiss("MI300X") + MoeMiss("MI325X")));
  EXPECT_THAT(two.out, HasSubstr("--reader vllm -o vllm_configs\n")) << two.err;
  EXPECT_THAT(two.out, Not(HasSubstr("--device")));
  hub_.answers = {{200, {}, kMoeColumns + MoeRow("MI300X") + MoeRow("MI325X")}};
  const Ran one = AtHub(Of(MoeMiss("MI300X")));
  EXPECT_THAT(one.out, HasSubstr("--device AMD_Instinct_MI300X"));
}

// A static export has one table per family, and does not answer narrower queries.
class ExportedFiles : public HubClient {
 public:
  core::Result<Answer> Send(const Request& request) override {
    if (request.target == "/tuned/triton_fused_moe") {
      return Answer{200, {}, kMoeColumns + MoeRow("MI300X")};
    }
    return core::Error{"static_export", request.target};
  }
};

TEST_F(AgentExplain, missed_files_are_looked_up_in_a_hubs_files_too) {
  ExportedFiles files;
  const RecordedPauses pauses;
  ExplainOptions options = Of(MoeMiss("MI300X") + MoeMiss("MI325X"));
  options.hub = "http://pages";
  const auto source = RowsOfHub(configuration_, options.hub, files, {.tries = 1}, pauses.pauses);
  const Ran ran = Say(options, source.get());
  EXPECT_EQ(ran.code, kFinding) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rows for 1\n"));
  EXPECT_THAT(ran.out, HasSubstr("a static export"));
  EXPECT_THAT(ran.out, Not(HasSubstr("curl"))) << "an export has no /files";
  EXPECT_THAT(ran.out, Not(HasSubstr("tunehub-agent pull")));
}

class AgentExplainTunable : public AgentExplainHub {
 protected:
  // Explains PyTorch's untuned list with two GEMMs. The hub has a row for the first GEMM.
  Ran OfList(const std::string& gfx) {
    hub_.answers = {{200, {}, R"({"families": [{"family": "tunableop", "targets":
                        [{"gfx": "gfx942", "cu_num": 304, "rows": 1}]}]})"},
                    {200, {}, kTable},
                    {200, {}, kTable}};
    ExplainOptions options;
    options.log.logs = {folder_.Write("tunableop_untuned0.csv",
                                      "GemmTunableOp_BFloat16_TN,tn_1_8_64_ld_64_64_1\n"
                                      "GemmTunableOp_BFloat16_TN,tn_2_8_64_ld_64_64_2\n")};
    options.log.device = "AMD_Instinct_MI300X";
    options.log.gfx = gfx;
    options.log.device_root = folder_ / "root";
    return AtHub(options);
  }

  const std::string kTable =
      "engine,device,validators,op,params,solution,us,ms,blas_params\n"
      "rocm,AMD_Instinct_MI300X,PT_VERSION=2.11.0,GemmTunableOp_BFloat16_TN,"
      "tn_1_8_64_ld_64_64_1,Gemm_Rocblas_12,12.5,0.0125,\n";
};

TEST_F(AgentExplainTunable, a_family_of_devices_is_looked_up_with_and_without_a_gpu) {
  for (const char* gfx : {"", "gfx942"}) {
    const Ran ran = OfList(gfx);
    EXPECT_EQ(ran.code, kFinding) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("tunableop: 2 shapes, missed 2 times; 1 with a tuned row"));
    EXPECT_THAT(ran.out, HasSubstr("tunehub-agent pull --hub http://hub:8080 --reader tunableop"));
    EXPECT_THAT(ran.out, HasSubstr("--device AMD_Instinct_MI300X"));
    EXPECT_THAT(ran.out, Not(HasSubstr("export ")));
    EXPECT_THAT(ran.out, Not(HasSubstr("--family tunableop")));
    EXPECT_THAT(ran.out, Not(HasSubstr("all rows of tunableop are of")));
    EXPECT_THAT(ran.out, Not(HasSubstr("AITER found")));
  }
}

}  // namespace
}  // namespace tunehub::agent::test
