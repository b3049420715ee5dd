// A log of each engine, with its messages of 2026. The tests count every line about a tuned file.
#include <gmock/gmock.h>

#include "core/misses/engine_lines.h"
#include "core/misses/miss_log.h"
#include "tests/support/readers.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct LogRead {
  std::vector<std::string> missed, found, remarks;  // "reader path xCOUNT"
  MissCounts counts;
  std::uint64_t spoken = 0;  // lines about tuned files, under any count
};

std::vector<std::string> Said(const std::vector<MissedFile>& files) {
  std::vector<std::string> said;
  for (const MissedFile& it : files) {
    said.push_back(it.file.reader + " " + it.asked.front() + " x" + std::to_string(it.count) +
                   (it.file.family.empty() ? " no family" : ""));
  }
  std::ranges::sort(said);
  return said;
}

LogRead ReadEngineLog(const std::vector<std::string>& lines) {
  MissLogOptions options;
  options.files = FileLinesOf(test::ShippedReaders());
  options.remarks = RemarksOf(test::ShippedReaders());
  MissLog log(test::ShippedFamilies(), options);
  for (const std::string& line : lines)
    log.Feed("(Worker_TP0 pid=7) 11-02 08:00:00 " + line + "\n");
  log.Finish();
  LogRead read{Said(log.Files()), Said(log.OtherFiles()), {}, log.counts(), 0};
  read.spoken = read.counts.misses + read.counts.known;
  for (const RemarkedLines& it : log.Remarks()) {
    read.remarks.push_back(it.reader + ": " + it.says);
    read.spoken += it.count;
  }
  EXPECT_EQ(read.spoken, lines.size());
  EXPECT_EQ(read.counts.unread + read.counts.fragments + read.counts.misnamed, 0U);
  return read;
}

TEST(EngineLogs, vllm) {
  const std::string moe = "E=72,N=640,device_name=NVIDIA_H200";
  const std::string gemm =
      "vllm/model_executor/layers/quantization/utils/configs/"
      "N=3840,K=2304,device_name=NVIDIA_H200,dtype=";
  const std::string ssu = "headdim=48,dstate=96,device_name=NVIDIA_H200,cache_dtype=float16.json";
  const auto read = ReadEngineLog({
      "Using configuration from /mine/" + moe + ".json for MoE layer.",
      "Using configuration from /mine/" + moe + ".json for MoE layer.",
      "Using configuration from /v/configs/" + moe + ".json for MoE layer.",
      "Using configuration from /v/" + gemm +
          "fp8_w8a8,block_shape=[128,128].json for W8A8 Block FP8 kernel.",
      "Using configuration from /v/" + gemm +
          "int8_w8a8,block_shape=[128, 128].json for W8A8 Block INT8 kernel.",
      "Using SSM config from /mine/" + ssu + " for selective_state_update.",
      "Using tuned LoRA kernel configs from /mine/NVIDIA_H200_SHRINK.json.",
      "Using default MoE config. Performance might be sub-optimal! Config file not found at "
      "/mine/" +
          moe + ",dtype=fp8_w8a16.json, /v/" + moe + ",dtype=fp8_w8a16.json",
      "Using default W8A8 Block INT8 kernel config. Performance might be sub-optimal! Config file "
      "not found at /v/" +
          gemm + "int8_w8a8,block_shape=[64, 128].json",
      "Using default Mamba SSU config. Performance might be sub-optimal! Config file not found at "
      "/mine/" +
          ssu + ", /v/" + ssu,
      "No LoRA kernel configs found in /mine/NVIDIA_H200_EXPAND_TRUE.json",
      "Using default LoRA kernel configs",
  });
  EXPECT_THAT(
      read.found,
      testing::UnorderedElementsAre(
          "vllm /mine/" + moe + ".json x2", "vllm /mine/NVIDIA_H200_SHRINK.json x1 no family",
          "vllm /mine/" + ssu + " x1", "vllm /v/" + gemm + "fp8_w8a8,block_shape=[128,128].json x1",
          "vllm /v/" + gemm + "int8_w8a8,block_shape=[128, 128].json x1",
          "vllm /v/configs/" + moe + ".json x1"))
      << "files with one name in two folders stay separate";
  EXPECT_EQ(read.missed.size(), 4U);
  EXPECT_EQ(read.remarks.size(), 1U);
}

TEST(EngineLogs, sglang) {
  const std::string configs = "/s/configs/";
  const std::string name =
      "E=72,N=640,device_name=NVIDIA_H20,dtype=fp8_w8a8,block_shape=[128, 128]";
  const std::string create = ", you can create them with a script of the benchmarks";
  const auto read = ReadEngineLog({
      "Using MoE kernel config from " + configs + "triton_3_7_1/" + name + ".json.",
      "Using MoE kernel config from /flat/" + name + ".json.",
      "Config file not found at " + configs + "triton_3_7_1/E=9,N=64,device_name=NVIDIA_H20.json" +
          ". Fallback to triton version 3.5.1 and use MoE kernel config from " + configs +
          "triton_3_5_1/E=9,N=64,device_name=NVIDIA_H20.json. Performance might be sub-optimal!",
      "Down MoE config file not found at " + configs + "triton_3_7_1/" + name +
          "_down.json; reusing the tuned up-projection config without TMA.",
      "Using default MoE kernel config. Performance might be sub-optimal! Config file not found "
      "at " +
          configs + "triton_3_7_1/E=8,N=64,device_name=NVIDIA_H20.json" + create,
      "Using configuration from /s/N=64,K=64,device_name=NVIDIA_H20,dtype=int8_w8a8,"
      "block_shape=[128, 128].json for W8A8 Block INT8 kernel.",
      "down_moe config BLOCK_SIZE_M=32 does not match up config BLOCK_SIZE_M=64 at M=5; overriding",
  });
  EXPECT_EQ(read.missed.size(), 3U);
  EXPECT_EQ(read.found.size(), 3U);
  EXPECT_THAT(read.found, testing::Contains("sglang /flat/" + name + ".json x1 no family"))
      << "a found file counts under any name";
  EXPECT_EQ(read.remarks.size(), 1U);
}

TEST(EngineLogs, pytorch) {
  const auto read = ReadEngineLog({
      "reading tuning results from /t/tunableop_results0.csv",
      "could not open /t/tunableop_results1.csv for reading tuning results",
      "Failed validator: PT_VERSION",
      "results validator check failed",
  });
  EXPECT_EQ(read.remarks.size(), 4U);
  EXPECT_THAT(read.remarks.front(), HasSubstr("tunableop: "));
}

TEST(EngineLogs, aiters_merge_and_recorder) {
  const auto read = ReadEngineLog({
      "[aiter] merge tuned file under model_configs/ and configs/ /a/x.csv:/a/y.csv",
      "[aiter] Untuned config file not found: /a/x_untuned.csv. Using all columns for "
      "deduplication.",
      "[aiter] [AITER_TUNE_GEMM] recording untuned shapes to /r/a8w8_untuned_gemm.csv",
      "[aiter] [AITER_TUNE_GEMM] could not record untuned shape: no space",
  });
  EXPECT_EQ(read.remarks.size(), 4U);
  EXPECT_THAT(read.missed, IsEmpty());
}

// Log lines that name files, as users of vLLM and SGLang reported them.

using testing::ElementsAre;

std::vector<std::string> MissedIn(const PathLine& line, std::string_view text) {
  PathLine::Paths paths;
  if (!line.Match(text, paths)) return {"no match"};
  std::vector<std::string> missed(paths.missed.begin(), paths.missed.end());
  if (!paths.used.empty()) missed.push_back("used " + std::string(paths.used));
  return missed;
}

TEST(PathLine, one_or_several_paths_or_pythons_list) {
  const std::string head =
      "Using default MoE config. Performance might be sub-optimal! Config file not found at ";
  const PathLine line = Must(PathLine::Parse(head + "{paths}"));
  EXPECT_THAT(MissedIn(line, head + "/a/E=16,N=1536,device_name=NVIDIA_L40S.json"),
              ElementsAre("/a/E=16,N=1536,device_name=NVIDIA_L40S.json"));
  EXPECT_THAT(MissedIn(line, head + "['/a/E=1,block_shape=[128,128].json', '/b c/E=1.json']"),
              ElementsAre("/a/E=1,block_shape=[128,128].json", "/b c/E=1.json"));
  EXPECT_THAT(MissedIn(line, head + "/a/E=1,block_shape=[128,128].json, /b/E=2.json"),
              ElementsAre("/a/E=1,block_shape=[128,128].json", "/b/E=2.json"));
  EXPECT_THAT(MissedIn(line, head + "/a/E=1.json, you can see /b/E=2.json"),
              ElementsAre("/a/E=1.json"));
  EXPECT_THAT(MissedIn(line, head + "/a/E=1"), ElementsAre("no match"));
}

TEST(PathLine, a_template_names_a_path_and_what_was_read_in_its_place_is_no_miss) {
  const PathLine line = Must(PathLine::Parse(
      "Config file not found at {path}. Fallback to triton version {} and use MoE kernel config "
      "from {used}."));
  EXPECT_THAT(
      MissedIn(line,
               "Config file not found at /c/triton_3_5_1/E=1,block_shape=[128, 128].json. Fallback "
               "to triton version 3.4.0 and use MoE kernel config from "
               "/c/triton_3_4_0/E=1,block_shape=[128, 128].json. Performance might be"),
      ElementsAre("/c/triton_3_5_1/E=1,block_shape=[128, 128].json",
                  "used /c/triton_3_4_0/E=1,block_shape=[128, 128].json"));
  const auto code = [](std::string_view text) { return ErrorText(PathLine::Parse(text)); };
  EXPECT_EQ(code("at {path}"), "");
  EXPECT_EQ(code("{path} is"), "bad_template: needs text before each place");
  EXPECT_EQ(code("at {path}{used}"), "bad_template: needs text before each place");
  EXPECT_EQ(code("at {M}"), "bad_template: has a place {M}");
  EXPECT_EQ(code("at {path"), "bad_template: has a brace without its closing brace");
  EXPECT_EQ(code("at {}"), "bad_template: needs a place for the path");
}

}  // namespace
}  // namespace tunehub::core
