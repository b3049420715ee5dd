// `import --reader tunableop` imports TunableOp's files, and the hub returns them for PyTorch.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

// PyTorch 2.11 wrote this on an H200. The versions and solutions are replaced by an AMD host's.
constexpr char kResults[] =
    "Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-\n"
    "Validator,HIPBLASLT_VERSION,1000-f0ce10ed8e\n"
    "Validator,PT_VERSION,2.11.0\n"
    "GemmAndBiasTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_4096_1024,Default,0.0145766\n"
    "GemmStridedBatchedTunableOp_Half_NN,nn_256_16_4096_B_4_ld_256_4096_256,Gemm_Rocblas_12\n"
    "GemmTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_4096_1024,Gemm_Hipblaslt_220,0.0119901\n";

class TunableImportTest : public HubTest {
 protected:
  Finished Import(const std::string& path, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"import",    Path(path), "--reader",
                                          "tunableop", "--json",   "--allow-shrink"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunAgent(std::move(arguments), {{"TUNEHUB_KEY", AdminKey()}});
  }
};

TEST_F(TunableImportTest, a_file_comes_back_byte_for_byte_and_default_is_a_baseline) {
  Write("tunableop_results0.csv", kResults);
  const Finished done = Import("tunableop_results0.csv", {"--device", "AMD_Instinct_MI300X"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const RawAnswer file = Good(
      Open().Get("/files/tunableop/AMD_Instinct_MI300X/GCN_ARCH_NAME=gfx942:sramecc%2B:xnack-%3B"
                 "HIPBLASLT_VERSION=1000-f0ce10ed8e%3BPT_VERSION=2.11.0/tunableop_results0.csv"));
  EXPECT_EQ(file.body, kResults);
  const Finished pulled = RunAgent({"pull", "--reader", "tunableop", "-o", Path("gemms")});
  EXPECT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_THAT(pulled.out, HasSubstr("\nexport PYTORCH_TUNABLEOP_FILENAME=" + Path("gemms") +
                                    "/tunableop_results%d.csv\n"));
  EXPECT_EQ(ReadText(Path("gemms/tunableop_results7.csv")), kResults);
  // The hub serves the row Default, but does not count it as tuned.
  const std::string all = Open().Get("/tuned/tunableop").body;
  const std::string tuned = Open().Get("/tuned/tunableop?measured=tuned").body;
  EXPECT_THAT(all, HasSubstr(",Default,14.5766,0.0145766"));
  EXPECT_THAT(tuned, testing::Not(HasSubstr(",Default,")));
  EXPECT_THAT(tuned, HasSubstr(",Gemm_Hipblaslt_220,11.9901,0.0119901"));
}

TEST_F(TunableImportTest, what_cannot_be_read_is_refused_with_a_sentence) {
  Write("none/a.json", "{}");
  Write("results.csv", "no results\n");
  EXPECT_THAT(Import("none").err, HasSubstr("no_files"));
  EXPECT_THAT(Import("results.csv").err, HasSubstr("nothing_to_import"));
  EXPECT_THAT(Import("nowhere").err, HasSubstr("no_folder"));
  const Finished other = RunAgent({"import", Path("none"), "--reader", "vllm", "--device", "X"});
  EXPECT_THAT(other.err, HasSubstr("--device needs --reader tunableop"));
}

}  // namespace
}  // namespace tunehub::test
