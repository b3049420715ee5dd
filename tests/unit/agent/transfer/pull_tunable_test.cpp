// tunehub-agent pull --reader tunableop writes one body under each file name that PyTorch opens.
#include <algorithm>

#include "tests/unit/agent/transfer/pull_support.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

const std::string kBody = "Validator,PT_VERSION,2.11.0\n";

// A hub's tree of TunableOp's results: the same body under the names of eight GPUs.
Answer TunableTree(const std::string& body, const std::string& etag = "\"e\"") {
  std::map<std::string, std::string> files;
  for (int gpu = 0; gpu < core::kTunableDevices; ++gpu) {
    files[core::TunableFileName(core::kTunableFileName, gpu)] = body;
  }
  Answer answer = TreeOf({}, etag);
  answer.body = TreeArchive(files, {{"reader", "tunableop"}, {"family", "tunableop"}});
  return answer;
}

class AgentPullTunable : public PullTest {
 protected:
  AgentPullTunable() {
    options_.reader = "tunableop";
    options_.output = folder_ / "configs";
  }
  std::string Read(const std::string& name) const {
    return ReadText(fs::path(options_.output) / name);
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& it : fs::directory_iterator(options_.output)) {
      if (it.path().filename() != ".tunehub.json") names.push_back(it.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(AgentPullTunable, one_body_has_the_names_that_pytorch_opens) {
  hub_.answers = {TunableTree(kBody)};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Files().size(), 8U);
  EXPECT_EQ(Read("tunableop_results7.csv"), kBody);
  EXPECT_THAT(console_.out.str(), HasSubstr("/configs/tunableop_results%d.csv\n"));
}

TEST_F(AgentPullTunable, the_line_to_export_is_one_word_of_a_shell) {
  hub_.answers = {TunableTree(kBody)};
  options_.output = folder_ / "o x";
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(),
              HasSubstr("export PYTORCH_TUNABLEOP_FILENAME='" +
                        fs::canonical(options_.output).string() + "/tunableop_results%d.csv'\n"));
}

TEST_F(AgentPullTunable, another_name_takes_the_number_in_the_place_of_its_percent_d) {
  hub_.answers = {
      TunableTree(kBody), {304, {{"tunehub-pin", "8-" + kTreeToken}}, ""}, TunableTree(kBody)};
  options_.file_name = "gpu%d_%d.csv";
  options_.gpus = 10;
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Read("gpu9_%d.csv"), kBody) << "only the first %d is replaced";
  EXPECT_EQ(Files().size(), 10U);
  EXPECT_THAT(console_.out.str(),
              HasSubstr("FILENAME=" + fs::canonical(options_.output).string() + "/gpu%d_%d.csv\n"));
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(HeaderOf(hub_.requests[1], "If-None-Match"), "\"e\"");
  EXPECT_THAT(console_.out.str(), HasSubstr("10 files of tunableop"));
  // The hub's bytes stay the same, but the names and the number of files change.
  options_.file_name = "results.csv";
  options_.gpus = 2;
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(HeaderOf(hub_.requests[2], "If-None-Match"), "");
  EXPECT_THAT(Files(), testing::ElementsAre("results0.csv", "results1.csv"));
}

TEST_F(AgentPullTunable, a_lock_pins_the_hubs_files_whatever_they_are_called) {
  options_.lock = folder_ / "tunehub.lock";
  hub_.answers = {TunableTree(kBody), TunableTree(kBody), TunableTree(kBody)};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  options_.file_name = "x%d.csv";
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Files().front(), "x0.csv");
}

TEST_F(AgentPullTunable, a_name_that_pytorch_would_not_find_is_refused) {
  options_.file_name = "results";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("must contain %d or a dot"));
  options_.file_name = "a/b%d.csv";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("-o names the folder"));
  options_.file_name = core::kTunableFileName;
  options_.output = folder_ / "gemm%d";
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("the folder's name contains %d"));
  options_.reader = "vllm";
  options_.gpus = 2;
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("work only together with --reader tunableop"));
  EXPECT_TRUE(hub_.requests.empty());
}

}  // namespace
}  // namespace tunehub::agent::test
