// Lines of vLLM's and SGLang's logs that name files, as they stand in reports of their users.
#include <gmock/gmock.h>

#include "core/misses/file_misses.h"

namespace tunehub::core {
namespace {

using testing::ElementsAre;

PathLine Parsed(std::string_view text) {
  auto line = PathLine::Parse(text);
  EXPECT_TRUE(line.ok()) << line.error().detail;
  return *std::move(line);
}

std::vector<std::string> MissedIn(const PathLine& line, std::string_view text) {
  PathLine::Paths paths;
  if (!line.Match(text, paths)) return {"no match"};
  std::vector<std::string> missed(paths.missed.begin(), paths.missed.end());
  if (!paths.used.empty()) missed.push_back("used " + std::string(paths.used));
  return missed;
}

constexpr char kVllm[] =
    "Using default MoE config. Performance might be sub-optimal! Config file not found at {paths}";

TEST(PathLine, one_or_several_paths_or_pythons_list) {
  const PathLine line = Parsed(kVllm);
  const std::string head =
      "Using default MoE config. Performance might be sub-optimal! Config file not found at ";
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

TEST(PathLine, what_was_read_in_place_of_the_path_is_no_miss) {
  const PathLine line = Parsed(
      "Config file not found at {path}. Fallback to triton version {} and use MoE kernel config "
      "from {used}.");
  EXPECT_THAT(
      MissedIn(line,
               "Config file not found at /c/triton_3_5_1/E=1,block_shape=[128, 128].json. Fallback "
               "to triton version 3.4.0 and use MoE kernel config from "
               "/c/triton_3_4_0/E=1,block_shape=[128, 128].json. Performance might be"),
      ElementsAre("/c/triton_3_5_1/E=1,block_shape=[128, 128].json",
                  "used /c/triton_3_4_0/E=1,block_shape=[128, 128].json"));
}

TEST(PathLine, a_template_names_a_path_and_nothing_else) {
  const auto code = [](std::string_view text) {
    const auto line = PathLine::Parse(text);
    return line.ok() ? std::string() : line.error().code + ": " + line.error().detail;
  };
  EXPECT_EQ(code("at {path}"), "");
  EXPECT_EQ(code("{path} is"), "bad_template: has no text before a place");
  EXPECT_EQ(code("at {path}{used}"), "bad_template: has no text before a place");
  EXPECT_EQ(code("at {M}"), "bad_template: has a place {M}");
  EXPECT_EQ(code("at {path"), "bad_template: has an open brace");
  EXPECT_EQ(code("at {}"), "bad_template: names no path");
}

}  // namespace
}  // namespace tunehub::core
