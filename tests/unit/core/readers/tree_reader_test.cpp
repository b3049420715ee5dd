#include "core/readers/tree_reader.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/readers.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using List = std::vector<std::string>;

const std::string kMoe = "E=8,N=7168,device_name=NVIDIA_H200.json";
const std::string kOne = R"({"1": {"x": 1}})";

TreeReading Read(const char* reader,
                 const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<TreeEntry> entries;
  for (const auto& [path, bytes] : files) entries.push_back({path, path, bytes});
  return ReadTree(test::ShippedReader(reader), test::ShippedTargets(), entries);
}

// Returns "file [member] code" for each finding, with ! if the reader leaves the member or file
// out.
List Found(const TreeReading& reading) {
  List found;
  for (const Finding& it : reading.findings) {
    found.push_back(it.file + (it.member.empty() ? "" : " " + it.member) + " " + it.code +
                    (it.aside ? "!" : ""));
  }
  return found;
}

std::size_t RowsOf(const TreeReading& reading) {
  std::size_t rows = 0;
  for (const TreeTable& table : reading.tables) rows += table.rows;
  return rows;
}

TEST(TreeReader, a_member_is_a_row_of_its_stores_family) {
  const auto reading = Read("vllm", {{"moe/" + kMoe, R"({"1": {"x": 1, "y": "a,b"}})"},
                                     {"N=5,K=6,device_name=NVIDIA_H200.json", kOne},
                                     {"package.json", "{}"},
                                     {"other/a.json", "["}});
  ASSERT_EQ(reading.tables.size(), 2U);
  EXPECT_EQ(
      reading.tables[0].csv,
      "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,backend,M,config,"
      "place,us,made_with\n"
      "vllm,NVIDIA_H200,,8,7168,,0,0,0,0,,1,\"{\"\"x\"\":1,\"\"y\"\":\"\"a,b\"\"}\",,,\n");
  EXPECT_EQ(reading.tables[1].family->name, "triton_block_gemm");
  EXPECT_EQ(Found(reading), List{});
  EXPECT_EQ(reading.unread, (std::map<std::string, std::size_t>{{".", 1}, {"other", 1}}));
}

// Returns the findings of one file, without its name.
std::string SaidOf(const char* reader, const std::string& name) {
  const auto reading = Read(reader, {{name, kOne}});
  std::string said = std::to_string(RowsOf(reading)) + " rows";
  for (const Finding& it : reading.findings) {
    if (it.code != "unknown_device") said += ", " + it.code + ": " + it.detail;
  }
  return said;
}

TEST(TreeReader, a_name_with_a_word_that_no_state_asks_for_is_kept_aside) {
  const auto moe = [](const std::string& word) {
    return SaidOf("vllm", "E=8,N=7168,device_name=NVIDIA_H200,dtype=" + word + ".json");
  };
  EXPECT_EQ(
      moe("bf16"),
      "0 rows, never_asked: vLLM never searches for dtype=bf16: weights of 16 bits have no dtype "
      "in the name");
  EXPECT_EQ(moe("int8_w8a8").find("0 rows, never_asked: vLLM never searches for dtype=int8_w8a8"),
            0U);
  EXPECT_EQ(
      moe("fp7").find(
          "0 rows, never_asked: vLLM never searches for dtype=fp7: it searches only for fp8_w8a8"),
      0U);
  for (const char* word : {"fp8_w8a8", "fp8_w8a16", "int8_w8a16", "int4_w4a16", "float32"}) {
    EXPECT_EQ(moe(word), "1 rows");
  }
  EXPECT_EQ(moe("mxfp4_w4a4").find("1 rows, noted_word: dtype=mxfp4_w4a4: "), 0U)
      << "an older state of vLLM requests this dtype";
  const std::string gemm = "N=5,K=6,device_name=NVIDIA_H200,dtype=";
  EXPECT_EQ(SaidOf("vllm", gemm + "int8_w8a8,block_shape=[128, 128].json"), "1 rows");
  EXPECT_EQ(SaidOf("sglang", "triton_3_7_1/E=8,N=64,device_name=NVIDIA_H20,dtype=int8_w8a8.json"),
            "1 rows");
  EXPECT_EQ(SaidOf("sglang", "triton_3_7_1/E=8,N=64,device_name=NVIDIA_H20,dtype=int4_w4a16.json")
                .find("1 rows, noted_word: dtype=int4_w4a16: "),
            0U);
}

TEST(TreeReader, mambas_files_are_rows_by_the_batch) {
  const std::string name = "headdim=48,dstate=96,device_name=NVIDIA_H200,cache_dtype=";
  const auto reading =
      Read("vllm",
           {{name + "float16.json", R"({"triton_version": "3.6.0", "64": {"BLOCK_SIZE_M": 8}})"}});
  EXPECT_EQ(Found(reading), List{name + "float16.json triton_version file_member"});
  ASSERT_EQ(reading.tables.size(), 1U);
  EXPECT_EQ(reading.tables[0].csv,
            "engine,device,headdim,dstate,cache_dtype,batch,config,place,us,made_with\n"
            "vllm,NVIDIA_H200,48,96,float16,64,\"{\"\"BLOCK_SIZE_M\"\":8}\",,,triton=3.6.0\n");
  EXPECT_EQ(
      SaidOf("vllm", name + "bfloat16.json"),
      "0 rows, never_asked: vLLM never searches for cache_dtype=bfloat16: a cache of bfloat16 is "
      "looked up as float16");
}

TEST(TreeReader, files_that_no_store_takes_are_called_not_supported) {
  const auto reading = Read("vllm", {{"NVIDIA_H200_SHRINK.json", "{}"},
                                     {"NVIDIA_H200_EXPAND_FALSE.json", "{}"},
                                     {"other.json", "{}"}});
  EXPECT_EQ(Found(reading), (List{"NVIDIA_H200_EXPAND_FALSE.json not_supported!",
                                  "NVIDIA_H200_SHRINK.json not_supported!"}));
  EXPECT_EQ(reading.findings[0].detail.find("LoRA kernels: "), 0U);
  EXPECT_EQ(reading.files_aside, 2U);
  EXPECT_EQ(reading.unread, (std::map<std::string, std::size_t>{{".", 1}}));
  EXPECT_EQ(Found(Read("sglang", {{"csgmv_configs/triton_3_5_1/lora_shrink,K=64.json", "{}"}})),
            List{"csgmv_configs/triton_3_5_1/lora_shrink,K=64.json not_supported!"});
}

TEST(TreeReader, of_two_files_of_one_key_with_different_bodies_neither_is_taken) {
  const auto reading = Read("vllm", {{"a/" + kMoe, kOne}, {"b/" + kMoe, R"({"1": {"x": 2}})"}});
  EXPECT_EQ(Found(reading), (List{"a/" + kMoe + " two_bodies!", "b/" + kMoe + " two_bodies!"}));
  ASSERT_EQ(reading.findings.size(), 2U);
  EXPECT_THAT(reading.findings[0].detail, testing::HasSubstr("'b/" + kMoe + "'"));
  EXPECT_THAT(reading.findings[1].detail, testing::HasSubstr("'a/" + kMoe + "'"));
  EXPECT_EQ(RowsOf(reading), 0U);
  EXPECT_EQ(reading.files_aside, 2U);
}

TEST(TreeReader, the_same_file_twice_is_taken_once) {
  const auto reading = Read("vllm", {{"a/" + kMoe, kOne}, {"b/" + kMoe, R"({ "1" : {"x":1} })"}});
  EXPECT_EQ(Found(reading), List{"b/" + kMoe + " same_file"});
  EXPECT_EQ(RowsOf(reading), 1U);
}

TEST(TreeReader, a_file_that_cannot_be_read_is_kept_aside_alone) {
  const auto reading = Read("sglang", {{"triton_3_4_0/" + kMoe, R"({"1": {"x": 1}, "y": {}})"},
                                       {"triton_3_x/" + kMoe, kOne},
                                       {"triton_3_5_1/" + kMoe, "{"},
                                       {"triton_3_6_0/" + kMoe, R"({"1": {"x": 1}, "2": 5})"}});
  EXPECT_EQ(
      Found(reading),
      (List{"triton_3_4_0/" + kMoe + " bad_m!", "triton_3_5_1/" + kMoe + " no_json!",
            "triton_3_6_0/" + kMoe + " 2 not_an_object!", "triton_3_x/" + kMoe + " bad_name!"}));
  EXPECT_EQ(reading.files, 4U);
  EXPECT_EQ(reading.files_aside, 3U);
  EXPECT_EQ(reading.members_aside, 1U);
  EXPECT_EQ(RowsOf(reading), 1U);
}

TEST(TreeReader, a_device_is_named_once_where_nobody_knows_it_or_newer_states_rename_it) {
  const auto reading = Read("vllm", {{"E=1,N=2,device_name=Toy_9.json", kOne},
                                     {"E=2,N=2,device_name=Toy_9.json", kOne},
                                     {"E=1,N=2,device_name=NVIDIA_H200_NVL.json", kOne}});
  const List found = Found(reading);
  EXPECT_EQ(std::count(found.begin(), found.end(), "E=1,N=2,device_name=Toy_9.json unknown_device"),
            1);
  EXPECT_EQ(std::count(found.begin(), found.end(),
                       "E=1,N=2,device_name=NVIDIA_H200_NVL.json renamed_device"),
            1);
  EXPECT_EQ(RowsOf(reading), 3U);
}

TEST(TreeReader, a_special_file_without_a_default_in_its_folder_is_never_read) {
  const std::string any = R"({"any": {"x": 1}})";
  const auto reading = Read("aiter", {{"gemm/gfx942-GEMM-A8W8-N=1-K=2.json", any},
                                      {"gemm/gfx942-GEMM-A16W16-N=1-K=2.json", any},
                                      {"gemm/gfx942-GEMM-A16W16.json", any},
                                      {"gemm/gfx942-GEMM-A8WFP4-N=1-K=2.json", any},
                                      {"gemm/gfx942-GEMM-A8WFP4.json", "{"},
                                      {"moe/gfx942-MOE-DEFAULT.json", "{}"}});
  EXPECT_EQ(Found(reading), (List{"gemm/gfx942-GEMM-A8W8-N=1-K=2.json no_default!",
                                  "gemm/gfx942-GEMM-A8WFP4-N=1-K=2.json no_default!",
                                  "gemm/gfx942-GEMM-A8WFP4.json no_json!"}));
  EXPECT_EQ(RowsOf(reading), 2U);
  EXPECT_EQ(reading.unread, (std::map<std::string, std::size_t>{{"moe", 1}}));
}

TEST(TreeReader, the_first_folder_with_a_default_is_the_one_that_is_read) {
  const std::string any = R"({"any": {"x": 1}})";
  const auto reading = Read("aiter", {{"gemm/gfx950-GEMM-AFP4WFP4.json", any},
                                      {"gemm/gluon/gfx950-GEMM-AFP4WFP4.json", any},
                                      {"gfx950/triton/gemm/gemm_afp4wfp4/DEFAULT.json", any}});
  EXPECT_EQ(Found(reading), (List{"gemm/gfx950-GEMM-AFP4WFP4.json other_folder_first",
                                  "gemm/gfx950-GEMM-AFP4WFP4.json two_layouts"}));
  EXPECT_EQ(RowsOf(reading), 3U);
}

TEST(TreeReader, a_folders_op_is_spelt_as_its_special_files_spell_it) {
  const std::string any = R"({"any": {"x": 1}})";
  const std::string folder = "gfx950/triton/gemm/fused_gemm_a8w8_mul_add/";
  const auto reading = Read("aiter", {{folder + "DEFAULT.json", any},
                                      {folder + "FUSED-GEMM-A8W8-MUL_ADD-N=1-K=2.json", any}});
  EXPECT_EQ(Found(reading), List{});
  ASSERT_EQ(reading.tables.size(), 1U);
  EXPECT_THAT(reading.tables[0].csv,
              testing::HasSubstr("triton/gemm,FUSED-GEMM-A8W8-MUL_ADD,,,,,,any"));
}

TEST(TreeReader, a_name_that_no_table_may_hold_is_kept_aside_alone) {
  const auto reading =
      Read("vllm", {{"E=1,N=2,device_name=\xFF.json", kOne}, {"E=0,N=2,device_name=a.json", kOne}});
  EXPECT_EQ(reading.files_aside, 2U);
  EXPECT_EQ(RowsOf(reading), 0U);
}

}  // namespace
}  // namespace tunehub::core
