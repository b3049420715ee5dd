// The templates of the readers' files read log lines that users of vLLM and SGLang quoted.
#include <gmock/gmock.h>

#include "core/misses/miss_log.h"
#include "tests/support/readers.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamilies;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kVllmMoe[] =
    "(Worker_TP2_EP2 pid=2080) WARNING 09-24 20:53:34 [fused_moe.py:727] Using default MoE config. "
    "Performance might be sub-optimal! Config file not found at ";
constexpr char kVllmPackage[] =
    "/workspace/.venv/lib/python3.12/site-packages/vllm/model_executor/layers/fused_moe/configs/";
constexpr char kSglangMoe[] =
    "[2026-04-22 16:35:28 TP7 EP3] Using default MoE kernel config. Performance might be "
    "sub-optimal! Config file not found at ";
constexpr char kSglangPackage[] =
    "/envs/train/lib/python3.11/site-packages/sglang/srt/layers/moe/fused_moe_triton/configs/";
constexpr char kCreate[] =
    ", you can create them with "
    "https://github.com/sgl-project/sglang/tree/main/benchmark/kernels/fused_moe_triton";
constexpr char kGemm[] =
    "WARNING 02-26 19:12:19 [fp8_utils.py:458] Using default W8A8 Block FP8 kernel config. "
    "Performance might be sub-optimal! Config file not found at ";

struct FilesRead {
  std::vector<std::string> files, misnamed;
  MissCounts counts;
};

FilesRead ReadFiles(const std::string& log, bool hits = false) {
  MissLogOptions options;
  options.hits = hits;
  options.files = FileLinesOf(test::ShippedReaders());
  MissLog misses(ShippedFamilies(), options);
  misses.Feed(log);
  misses.Finish();
  FilesRead read;
  for (const MissedFile& it : misses.Files()) {
    read.files.push_back(it.file.reader + " " + it.file.path + " x" + std::to_string(it.count) +
                         (it.used.empty() ? "" : " used"));
  }
  for (const MisnamedFile& it : misses.Misnamed()) read.misnamed.push_back(it.error.detail);
  read.counts = misses.counts();
  return read;
}

std::string CellOf(const MissedFile& file, std::string_view column) {
  for (const auto& [name, value] : file.file.key) {
    if (name == column) return value;
  }
  return "no such column";
}

TEST(FileMisses, ranks_repeat_a_line_and_it_is_one_file) {
  const std::string name =
      "E=16,N=1536,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128,128].json";
  const std::string line = kVllmMoe + ("['" + std::string(kVllmPackage)) + name + "']\n";
  EXPECT_THAT(ReadFiles(line + "other words\n" + line).files, ElementsAre("vllm " + name + " x2"));
}

TEST(FileMisses, several_paths_of_one_line_are_one_miss) {
  const std::string name = "E=128,N=8192,device_name=NVIDIA_GeForce_RTX_4090.json";
  const std::string log = kVllmMoe + ("/my/tuned/" + name + ", ") + kVllmPackage + name + "\n";
  const auto read = ReadFiles(log);
  EXPECT_THAT(read.files, ElementsAre("vllm " + name + " x1"));
  EXPECT_EQ(read.counts.misses, 1U);
}

TEST(FileMisses, sglangs_folder_is_the_triton_version) {
  const std::string up = "triton_3_5_1/E=32,N=512,device_name=NVIDIA_H20.json";
  const std::string down = "triton_3_5_1/E=32,N=512,device_name=NVIDIA_H20_down.json";
  const std::string log = kSglangMoe + (kSglangPackage + up) + kCreate + "\n" +
                          "[TP7] Using MoE kernel config with down_moe=False. Performance might be "
                          "sub-optimal! Config file not found at " +
                          kSglangPackage + down + kCreate + "\n";
  EXPECT_THAT(ReadFiles(log).files, ElementsAre("sglang " + up + " x1", "sglang " + down + " x1"));
  EXPECT_THAT(ReadFiles(std::string("Down MoE config file not found at ") + kSglangPackage + down +
                        "; reusing the tuned up-projection config without TMA\n")
                  .files,
              ElementsAre("sglang " + down + " x1"));
}

TEST(FileMisses, a_fallback_to_another_triton_is_a_miss_that_says_what_was_read) {
  const std::string name =
      "E=257,N=128,device_name=NVIDIA_H100_80GB_HBM3,dtype=fp8_w8a8,block_shape=[128, 128].json";
  const std::string log =
      std::string("[TP13] Config file not found at ") + kSglangPackage + "triton_3_3_1/" + name +
      ". Fallback to triton version 3.2.0 and use MoE kernel config from " + kSglangPackage +
      "triton_3_2_0/" + name + ". Performance might be sub-optimal!\n";
  EXPECT_THAT(ReadFiles(log).files, ElementsAre("sglang triton_3_3_1/" + name + " x1 used"));
}

TEST(FileMisses, the_same_gemm_line_is_of_the_reader_whose_package_the_path_names) {
  const std::string vllm =
      "N=4096,K=7168,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128,128].json";
  const std::string sglang =
      "N=4096,K=7168,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128, 128].json";
  EXPECT_THAT(
      ReadFiles(kGemm + ("/p/vllm/model_executor/layers/quantization/utils/configs/" + vllm) + "\n")
          .files,
      ElementsAre("vllm " + vllm + " x1"));
  EXPECT_THAT(
      ReadFiles(kGemm + ("/p/sglang/srt/layers/quantization/configs/" + sglang) + "\n").files,
      ElementsAre("sglang " + sglang + " x1"));
  // In int8 file names, vLLM and SGLang write a blank.
  const std::string int8 =
      "N=512,K=7168,device_name=NVIDIA_L40S,dtype=int8_w8a8,block_shape=[128, 128].json";
  EXPECT_THAT(ReadFiles(kGemm + ("/p/sglang/srt/layers/quantization/configs/" + int8) + "\n").files,
              ElementsAre("sglang " + int8 + " x1"));
}

TEST(FileMisses, a_device_that_nobody_knows_is_kept_under_its_name) {
  MissLogOptions options;
  options.files = FileLinesOf(test::ShippedReaders());
  MissLog misses(ShippedFamilies(), options);
  misses.Feed(kVllmMoe + std::string("/c/E=8,N=7168,device_name=0x75b0.json\n"));
  misses.Finish();
  ASSERT_EQ(misses.Files().size(), 1U);
  EXPECT_EQ(CellOf(misses.Files().front(), "device"), "0x75b0");
  EXPECT_EQ(CellOf(misses.Files().front(), "engine"), "vllm");
  EXPECT_EQ(CellOf(misses.Files().front(), "E"), "8");
  EXPECT_EQ(CellOf(misses.Files().front(), "M"), "no such column");
  EXPECT_EQ(misses.Files().front().file.member, "M");
}

TEST(FileMisses, a_name_outside_the_grammar_is_said_with_part_and_position) {
  const auto read = ReadFiles(kVllmMoe + (kVllmPackage + std::string("E=8,M=7168,device_name=")) +
                              "NVIDIA_H200.json\n");
  EXPECT_THAT(read.files, IsEmpty());
  ASSERT_EQ(read.misnamed.size(), 1U);
  EXPECT_THAT(read.misnamed.front(), HasSubstr("position 5"));
  EXPECT_EQ(read.counts.misnamed, 1U);
  EXPECT_THAT(read.counts.first_misnamed, HasSubstr("position 5"));
}

TEST(FileMisses, a_text_that_is_no_devices_name_is_said_to_be_none) {
  const auto said = [](const std::string& device) {
    const auto read = ReadFiles(kVllmMoe + (kVllmPackage + std::string("E=8,N=7168,device_name=")) +
                                device + ",dtype=fp8_w8a8.json\n");
    return read.misnamed.empty() ? "a device" : read.misnamed.front();
  };
  for (const char* const none :
       {"<Mock name='asic.get()' id='7'>", "<Mock_id='7'>", "None", "NULL"}) {
    EXPECT_THAT(said(none), HasSubstr("' is not a real device's name")) << none;
    EXPECT_THAT(said(none), testing::Not(HasSubstr("position"))) << none;
  }
  for (const char* const device : {"0x75b0", "Orin_(nvgpu)", "NVIDIA_H100_80GB_HBM3", ""}) {
    EXPECT_EQ(said(device), "a device") << device;
  }
}

TEST(FileMisses, other_programs_words_are_none) {
  const auto read = ReadFiles("Config file not found at /etc/x.yaml\nno such line\n");
  EXPECT_THAT(read.files, IsEmpty());
  EXPECT_EQ(read.counts.unread, 0U);
  // A line that is cut off counts as unread.
  EXPECT_EQ(ReadFiles(kVllmMoe + std::string("/a/E=8,N=7")).counts.unread, 1U);
}

TEST(FileMisses, files_that_were_found) {
  const std::string name = "E=8,N=7168,device_name=NVIDIA_H200.json";
  const auto read = ReadFiles("INFO Using configuration from /t/" + name +
                                  " for MoE layer.\nUsing MoE kernel config from " +
                                  kSglangPackage + "triton_3_4_0/" + name + ".\n",
                              true);
  EXPECT_THAT(read.files,
              ElementsAre("sglang triton_3_4_0/" + name + " x1", "vllm " + name + " x1"));
}

TEST(FileMisses, every_line_of_the_readers_files_can_be_parsed) {
  std::size_t lines = 0;
  for (const FileLine& it : FileLinesOf(test::ShippedReaders())) {
    const auto line = PathLine::Parse(it.line);
    EXPECT_TRUE(line.ok()) << it.line << ": " << line.error().detail;
    EXPECT_THAT(it.line, HasSubstr(it.mark));
    ++lines;
  }
  EXPECT_GE(lines, 19U);
}

}  // namespace
}  // namespace tunehub::core
