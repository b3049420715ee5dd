// A reader's files over HTTP: one file by its name in a miss line, or all files as the reader's
// folder.
#include <map>

#include "core/base/hash.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/archive.h"

namespace tunehub::test {
namespace {

using testing::Not;
using Ordered = nlohmann::ordered_json;

const std::string kMi300 = "AMD_Instinct_MI300X", kMi325 = "AMD_Instinct_MI325X";

std::string Config(int block_m) {
  return R"("{""BLOCK_SIZE_M"":)" + std::to_string(block_m) + R"(,""num_warps"":4}")";
}

struct MoeKey {
  std::string engine = "vllm", device = kMi300, triton = "", dtype = "fp8_w8a8", blocks = "0,0";
};
std::string MoeRow(const MoeKey& key, const std::string& m, int block_m,
                   const std::string& us = "") {
  return key.engine + "," + key.device + "," + key.triton + ",8,2048," + key.dtype + "," +
         key.blocks + ",0,0,," + m + "," + Config(block_m) + "," + us + "\n";
}

std::string FileName(const std::string& device, const std::string& rest = ",dtype=fp8_w8a8") {
  return "E=8,N=2048,device_name=" + device + rest + ".json";
}

class ReaderFilesTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    const std::string rows =
        MoeRow({}, "16", 64) + MoeRow({}, "1", 16, "7.5") + MoeRow({}, "2", 32) +
        MoeRow({.blocks = "128,128"}, "1", 16) +
        MoeRow({.device = kMi325, .dtype = "int8_w8a16"}, "1", 128) +
        MoeRow({.engine = "sglang", .triton = "3.4.0"}, "1", 17) +
        MoeRow({.engine = "sglang", .triton = "3.4.0"}, "64", 18) +
        MoeRow({.engine = "sglang", .triton = "3.5.1"}, "64", 19) +
        MoeRow({.engine = "sglang", .triton = "3.4.0", .blocks = "128,128"}, "4", 20) +
        MoeRow({.engine = "sglang", .triton = "3.4.0", .dtype = "int4_w4a16"}, "4", 21) +
        MoeRow({.device = "NVIDIA_Made_Up", .dtype = ""}, "", 1);
    ASSERT_EQ(Verdict(Submitter().Post("/results/triton_fused_moe", kMoeHeader + rows)), "200");
    Good(Submitter().Post(
        "/results/triton_block_gemm",
        "engine,device,N,K,dtype,input_dtype,out_dtype,block_n,block_k,M,config,us\n"
        "vllm," +
            kMi300 + ",512,7168,fp8_w8a8,,,128,128,1," + Config(16) + ",\n"));
    Good(Submitter().Post("/results/triton_gemm",
                          "engine,gfx,layout,op,B,N,K,sizes,bucket,config,us\n"
                          "aiter,gfx942,gemm,GEMM-A16W16,,,,,any," +
                              Config(16) +
                              ",\n"
                              "aiter,gfx942,gemm,GEMM-A16W16,,256,7168,,M_LEQ_8," +
                              Config(8) + ",\n"));
  }

  static RawAnswer File(const std::string& reader, const std::string& path,
                        const Headers& headers = {}) {
    return Open().Get("/files/" + reader + "/" + path, headers);
  }
  // The files of a tree, by their names in the archive.
  static std::map<std::string, std::string> Tree(const std::string& target) {
    const RawAnswer answer = Open().Get("/tree/" + target);
    EXPECT_EQ(Verdict(answer), "200") << answer.body;
    return Unpacked(answer.body);
  }
};

TEST_F(ReaderFilesTest, the_name_of_a_miss_line_is_the_address) {
  const RawAnswer answer = File("vllm", FileName(kMi300));
  EXPECT_EQ(answer.body,
            "{\n    \"1\": {\n        \"BLOCK_SIZE_M\": 16,\n        \"num_warps\": 4\n    },\n"
            "    \"2\": {\n        \"BLOCK_SIZE_M\": 32,\n        \"num_warps\": 4\n    },\n"
            "    \"16\": {\n        \"BLOCK_SIZE_M\": 64,\n        \"num_warps\": 4\n    }\n}\n");
  EXPECT_EQ(answer.Header("content-type"), "application/json");
}

TEST_F(ReaderFilesTest, brackets_and_blanks_come_as_they_are_or_encoded) {
  const std::string vllm =
      File("vllm", FileName(kMi300, ",dtype=fp8_w8a8,block_shape=[128,128]")).body;
  EXPECT_THAT(vllm, HasSubstr("\"BLOCK_SIZE_M\": 16"));
  EXPECT_EQ(File("vllm", FileName(kMi300, ",dtype=fp8_w8a8,block_shape=%5B128%2C128%5D")).body,
            vllm);
  const std::string folder = "triton_3_4_0/";
  const std::string sglang =
      File("sglang", folder + FileName(kMi300, ",dtype=fp8_w8a8,block_shape=[128,%20128]")).body;
  EXPECT_THAT(sglang, HasSubstr("\"BLOCK_SIZE_M\": 20"));
  EXPECT_EQ(
      File("sglang", folder + FileName(kMi300, ",dtype=fp8_w8a8,block_shape=[128,+128]")).body,
      sglang);
  EXPECT_EQ(
      File("sglang", FileName(kMi300, ",dtype=fp8_w8a8,block_shape=[128,+128]") + "?triton=3.4.0")
          .body,
      sglang);
}

TEST_F(ReaderFilesTest, an_answer_is_kept_as_a_table_is) {
  const RawAnswer first = File("vllm", FileName(kMi300));
  const std::string etag = first.Header("etag");
  EXPECT_FALSE(etag.empty());
  EXPECT_EQ(File("vllm", FileName(kMi300), {{"If-None-Match", etag}}).status, 304);
  EXPECT_EQ(first.Header("cache-control"), "no-cache");
  const std::string pin = first.Header("tunehub-pin");
  const RawAnswer pinned = File("vllm", FileName(kMi300) + "?revision=" + pin);
  EXPECT_EQ(pinned.body, first.body);
  EXPECT_THAT(pinned.Header("cache-control"), HasSubstr("immutable"));
  const RawAnswer packed = File("vllm", FileName(kMi300), {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed.Header("content-encoding"), "gzip");
  EXPECT_NE(packed.Header("etag"), etag);
}

TEST_F(ReaderFilesTest, an_empty_file_is_an_empty_object) {
  EXPECT_EQ(Ordered::parse(File("vllm", FileName("NVIDIA_Made_Up", "")).body), Ordered::object());
}

TEST_F(ReaderFilesTest, a_siblings_row_is_served_to_who_asks_for_it) {
  const RawAnswer none = File("vllm", FileName(kMi325));
  EXPECT_EQ(Verdict(none), "404 no_rows");
  EXPECT_EQ(none.Header("tunehub-borrowed-rows"), "");
  const RawAnswer lent = File("vllm", FileName(kMi325) + "?borrow=sibling");
  EXPECT_EQ(lent.body, File("vllm", FileName(kMi300)).body);
  EXPECT_EQ(lent.Header("tunehub-borrowed-rows"), "3;device=" + kMi300);
  // Here the device has its own rows, so the hub borrows none.
  const RawAnswer own = File("vllm", FileName(kMi325, ",dtype=int8_w8a16") + "?borrow=sibling");
  EXPECT_THAT(own.body, HasSubstr("128"));
  EXPECT_EQ(own.Header("tunehub-borrowed-rows"), "");
}

TEST_F(ReaderFilesTest, another_engines_rows_fill_what_is_missing_and_are_counted) {
  const RawAnswer answer = File("vllm", FileName(kMi300) + "?from=sglang&triton=3.4.0");
  const auto json = Ordered::parse(answer.body);
  EXPECT_EQ(json.at("1").at("BLOCK_SIZE_M"), 16) << "its own";
  EXPECT_EQ(json.at("64").at("BLOCK_SIZE_M"), 18);
  EXPECT_EQ(answer.Header("tunehub-borrowed-rows"), "1;engine=sglang;triton=3.4.0");
  EXPECT_THAT(File("vllm", FileName(kMi300) + "?from=sglang").Header("tunehub-borrowed-rows"),
              HasSubstr("triton=3.5.1"));
  const RawAnswer int4 = File("vllm", FileName(kMi300, ",dtype=int4_w4a16") + "?from=sglang");
  EXPECT_EQ(Verdict(int4), "409 not_borrowed") << int4.body;
  EXPECT_EQ(Verdict(File("vllm", FileName(kMi300) + "?from=rocm")), "400 bad_parameter");
}

TEST_F(ReaderFilesTest, a_version_that_no_name_says_is_asked_of_the_runs) {
  const auto send = [](const std::string& triton, int block_m) {
    const auto run = Submitter().Post("/runs", R"({"triton":")" + triton + R"("})",
                                      {{"Content-Type", "application/json"}});
    const std::string id = JsonOf(run).at("id").dump();
    const std::string row = MoeRow({.dtype = "int8_w8a8"}, "1", block_m);
    EXPECT_EQ(Verdict(Submitter().Post("/results/triton_fused_moe?run=" + id, kMoeHeader + row)),
              "200");
  };
  send("3.4.0", 31);
  send("3.5.1", 32);
  const std::string name = FileName(kMi300, ",dtype=int8_w8a8");
  EXPECT_THAT(File("vllm", name).body, HasSubstr("\"BLOCK_SIZE_M\": 32")) << "the latest";
  for (const char* option : {"triton", "run.triton"}) {
    const RawAnswer old = File("vllm", name + "?" + option + "=3.4");
    EXPECT_THAT(old.body, HasSubstr("\"BLOCK_SIZE_M\": 31")) << option;
  }
  EXPECT_EQ(Verdict(File("vllm", name + "?triton=3.6")), "404 no_rows");
  EXPECT_EQ(Verdict(File("aiter", "gemm/gfx942-GEMM-A16W16.json?triton=3.4")), "404 no_rows");
}

TEST_F(ReaderFilesTest, a_name_outside_the_grammar_is_refused_with_its_part) {
  const auto problem = JsonOf(File("vllm", "E=eight,N=2048,device_name=x.json"));
  EXPECT_EQ(problem.at("code"), "bad_name");
  EXPECT_THAT(problem.at("detail").get<std::string>(), HasSubstr("E="));
  EXPECT_EQ(Verdict(File("vllm", "notes.txt")), "400 bad_name");
  EXPECT_EQ(Verdict(File("trtllm", "E=8.json")), "404 unknown_reader");
  EXPECT_EQ(Verdict(File("vllm", FileName(kMi300) + "?prune=padded")), "400 unknown_parameter");
  EXPECT_EQ(Verdict(File("vllm", FileName(kMi300) + "?nothing=1")), "400 unknown_parameter");
}

TEST_F(ReaderFilesTest, a_tree_is_the_folder_that_the_variable_wants) {
  const auto vllm = Tree("vllm");
  EXPECT_EQ(vllm.at("vllm/" + FileName(kMi300)), File("vllm", FileName(kMi300)).body);
  EXPECT_TRUE(vllm.contains("vllm/" + FileName(kMi325, ",dtype=int8_w8a16")));
  EXPECT_THAT(vllm.at("env.sh"),
              HasSubstr("export VLLM_TUNED_CONFIG_FOLDER=\"$TUNEHUB_TREE/vllm\""));
  EXPECT_THAT(vllm.at("SHA256SUMS"),
              HasSubstr(core::Sha256Hex(vllm.at("vllm/" + FileName(kMi300)))));
  const auto sglang = Tree("sglang");
  EXPECT_TRUE(sglang.contains("sglang/configs/triton_3_4_0/" + FileName(kMi300)));
  EXPECT_TRUE(sglang.contains("sglang/configs/triton_3_5_1/" + FileName(kMi300)));
  EXPECT_THAT(sglang.at("env.sh"), HasSubstr("SGLANG_MOE_CONFIG_DIR=\"$TUNEHUB_TREE/sglang\""));
}

TEST_F(ReaderFilesTest, a_tree_of_a_product_has_its_names_and_no_siblings) {
  const auto mi325 = Tree("vllm?device=MI325X");
  EXPECT_TRUE(mi325.contains("vllm/" + FileName(kMi325, ",dtype=int8_w8a16")));
  for (const auto& [name, bytes] : mi325) EXPECT_THAT(name, Not(HasSubstr("MI300X")));
  EXPECT_FALSE(mi325.contains("vllm/" + FileName(kMi325)));
  const RawAnswer lent = Open().Get("/tree/vllm?device=" + kMi325 + "&borrow=sibling");
  EXPECT_THAT(lent.Header("tunehub-borrowed-rows"), HasSubstr("device=" + kMi300));
  EXPECT_TRUE(
      Tree("vllm?device=" + kMi325 + "&borrow=sibling").contains("vllm/" + FileName(kMi325)));
  EXPECT_EQ(Verdict(Open().Get("/tree/vllm?device=MI308X")), "404 no_rows");
  EXPECT_EQ(Verdict(Open().Get("/tree/vllm?borrow=sibling")), "400 bad_parameter");
}

TEST_F(ReaderFilesTest, the_stores_without_a_variable_are_trees_too) {
  const auto gemm = Tree("vllm?family=triton_block_gemm");
  EXPECT_TRUE(gemm.contains("vllm/N=512,K=7168,device_name=" + kMi300 +
                            ",dtype=fp8_w8a8,block_shape=[128,128].json"));
  EXPECT_THAT(gemm.at("env.sh"), HasSubstr("tunehub-agent install --reader vllm"));
  const auto aiter = Tree("aiter?gfx=gfx942");
  EXPECT_TRUE(aiter.contains("aiter/gemm/gfx942-GEMM-A16W16.json"));
  EXPECT_TRUE(aiter.contains("aiter/gemm/gfx942-GEMM-A16W16-N=256-K=7168.json"));
  EXPECT_EQ(File("aiter", "gemm/gfx942-GEMM-A16W16.json").body,
            aiter.at("aiter/gemm/gfx942-GEMM-A16W16.json"));
  EXPECT_EQ(Verdict(Open().Get("/tree/vllm?family=fmoe")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/tree/aiter?gfx=gfx950")), "404 no_rows");
}

// For each set of validators there is one content. It has the file name of each GPU of a host.
TEST_F(ReaderFilesTest, tunableops_rows_are_one_file_for_each_set_of_validators) {
  const std::string shape = "GemmTunableOp_float_NN,nn_50_33_70_ld_50_70_50";
  const auto row = [&](const std::string& validators, const std::string& solution) {
    return "rocm," + kMi300 + "," + validators + "," + shape + "," + solution + ",12.3,0.0123,\n";
  };
  Good(Submitter().Post("/results/tunableop",
                        "engine,device,validators,op,params,solution,us,ms,blas_params\n" +
                            row("PT_VERSION=2.10.0", "Gemm_Rocblas_7") +
                            row("PT_VERSION=2.11.0", "Gemm_Hipblaslt_9")));
  const std::string place = kMi300 + "/PT_VERSION=2.11.0/";
  const std::string text = "Validator,PT_VERSION,2.11.0\n" + shape + ",Gemm_Hipblaslt_9,0.0123\n";
  EXPECT_EQ(File("tunableop", place + "tunableop_results%25d.csv").body, text);
  EXPECT_EQ(File("tunableop", place + "tunableop_results3.csv").body, text);
  EXPECT_EQ(File("tunableop",
                 "tunableop_results0.csv?device=" + kMi300 + "&validators=PT_VERSION%3D2.11.0")
                .body,
            text);
  EXPECT_EQ(Verdict(File("tunableop", kMi300 + "/PT_VERSION=2.9.0/tunableop_results0.csv")),
            "404 no_rows");
  EXPECT_EQ(Verdict(File("tunableop", "tunableop_results0.csv")), "400 bad_name");
  // PyTorch reads one file, so the request must name one set of validators.
  EXPECT_EQ(Verdict(Open().Get("/tree/tunableop")), "400 bad_parameter");
  const auto tree = Tree("tunableop?validators=PT_VERSION%3D2.11.0");
  for (int gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(tree.at("tunableop/tunableop_results" + std::to_string(gpu) + ".csv"), text);
  }
  EXPECT_THAT(tree.at("env.sh"), HasSubstr("PYTORCH_TUNABLEOP_FILENAME=\"$TUNEHUB_TREE/tunableop/"
                                           "tunableop_results%d.csv\""));
}

TEST_F(ReaderFilesTest, the_same_tree_is_the_same_bytes) {
  const RawAnswer first = Open().Get("/tree/sglang"), again = Open().Get("/tree/sglang");
  EXPECT_EQ(first.body, again.body);
  EXPECT_EQ(Open().Get("/tree/sglang", {{"If-None-Match", first.Header("etag")}}).status, 304);
  const std::string revision = first.Header("tunehub-revision");
  // The signatures name the requested revision, and the last revision that changed the files.
  auto pinned = Tree("sglang?revision=" + revision), newest = Tree("sglang");
  EXPECT_EQ(pinned.erase("SHA256SUMS.minisig"), 1);
  EXPECT_EQ(newest.erase("SHA256SUMS.minisig"), 1);
  EXPECT_EQ(pinned, newest);
}

}  // namespace
}  // namespace tunehub::test
