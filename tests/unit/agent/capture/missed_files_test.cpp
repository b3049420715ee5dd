// Runs the whole `explain` command on a log and a folder, for files that vLLM or SGLang did not
// find.
#include <nlohmann/json.hpp>

#include "agent/capture/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::Not;

constexpr char kMissLine[] =
    "WARNING [fused_moe.py:727] Using default MoE config. Performance might be sub-optimal! Config "
    "file not found at ";
constexpr char kBody[] = R"({"1": {"BLOCK_SIZE_M": 16}, "64": {"BLOCK_SIZE_M": 64}})";

class ExplainFiles : public testing::Test {
 protected:
  int Run(CommandMain command, std::vector<std::string> words) {
    return RunCommand(command, std::move(words), console_);
  }
  std::string Log(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
      text += kMissLine + ("/p/vllm/model_executor/layers/fused_moe/configs/" + name) + "\n";
    }
    return folder_.Write("vllm.log", text);
  }

  TempFolder folder_, tables_;
  RecordingConsole console_;
};

TEST_F(ExplainFiles, each_file_is_said_with_the_rows_of_its_likes) {
  const std::string own = "E=8,N=7168,device_name=AMD_Instinct_MI300X.json";
  const std::string sibling = "E=16,N=7168,device_name=AMD_Instinct_MI325X.json";
  const std::string nobody = "E=32,N=7168,device_name=0x75b0.json";
  tables_.Write(own, kBody);
  tables_.Write("E=16,N=7168,device_name=AMD_Instinct_MI300X.json", kBody);
  const std::string log = Log({own, own, sibling, nobody});
  EXPECT_EQ(Run(RunExplain, {"explain", log, "--tables", tables_.path(), "--json"}), kFinding)
      << console_.err.str();
  const auto printed = nlohmann::json::parse(console_.out.str());
  ASSERT_EQ(printed["files"].size(), 3U);
  EXPECT_EQ(printed["files"][0]["path"], own);
  EXPECT_EQ(printed["files"][0]["count"], 2);
  EXPECT_EQ(printed["files"][0]["rows"], 2);
  EXPECT_EQ(printed["files"][1]["path"], sibling);
  EXPECT_EQ(printed["files"][1]["rows"], 0);
  EXPECT_EQ(printed["files"][1]["matches"][0]["like"], "sibling");
  EXPECT_EQ(printed["files"][1]["matches"][0]["device"], "AMD_Instinct_MI300X");
  EXPECT_EQ(printed["files"][2]["key"]["device"], "0x75b0");
  EXPECT_TRUE(printed["files"][2]["matches"].empty());

  EXPECT_EQ(Run(RunExplain, {"explain", log, "--tables", tables_.path()}), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("vllm: 3 files looked for and not found; rows for 1"));
  EXPECT_THAT(console_.out.str(), HasSubstr("rows of a GPU with the same architecture and CU "
                                            "count: vllm, AMD_Instinct_MI300X (2 rows"));
  EXPECT_THAT(console_.out.str(), HasSubstr("tunehub-agent import --reader vllm "));
  EXPECT_THAT(console_.out.str(),
              HasSubstr("tune --tuner vllm --family triton_fused_moe --engine"));
  EXPECT_THAT(console_.out.str(), Not(HasSubstr(" -i "))) << "vLLM's script has no option -i";
}

TEST_F(ExplainFiles, whether_a_file_is_used_is_said_with_its_path) {
  const std::string mine = "/mine/E=8,N=7168,device_name=AMD_Instinct_MI300X.json";
  const std::string found = "INFO Using configuration from " + mine + " for MoE layer.\n";
  const std::string log = folder_.Write("hits.log", found + found);
  EXPECT_EQ(Run(RunExplain, {"explain", log}), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(),
              HasSubstr(log + ": no miss in 2 lines: 1 config file was read\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("vllm: 1 file read, 2 times\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("\n      in /mine/\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("If your file is not listed here"));
  EXPECT_EQ(Run(RunCapture, {"capture", log, "--json"}), kGood);
  const auto printed = nlohmann::json::parse(console_.out.str());
  EXPECT_EQ(printed["used"][0]["asked"][0], mine);
  EXPECT_EQ(printed["known"], 2);

  const std::string miss = kMissLine + std::string("/mine/E=9,N=64,device_name=x.json, ") +
                           "/p/E=9,N=64,device_name=x.json\n";
  folder_.Write("hits.log", found + miss + "No LoRA kernel configs found in /mine/x_SHRINK.json\n" +
                                "reading tuning results from /t/a0.csv\n");
  EXPECT_EQ(Run(RunExplain, {"explain", log}), kFinding);
  const std::string out = console_.out.str();
  EXPECT_THAT(out, HasSubstr("2 config files were not found; 1 config file was read\n"));
  EXPECT_THAT(out, HasSubstr("          in /mine/\n"));
  EXPECT_THAT(out, HasSubstr("          in /p/\n"));
  EXPECT_THAT(
      out, HasSubstr("/mine/x_SHRINK.json\n          the hub does not store files of this kind\n"));
  EXPECT_THAT(out, HasSubstr("tunableop: PyTorch opens a file of results (1 x); the first: "));
}

TEST_F(ExplainFiles, capture_wants_every_m_of_the_ladder) {
  const std::string log = Log({"E=8,N=7168,device_name=AMD_Instinct_MI300X.json"});
  EXPECT_EQ(Run(RunCapture, {"capture", log, "--json"}), kGood) << console_.out.str();
  const auto printed = nlohmann::json::parse(console_.out.str());
  ASSERT_EQ(printed["shapes"].size(), 18U);
  EXPECT_EQ(printed["shapes"][0]["shape"]["M"], "1");
  EXPECT_EQ(printed["shapes"][17]["shape"]["M"], "4096");
  EXPECT_EQ(printed["shapes"][0]["shape"]["device"], "AMD_Instinct_MI300X");
  EXPECT_EQ(printed["shapes"][0]["gfx"], "gfx942");
  EXPECT_EQ(printed["files"][0]["reader"], "vllm");
  EXPECT_EQ(printed["misses"], 1);
}

TEST_F(ExplainFiles, rows_are_of_a_hub_or_of_tables) {
  EXPECT_EQ(Run(RunExplain, {"explain", Log({}), "--hub", "http://hub", "--tables", "x.csv"}),
            kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("either --tables or --hub"));
}

TEST_F(ExplainFiles, a_name_outside_the_grammar_is_a_finding) {
  const std::string log = Log({"E=8,M=7168,device_name=NVIDIA_H200.json"});
  EXPECT_EQ(Run(RunCapture, {"capture", log}), kFinding);
  EXPECT_THAT(console_.out.str(),
              HasSubstr("1 misses name a file that no known engine reads; the first: "));
  EXPECT_THAT(console_.out.str(), HasSubstr("position 5"));
}

TEST_F(ExplainFiles, a_folder_of_lists_is_read_as_a_log_is) {
  folder_.Write("dump/a8w8_blockscale_untuned_gemm.csv", "M,N,K\n16,1280,8192\n16,1280,8192\n");
  folder_.Write("dump/a8w8_untuned_gemm.csv", "M,N,K,q_dtype_w\n37,1280,8192,torch.int8\n");
  folder_.Write("dump/notes.txt", "M,N,K\n");
  EXPECT_EQ(Run(RunCapture, {"capture", folder_ / "dump", "--json"}), kGood)
      << console_.out.str() << console_.err.str();
  const auto printed = nlohmann::json::parse(console_.out.str());
  EXPECT_EQ(printed["misses"], 3);
  EXPECT_EQ(printed["shapes"].size(), 2U);
  folder_.Write("empty/notes.txt", "");
  EXPECT_EQ(Run(RunCapture, {"capture", folder_ / "empty"}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("no_untuned"));
}

}  // namespace
}  // namespace tunehub::agent::test
