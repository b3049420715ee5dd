// tunehub-agent contribute, to a tree of vLLM's or SGLang's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/readers.h"
#include "tests/unit/agent/commands/contribute/contribute_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using test::ReadText;
using testing::ElementsAre;
using testing::HasSubstr;
using Ordered = nlohmann::ordered_json;

constexpr char kMoeFolder[] = "vllm/model_executor/layers/fused_moe/configs/";
constexpr char kOfH200[] = "E=8,N=7168,device_name=NVIDIA_H200,dtype=fp8_w8a8.json";

Ordered ConfigOf(int block) {
  return {{"BLOCK_SIZE_M", block}, {"BLOCK_SIZE_N", 64}, {"BLOCK_SIZE_K", 128},
          {"GROUP_SIZE_M", 1},     {"num_warps", 4},     {"num_stages", 3}};
}

// As upstream's tuners write a file.
std::string Body(const std::vector<std::pair<std::string, int>>& members) {
  Ordered json = Ordered::object();
  for (const auto& [m, block] : members) json[m] = ConfigOf(block);
  return json.dump(4) + "\n";
}

std::vector<std::string> KeysIn(const fs::path& file) {
  std::vector<std::string> keys;
  const Ordered body = Ordered::parse(ReadText(file));
  for (const auto& [key, value] : body.items()) keys.push_back(key);
  return keys;
}

class ReaderContribute : public test::ContributeTest {
 protected:
  ReaderContribute() {
    tree_.Write(std::string(kMoeFolder) + kOfH200, Body({{"1", 16}, {"64", 32}}));
  }
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), {"--model", "mixtral"});
    return Contribute(std::move(words));
  }
};

TEST_F(ReaderContribute, NewMembersGoBetweenThoseThatAreThereAndTheseStay) {
  results_.Write(kOfH200, Body({{"1", 128}, {"16", 16}, {"128", 64}}));
  results_.Write("E=16,N=7168,device_name=NVIDIA_H200.json", Body({{"8", 16}}));
  ASSERT_EQ(Run({"--results", results_.path(), "-o", out_.path()}), kGood) << console_.err.str();
  EXPECT_EQ(ReadText(out_.path() / kMoeFolder / kOfH200),
            Body({{"1", 16}, {"16", 16}, {"64", 32}, {"128", 64}}));
  EXPECT_EQ(ReadText(out_.path() / kMoeFolder / "E=16,N=7168,device_name=NVIDIA_H200.json"),
            Body({{"8", 16}}));
  EXPECT_EQ(ReadText(tree_.path() / kMoeFolder / kOfH200), Body({{"1", 16}, {"64", 32}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, key_held: 1\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("how fast it was before is not known"));
}

TEST_F(ReaderContribute, MembersOfAnOpenPullRequestStayOut) {
  const test::TempFolder other;
  other.Write(std::string(kMoeFolder) + kOfH200, Body({{"16", 16}}));
  results_.Write(kOfH200, Body({{"16", 16}, {"128", 64}}));
  ASSERT_EQ(Run({"--results", results_.path(), "--against", other.path(), "--in-place"}), kGood)
      << console_.err.str();
  EXPECT_THAT(KeysIn(tree_.path() / kMoeFolder / kOfH200), ElementsAre("1", "64", "128"));
}

TEST_F(ReaderContribute, RowsOfAnotherEngineAreNotVllms) {
  const auto table = results_.Write(
      "triton_fused_moe.csv",
      "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,backend,M,config,us\n"
      "sglang,NVIDIA_H200,3.4.0,8,7168,fp8_w8a8,0,0,0,0,,16,\"{\"\"BLOCK_SIZE_M\"\":16}\",10\n"
      "vllm,NVIDIA_H200,,8,7168,fp8_w8a8,0,0,0,0,,16,\"{\"\"BLOCK_SIZE_M\"\":16}\",10\n");
  ASSERT_EQ(Run({"--results", table, "--in-place"}), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, other_engine: 1\n"));
  EXPECT_THAT(KeysIn(tree_.path() / kMoeFolder / kOfH200), ElementsAre("1", "16", "64"));
}

TEST_F(ReaderContribute, AFileWhoseOrderIsItsOwnIsLeftAlone) {
  tree_.Write(std::string(kMoeFolder) + kOfH200, Body({{"64", 32}, {"1", 16}}));
  results_.Write(kOfH200, Body({{"16", 16}}));
  EXPECT_EQ(Run({"--results", results_.path(), "--in-place"}), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, odd_order: 1\n"));
  EXPECT_EQ(ReadText(tree_.path() / kMoeFolder / kOfH200), Body({{"64", 32}, {"1", 16}}));
}

TEST_F(ReaderContribute, TwoFoldersOfOneFileMakeOneFile) {
  const test::TempFolder second;
  results_.Write(kOfH200, Body({{"16", 16}}));
  second.Write(kOfH200, Body({{"16", 32}, {"128", 64}}));
  ASSERT_EQ(Run({"--results", results_.path(), second.path(), "--in-place"}), kGood)
      << console_.err.str();
  EXPECT_EQ(ReadText(tree_.path() / kMoeFolder / kOfH200),
            Body({{"1", 16}, {"16", 16}, {"64", 32}, {"128", 64}}));
}

TEST_F(ReaderContribute, OnlyAndBeforeHoldOfFoldersToo) {
  results_.Write(kOfH200, Body({{"16", 16}, {"128", 64}}));
  const std::string key =
      "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,"
      "backend,M";
  const std::string row = "vllm,NVIDIA_H200,,8,7168,fp8_w8a8,0,0,0,0,,16";
  const test::TempFolder tables;
  const auto only = tables.Write("only.csv", key + "\n" + row + "\n");
  const auto before = tables.Write(
      "before.csv", key + ",config,us\n" + row + ",\"{\"\"BLOCK_SIZE_M\"\":16}\",12.5\n");
  ASSERT_EQ(Run({"--results", results_.path(), "--only", only, "--before", before, "--in-place"}),
            kGood)
      << console_.err.str();
  EXPECT_THAT(KeysIn(tree_.path() / kMoeFolder / kOfH200), ElementsAre("1", "16", "64"));
  EXPECT_THAT(console_.out.str(), HasSubstr("| 12.50 | not measured |"));
}

// Written anew it would lose what is not read, or mean something else.
TEST_F(ReaderContribute, AFileWithMoreThanItsMembersIsLeftAlone) {
  Ordered versioned = Ordered::parse(Body({{"1", 16}}));
  versioned["triton_version"] = "3.4.0";
  results_.Write(kOfH200, Body({{"16", 16}}));
  for (const std::string& odd : {versioned.dump(4), std::string("{}")}) {
    tree_.Write(std::string(kMoeFolder) + kOfH200, odd);
    EXPECT_EQ(Run({"--results", results_.path(), "--in-place"}), kFinding) << console_.err.str();
    EXPECT_THAT(console_.out.str(), HasSubstr("left out, odd_file: 1\n"));
    EXPECT_EQ(ReadText(tree_.path() / kMoeFolder / kOfH200), odd);
  }
}

// Upstream's rules of such a tree, said again: the name's parts, integers as keys in ascending
// order, none twice, every old member as it was.
TEST(RealReaderContribution, ACopyOfTheRealTreeKeepsUpstreamsRules) {
  const fs::path real = tunehub::test::RealTree("sglang");
  if (real.empty()) GTEST_SKIP() << "no files of SGLang beside the repository: TUNEHUB_DATA";
  const test::TempFolder tree, results;
  const std::string folder = "python/sglang/srt/layers/moe/fused_moe_triton/configs";
  fs::create_directories(tree.path() / folder);
  fs::copy(real / "fused_moe", tree.path() / folder, fs::copy_options::recursive);
  std::map<std::string, std::string> before;
  for (const auto& it : fs::recursive_directory_iterator(tree.path() / folder)) {
    if (!it.is_regular_file()) continue;
    before[it.path().lexically_relative(tree.path() / folder).string()] = ReadText(it.path());
  }
  // M = 12345 in the place of each file's last member, and the first member once more.
  std::size_t offered = 0;
  for (const auto& [name, bytes] : before) {
    const Ordered body = Ordered::parse(bytes, nullptr, false);
    if (!body.is_object() || body.size() < 2 || body.contains("triton_version")) continue;
    Ordered made = Ordered::object();
    made[body.begin().key()] = ConfigOf(16);
    made["12345"] = std::prev(body.end()).value();
    results.Write(name, made.dump(4));
    ++offered;
  }
  test::RecordingConsole console;
  std::vector<std::string> words = {"contribute",
                                    tree.path(),
                                    "--reader",
                                    "sglang",
                                    "--model",
                                    "m",
                                    "--results",
                                    results.path(),
                                    "--in-place",
                                    "--configs",
                                    TUNEHUB_SOURCE_DIR "/configs"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  ASSERT_EQ(RunContribute(static_cast<int>(argv.size()), argv.data(), console.console), kGood)
      << console.err.str();
  std::size_t grown = 0;
  for (const auto& [name, bytes] : before) {
    const std::string now = ReadText(tree.path() / folder / name);
    if (now == bytes) continue;
    ++grown;
    const Ordered old = Ordered::parse(bytes), body = Ordered::parse(now);
    EXPECT_EQ(body.size(), old.size() + 1) << name;
    long last = -1;
    for (const auto& [key, value] : body.items()) {
      EXPECT_EQ(key.find_first_not_of("0123456789"), std::string::npos) << name;
      EXPECT_GT(std::stol(key), last) << name;
      last = std::stol(key);
      if (key == "12345") continue;
      EXPECT_EQ(value, old.at(key)) << name << ' ' << key;
    }
  }
  EXPECT_GE(grown + 5, offered) << console.out.str();
  EXPECT_GT(grown, 10U);
}

TEST_F(ReaderContribute, WhatIsHeldAgainstIsATree) {
  const test::TempFolder other;
  const std::string file = other.Write(std::string(kMoeFolder) + kOfH200, Body({{"16", 16}}));
  results_.Write(kOfH200, Body({{"16", 16}}));
  EXPECT_EQ(Run({"--results", results_.path(), "--against", file}), kFailed) << console_.out.str();
  EXPECT_THAT(console_.err.str(), HasSubstr("is no folder"));
}

}  // namespace
}  // namespace tunehub::agent
