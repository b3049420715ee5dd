// The agent accepts a file of a hub's tree only if the agent's own readers look for it.
#include "agent/hub/tree.h"

#include "tests/support/result.h"
#include "tests/unit/agent/tree_support.h"

namespace tunehub::agent::test {
namespace {

struct OneFile {
  std::string reader, family, name, bytes;
};

const std::string kM = R"({"1": {"BLOCK_SIZE_M": 16}})", kBucket = R"({"any": {"NUM_KSPLIT": 1}})",
                  kCsv = "Validator,PT_VERSION,2.11.0\n";
const std::string kDevice = "device_name=AMD_Instinct_MI300X";

// One file of each store.
const std::vector<OneFile> kHonest = {
    {"vllm", "triton_fused_moe", "E=8,N=1024," + kDevice + ".json", kM},
    {"vllm", "triton_block_gemm",
     "N=1536,K=7168," + kDevice + ",dtype=fp8_w8a8,block_shape=[128,128].json", kM},
    {"sglang", "triton_fused_moe", "configs/triton_3_4_0/E=8,N=1024," + kDevice + ".json", kM},
    {"sglang", "triton_block_gemm", "N=1536,K=7168," + kDevice + ".json", kM},
    {"aiter", "triton_gemm", "gemm/gfx942-GEMM-A8W8.json", kBucket},
    {"aiter", "triton_gemm", "gfx950/triton/gemm/gemm_a8w8/DEFAULT.json", kBucket},
    {"aiter", "triton_file", "gfx950/gluon/attention/mha/mha.json", R"({"fwd": {"pe": [1]}})"},
    {"tunableop", "tunableop", "tunableop_results7.csv", kCsv},
};

class AgentTree : public testing::Test {
 protected:
  core::Result<Tree> Parse(const OneFile& file, const std::string& asked,
                           nlohmann::json said = nlohmann::json::object()) const {
    said["reader"] = file.reader;
    said["family"] = file.family;
    return ParseTree(TreeArchive({{file.name, file.bytes}}, said),
                     *configuration_.readers.Find(asked));
  }
  // Returns the reason of the refusal, or "" if the file is accepted.
  std::string Refusal(const OneFile& file, const std::string& asked) const {
    return ErrorText(Parse(file, asked));
  }

  const Configuration configuration_ = RealConfiguration();
};

TEST_F(AgentTree, has_what_its_reader_looks_for) {
  for (const OneFile& file : kHonest) {
    const auto tree = Parse(file, file.reader);
    ASSERT_TRUE(tree.ok()) << file.name << tree.error().detail;
    EXPECT_EQ(tree->files, (std::map<std::string, std::string>{{file.name, file.bytes}}));
    EXPECT_EQ(tree->store->family->name, file.family);
    EXPECT_EQ(tree->value, file.reader == "tunableop" ? "/tunableop_results%d.csv" : "");
  }
}

TEST_F(AgentTree, a_name_that_is_no_config_of_the_store_is_refused) {
  for (const OneFile& honest : kHonest) {
    std::vector<std::string> names = {
        "__init__.py",         "utils/x.json",         "x.json",
        "configs/__init__.py", "gemm/__init__.py",     "x.pth",
        honest.name + ".py",   "utils/" + honest.name, "tunableop_results8.csv",
        "results0.csv"};
    if (honest.name.starts_with("configs/")) names.push_back(honest.name.substr(8));
    for (const std::string& name : names) {
      const OneFile lie{honest.reader, honest.family, name, honest.bytes};
      EXPECT_THAT(Refusal(lie, lie.reader),
                  HasSubstr("bad_tree: the tree's file " + name + ": bad_name"))
          << honest.name;
    }
  }
}

TEST_F(AgentTree, ADeviceOfOtherCharactersThanADevicesIsRefused) {
  const OneFile honest = kHonest.front();
  for (const std::string device : {"$(id)", "a b", "a;id", "a'b", "`id`", "a:b"}) {
    OneFile lie = honest;
    lie.name = "E=8,N=1024,device_name=" + device + ".json";
    EXPECT_THAT(Refusal(lie, "vllm"), HasSubstr("bad_tree: ")) << device;
  }
  OneFile good = honest;
  good.name = "E=8,N=1024,device_name=NVIDIA_RTX-4.0_(x)+.json";
  EXPECT_EQ(Refusal(good, "vllm"), "");
}

TEST_F(AgentTree, contents_that_the_reader_could_not_read_are_refused) {
  for (const OneFile& honest : kHonest) {
    for (const std::string& bytes : {std::string("import os\n"), std::string("[1]"),
                                     std::string(R"({"triton_version": )"), std::string("")}) {
      const OneFile lie{honest.reader, honest.family, honest.name, bytes};
      EXPECT_THAT(Refusal(lie, lie.reader), HasSubstr("bad_tree: the tree's file ")) << bytes;
    }
  }
  OneFile large = kHonest[0];
  large.bytes.insert(1, 4 << 20, ' ');
  EXPECT_THAT(Refusal(large, "vllm"), HasSubstr("too_large"));
  const OneFile word{"vllm", "triton_fused_moe", kHonest[0].name, R"({"os": {}})"};
  EXPECT_THAT(Refusal(word, "vllm"), HasSubstr("bad_m: member 'os': expected an integer"));
}

TEST_F(AgentTree, a_line_that_no_hub_writes_refuses_the_tree) {
  const std::string row = "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50,";
  for (const std::string& line :
       {std::string("Validator,PT_VERSION,9.9\n"), std::string("Validator,9.9\n"),
        std::string("x\n"), std::string("Validators,nn_1_2_3,Default\n"), row + "\n",
        row + "Default\r\n", row + "Default,0.0001\n" + row + "Gemm_Rocblas_7,0.1\n",
        row + "Gemm Rocblas,0.1\n", row + "Default,0\n", row + "Default,0.1,x,y'\n"}) {
    const OneFile lie{"tunableop", "tunableop", "tunableop_results0.csv", kCsv + line};
    EXPECT_THAT(Refusal(lie, "tunableop"), HasSubstr("bad_tree: the tree's file ")) << line;
  }
  const OneFile honest{"tunableop", "tunableop", "tunableop_results0.csv",
                       kCsv + row + "Default,0.0001,BLAS_PARAMS: {M: 1, N: 2}\n" +
                           "GemmTunableOp_float_NN,nn_*_33_70_ld_*_70_*,Gemm_Rocblas_7,0.1\n"};
  EXPECT_EQ(Refusal(honest, "tunableop"), "");
}

TEST_F(AgentTree, AnArchiveThatIsNotJustWhatItsSumsListIsRefused) {
  const OneFile& file = kHonest.front();
  const std::string name = file.reader + "/" + file.name, digest = core::Sha256Hex(file.bytes);
  const std::string tree = R"({"format":"tunehub-tree","version":1,"reader":"vllm",)"
                           R"("family":"triton_fused_moe"})";
  std::string sums = digest + "  " + name + "\n";
  for (const auto& [beside, bytes] :
       {std::pair<std::string, std::string>{"tree.json", tree}, {"env.sh", "x"}})
    sums += core::Sha256Hex(bytes) + "  " + beside + "\n";
  const std::vector<core::TarFile> honest = {
      {name, file.bytes}, {"SHA256SUMS", sums}, {"tree.json", tree}, {"env.sh", "x"}};
  const auto refusal = [&](std::vector<core::TarFile> files, const std::string& sums_text) {
    files[1].bytes = sums_text;
    return ErrorText(ParseTree(core::WriteTarGz(files), *configuration_.readers.Find("vllm")));
  };
  EXPECT_EQ(refusal(honest, sums), "");
  EXPECT_THAT(refusal(honest, sums + digest + "  vllm/gone.json\n"),
              HasSubstr("bad_bundle: vllm/gone.json: "));
  EXPECT_THAT(refusal(honest, sums + sums), HasSubstr("bad_bundle: " + name));
  EXPECT_THAT(refusal(honest, sums + "x\n"), HasSubstr("bad_bundle: SHA256SUMS"));
  auto files = honest;
  files.back().bytes = "rm -rf /";
  EXPECT_THAT(refusal(files, sums), HasSubstr("bad_bundle: env.sh: its SHA-256 differs"));
  files = honest;
  files.push_back({"other/x.json", "{}"});
  EXPECT_THAT(refusal(files, sums), HasSubstr("bad_bundle: other/x.json: "));
  files.back() = honest.front();
  EXPECT_THAT(refusal(files, sums), HasSubstr("bad_archive"));
}

TEST_F(AgentTree, another_reader_and_a_family_that_is_none_of_the_readers_are_refused) {
  OneFile file = kHonest.front();
  EXPECT_THAT(Refusal(file, "sglang"),
              HasSubstr("of the reader 'vllm'; this command needs the reader 'sglang'"));
  EXPECT_EQ(Refusal(file, "vllm"), "");
  for (const std::string family :
       {"triton_block_gemm", "triton_gemm", "fmoe", "", "../x", "\x1B[2J"}) {
    file.family = family;
    const std::string refusal = Refusal(file, "vllm");
    EXPECT_THAT(refusal, HasSubstr("bad_tree: the tree's file")) << family;
    EXPECT_EQ(refusal.find('\x1B'), std::string::npos);
  }
}

TEST_F(AgentTree, nothing_else_that_tree_json_says_counts) {
  for (const OneFile& file : kHonest) {
    const auto tree = Must(Parse(
        file, file.reader, {{"variable", "LD_PRELOAD"}, {"value", "/x"}, {"packages", {"vllm"}}}));
    EXPECT_THAT(tree.value, testing::AnyOf("", "/tunableop_results%d.csv"));
    EXPECT_THAT(tree.store->packages, testing::Not(testing::Contains("vllm")));
  }
}

}  // namespace
}  // namespace tunehub::agent::test
