// tunehub-agent contribute, of AITER's Triton configs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/agent/commands/contribute/contribute_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using test::ReadText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using BucketJson = nlohmann::ordered_json;

constexpr char kTritonFolder[] = "aiter/ops/triton/configs/";
constexpr char kDefaultFile[] = "gemm/gfx950-BATCHED_GEMM-A16WFP4.json";
constexpr char kSpecialFile[] = "gemm/gfx950-BATCHED_GEMM-A16WFP4-N=128-K=512.json";
const std::string kRowHeader = "engine,gfx,layout,op,B,N,K,sizes,bucket,config,us\n";

BucketJson Block(int block) {
  return {{"BLOCK_SIZE_M", block}, {"num_warps", 4}};
}

std::string Buckets(const std::vector<std::pair<std::string, int>>& buckets) {
  BucketJson json = BucketJson::object();
  for (const auto& [name, block] : buckets) json[name] = Block(block);
  return json.dump(4) + "\n";
}

// "N,K" of `sizes` may be ",": the default's.
std::string BucketRow(const std::string& sizes, const std::string& bucket, int block,
                      const std::string& us, const std::string& layout = "gemm",
                      const std::string& gfx = "gfx950") {
  std::string config;
  for (const char c : Block(block).dump()) config += c == '"' ? "\"\"" : std::string(1, c);
  return "aiter," + gfx + "," + layout + ",BATCHED_GEMM-A16WFP4,," + sizes + ",," + bucket + ",\"" +
         config + "\"," + us + "\n";
}

class BucketContribute : public test::ContributeTest {
 protected:
  BucketContribute() {
    Put(kDefaultFile, Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 64}, {"any", 128}}));
  }
  void Put(const std::string& path, const std::string& text) {
    tree_.Write(kTritonFolder + path, text);
  }
  std::string InTree(const std::string& path) {
    return ReadText(tree_.path() / kTritonFolder / path);
  }

  int Run(const std::string& rows, const std::vector<std::string>& more = {}) {
    const auto table = results_.Write("triton_gemm.csv", kRowHeader + rows);
    std::vector<std::string> words = {"--model", "m", "--results", table, "--in-place"};
    words.insert(words.end(), more.begin(), more.end());
    return Contribute(std::move(words));
  }

  struct MadeTime {
    int n, k, m;
    const char* bucket;
    double before, after;
  };
  // Made times, three runs of each.
  std::string Times(const std::vector<MadeTime>& times, const std::string& comments = "") {
    std::string csv = "# triton: 3.7.0\n" + comments + "kernel,B,M,N,K,bucket,config,us\n";
    for (const MadeTime& it : times) {
      for (int run = 0; run < 3; ++run) {
        for (const bool after : {false, true}) {
          csv += "batched_gemm_a16wfp4,16," + std::to_string(it.m) + "," + std::to_string(it.n) +
                 "," + std::to_string(it.k) + "," + it.bucket + (after ? ",new," : ",old,") +
                 std::to_string(after ? it.after : it.before) + "\n";
        }
      }
    }
    return results_.Write("times.csv", csv);
  }
};

TEST_F(BucketContribute, ANewSpecialFileHasTheDefaultsOtherBuckets) {
  ASSERT_EQ(Run(BucketRow("128,512", "M_LEQ_32", 32, "7.5")), kGood) << console_.err.str();
  EXPECT_EQ(InTree(kSpecialFile),
            Buckets({{"M_LEQ_16", 16}, {"M_LEQ_32", 32}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_EQ(InTree(kDefaultFile), Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("the other buckets are those of gemm/gfx950-BATCHED"));
  EXPECT_THAT(console_.out.str(), HasSubstr("| not known | 7.50 |"));
}

TEST_F(BucketContribute, WhatIsHeldOrFoundByNobodyStaysOut) {
  Put(kSpecialFile, Buckets({{"M_LEQ_16", 16}, {"any", 128}}));
  const int code = Run(BucketRow("128,512", "M_LEQ_16", 16, "7") +  // as it is
                       BucketRow("128,512", "any", 64, "7") +       // another config
                       BucketRow("128,512", "M_LEQ_24", 16, "7") +  // no bound of the lookup
                       BucketRow("128,512", "M_LEQ_64", 64, "") +   // declared
                       BucketRow(",", "M_LEQ_32", 32, "7"));        // the default's
  EXPECT_EQ(code, kFinding) << console_.err.str();
  for (const char* line : {"left out, key_held: 2\n", "left out, never_selected: 1\n",
                           "left out, not_measured: 2\n", "is read by every shape without"}) {
    EXPECT_THAT(console_.out.str(), HasSubstr(line));
  }
}

TEST_F(BucketContribute, AConfigWithoutAMemberOfTheOthersStaysOut) {
  std::string row = BucketRow("128,512", "M_LEQ_32", 32, "7");
  row.replace(row.find(",\"\"num_warps\"\":4"), 16, "");
  EXPECT_EQ(Run(row), kFinding) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("has 'num_warps'"));
}

TEST_F(BucketContribute, KeysOfAnOpenPullRequestStayOut) {
  const test::TempFolder other;
  Put(kSpecialFile, Buckets({{"any", 128}}));
  other.Write(std::string(kTritonFolder) + kDefaultFile, Buckets({{"any", 128}}));
  other.Write(std::string(kTritonFolder) + kSpecialFile, Buckets({{"M_LEQ_16", 8}, {"any", 128}}));
  other.Write(std::string(kTritonFolder) + "gemm/gfx950-BATCHED_GEMM-A16WFP4-N=512-K=128.json",
              Buckets({{"any", 128}}));
  ASSERT_EQ(
      Run(BucketRow("128,512", "M_LEQ_16", 16, "7") + BucketRow("128,512", "M_LEQ_64", 64, "7") +
              BucketRow("512,128", "M_LEQ_16", 8, "7"),
          {"--against", other.path()}),
      kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(kSpecialFile), Buckets({{"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, key_held: 1\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, file_held: 1\n"));
}

TEST_F(BucketContribute, ADefaultThatHarmsNobodyWhoWasMeasuredGrows) {
  const auto times = Times({{128, 512, 32, "M_LEQ_32", 20, 12}, {512, 128, 32, "M_LEQ_32", 9, 9}});
  ASSERT_EQ(Run(BucketRow(",", "M_LEQ_32", 32, "12"), {"--measured", times}), kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(kDefaultFile),
            Buckets({{"M_LEQ_16", 16}, {"M_LEQ_32", 32}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("faster at B=16 N=128 K=512 M=32: 20.00 -> 12.00 us"));
  EXPECT_THAT(console_.out.str(), HasSubstr("* triton: 3.7.0"));
}

// The story of pull request 3283; the times are made.
TEST_F(BucketContribute, ADefaultEditThatHarmsAnotherIsASpecialFileOfHybridBuckets) {
  const auto times = Times({{128, 512, 16, "M_LEQ_16", 6, 8},
                            {128, 512, 64, "M_LEQ_64", 20, 14},
                            {512, 128, 64, "M_LEQ_64", 18, 23}});
  ASSERT_EQ(Run(BucketRow(",", "M_LEQ_16", 32, "8") + BucketRow(",", "M_LEQ_64", 32, "14"),
                {"--measured", times}),
            kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(kDefaultFile), Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_EQ(InTree(kSpecialFile), Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 32}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, slower: 1\n"));
}

TEST_F(BucketContribute, AKernelsFilesStayInTheFolderThatTheTreeHasThemIn) {
  fs::remove(tree_.path() / kTritonFolder / kDefaultFile);
  const std::string folder = "gfx950/triton/gemm/batched_gemm_a16wfp4/";
  Put(folder + "DEFAULT.json", Buckets({{"any", 128}}));
  ASSERT_EQ(Run(BucketRow("128,512", "M_LEQ_16", 16, "7")), kGood) << console_.err.str();
  EXPECT_EQ(InTree(folder + "BATCHED_GEMM-A16WFP4-N=128-K=512.json"),
            Buckets({{"M_LEQ_16", 16}, {"any", 128}}));
}

TEST_F(BucketContribute, AFirstFileOfAKernelAnswersForEveryM) {
  fs::remove(tree_.path() / kTritonFolder / kDefaultFile);
  Put("gemm/gfx950-GEMM-A8W8.json", Buckets({{"any", 128}}));
  EXPECT_EQ(Run(BucketRow(",", "M_LEQ_16", 16, "7")), kFinding) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("no bucket is there for M=17, where AITER stops"));
  ASSERT_EQ(Run(BucketRow(",", "M_LEQ_16", 16, "7") + BucketRow(",", "any", 64, "9")), kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(kDefaultFile), Buckets({{"M_LEQ_16", 16}, {"any", 64}}));
}

TEST_F(BucketContribute, AnEditedTreeIsAnOfferToo) {
  const test::TempFolder edit;
  edit.Write(kDefaultFile, Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 32}, {"any", 128}}));
  const auto times = Times({{128, 512, 64, "M_LEQ_64", 20, 14}});
  ASSERT_EQ(Run("", {"--results", edit.path(), "--measured", times}), kGood) << console_.err.str();
  EXPECT_EQ(InTree(kDefaultFile), Buckets({{"M_LEQ_16", 16}, {"M_LEQ_64", 32}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, key_held: 2\n"));
}

TEST_F(BucketContribute, TimesThatFitNoFileAreNamed) {
  const auto times = Times({{128, 512, 64, "M_LEQ_32", 20, 14}});
  EXPECT_EQ(Run(BucketRow(",", "M_LEQ_64", 32, "14"), {"--measured", times}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("times.csv:3: column bucket: 'M_LEQ_32'"));
}

// Where each has a default, and the times are of one.
TEST_F(BucketContribute, TimesOfOneArchitectureChangeNoFileOfAnother) {
  const std::string other = "gemm/gfx942-BATCHED_GEMM-A16WFP4.json";
  const std::string before = Buckets({{"M_LEQ_16", 16}, {"any", 128}});
  Put(other, before);
  const std::string rows =
      BucketRow(",", "M_LEQ_32", 32, "12") + BucketRow(",", "M_LEQ_32", 64, "12", "gemm", "gfx942");
  const std::vector<MadeTime> made = {{128, 512, 32, "M_LEQ_32", 20, 12}};
  EXPECT_EQ(Run(rows, {"--measured", Times(made)}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("gfx942, gfx950"));
  EXPECT_THAT(console_.err.str(), HasSubstr("times.csv:3"));
  EXPECT_EQ(InTree(other), before);
  ASSERT_EQ(Run(rows, {"--measured", Times(made, "# gfx: gfx950:sramecc+:xnack-\n")}), kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(other), before);
  EXPECT_EQ(InTree(kDefaultFile),
            Buckets({{"M_LEQ_16", 16}, {"M_LEQ_32", 32}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, not_measured: 1\n"));
}

TEST_F(BucketContribute, ATimeOfOneOfferedConfigSaysNothingOfAnother) {
  const auto times =
      Times({{128, 512, 32, "M_LEQ_32", 20, 30}, {512, 128, 32, "M_LEQ_32", 20, 10}});
  ASSERT_EQ(Run(BucketRow(",", "M_LEQ_32", 32, "12") + BucketRow("128,512", "M_LEQ_32", 99, "12"),
                {"--measured", times}),
            kGood)
      << console_.err.str();
  EXPECT_EQ(InTree(kDefaultFile),
            Buckets({{"M_LEQ_16", 16}, {"M_LEQ_32", 32}, {"M_LEQ_64", 64}, {"any", 128}}));
  EXPECT_FALSE(fs::exists(tree_.path() / kTritonFolder / kSpecialFile));
  EXPECT_THAT(console_.out.str(), HasSubstr("faster at B=16 N=512 K=128 M=32"));
}

TEST_F(BucketContribute, OfTwoLayoutsOfOneBucketTheFasterIsOffered) {
  for (const bool first : {true, false}) {
    fs::remove(tree_.path() / kTritonFolder / kSpecialFile);
    ASSERT_EQ(
        Run(BucketRow("128,512", "M_LEQ_32", first ? 32 : 99, first ? "5" : "9") +
            BucketRow("128,512", "M_LEQ_32", first ? 99 : 32, first ? "9" : "5", "triton/gemm")),
        kGood)
        << console_.err.str();
    EXPECT_EQ(InTree(kSpecialFile),
              Buckets({{"M_LEQ_16", 16}, {"M_LEQ_32", 32}, {"M_LEQ_64", 64}, {"any", 128}}));
    EXPECT_THAT(console_.out.str(), HasSubstr("left out, other_layout: 1\n"));
    EXPECT_THAT(console_.out.str(), HasSubstr(": 1 new rows"));
  }
}

TEST_F(BucketContribute, WhatIsHeldAgainstMustBeThere) {
  const std::string row = BucketRow("128,512", "M_LEQ_32", 32, "7");
  EXPECT_EQ(Run(row, {"--against", tree_ / "nosuch/folder"}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("nosuch/folder"));
  const test::TempFolder other;
  const std::string table = other.Write("tables/a8w8_tuned_gemm.csv", "gfx\n");
  for (const std::string& against : {table, other.path().string()}) {  // which have no such files
    fs::remove(tree_.path() / kTritonFolder / kSpecialFile);
    EXPECT_EQ(Run(row, {"--against", against}), kGood) << console_.err.str();
    EXPECT_THAT(console_.out.str(), Not(HasSubstr("held against"))) << against;
  }
  other.Write(std::string(kTritonFolder) + kDefaultFile, Buckets({{"any", 128}}));
  fs::remove(tree_.path() / kTritonFolder / kSpecialFile);
  EXPECT_EQ(Run(row, {"--against", other.path()}), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("held against"));
}

TEST_F(BucketContribute, WhereNothingIsLeftTheReasonsAreSaid) {
  const test::TempFolder edit;
  edit.Write(kSpecialFile, "[]");
  EXPECT_EQ(Contribute({"--model", "m", "--results", edit.path()}), kFinding) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("left out, "));
  EXPECT_THAT(console_.out.str(), HasSubstr(kSpecialFile));
}

// The usual pull request: the default stays where it is.
TEST_F(BucketContribute, ANewSpecialFileAloneIsAnOffer) {
  const test::TempFolder edit;
  edit.Write(kSpecialFile, Buckets({{"M_LEQ_16", 8}, {"any", 128}}));
  const auto times = Times({{128, 512, 16, "M_LEQ_16", 20, 14}});
  ASSERT_EQ(Run("", {"--results", edit.path(), "--measured", times}), kGood)
      << console_.out.str() << console_.err.str();
  EXPECT_EQ(InTree(kSpecialFile), Buckets({{"M_LEQ_16", 8}, {"M_LEQ_64", 64}, {"any", 128}}));
}

}  // namespace
}  // namespace tunehub::agent
