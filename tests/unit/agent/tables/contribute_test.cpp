// tunehub-agent contribute decides which rows go into which file of AITER's tree, and which rows
// stay out.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/tables/contribution.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/tables/contribute_support.h"

namespace tunehub::agent::test {
namespace {

using tunehub::test::ShippedFamilies;
using tunehub::test::ShippedFamily;

constexpr char kDefault[] = "aiter/configs/a8w8_blockscale_tuned_gemm.csv";
constexpr char kOfModel[] = "aiter/configs/model_configs/a8w8_blockscale_tuned_gemm_ds_v3.csv";

class AgentContribute : public ContributeTest {
 protected:
  AgentContribute() {
    tree_.Write(kDefault, kBlockscaleHeader + BlockscaleRow(16, "4.25"));
    tree_.Write(kOfModel, kBlockscaleHeader + BlockscaleRow(32, "5.25"));
  }

  int Run(std::vector<std::string> words) { return Contribute(std::move(words)); }
  nlohmann::json Json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    Run(std::move(arguments));
    return nlohmann::json::parse(console_.out.str(), nullptr, false);
  }
  std::string Results(const std::string& rows) {
    return results_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + rows);
  }
  std::vector<std::string> CodesOf(const nlohmann::json& report) {
    std::vector<std::string> codes;
    for (const auto& it : report.at("left_out")) codes.push_back(it.at("code"));
    return codes;
  }
};

TEST_F(AgentContribute, a_new_key_goes_behind_the_rows_of_the_models_file) {
  const std::string results = Results(BlockscaleRow(64, "6.5"));
  EXPECT_EQ(Run({"--model", "DS-V3", "--results", results, "-o", out_.path()}), kGood)
      << console_.err.str();
  EXPECT_EQ(ReadText(out_ / kOfModel),
            kBlockscaleHeader + BlockscaleRow(32, "5.25") + BlockscaleRow(64, "6.5"));
  EXPECT_EQ(ReadText(tree_ / kOfModel), kBlockscaleHeader + BlockscaleRow(32, "5.25"));
  EXPECT_FALSE(std::filesystem::exists(out_ / kDefault));
  EXPECT_THAT(console_.out.str(), HasSubstr("a8w8_blockscale_tuned_gemm_ds_v3.csv: 1 new rows\n"));
}

TEST_F(AgentContribute, a_model_without_a_file_gets_one_with_the_token_last) {
  EXPECT_EQ(Run({"--model", "glm6", "--results", Results(BlockscaleRow(64, "6.5")), "--in-place"}),
            kGood)
      << console_.err.str();
  EXPECT_EQ(ReadText(tree_ / "aiter/configs/model_configs/glm6_a8w8_blockscale_tuned_gemm.csv"),
            kBlockscaleHeader + BlockscaleRow(64, "6.5"));
}

TEST_F(AgentContribute, without_a_place_the_tree_stays_as_it_is) {
  EXPECT_EQ(Run({"--model", "glm6", "--results", Results(BlockscaleRow(64, "6.5"))}), kGood);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "aiter/configs/model_configs/"
                                               "glm6_a8w8_blockscale_tuned_gemm.csv"));
}

TEST_F(AgentContribute, a_faster_row_goes_in_the_place_of_the_trees_with_both_times) {
  const std::string results = Results(BlockscaleRow(16, "1.8") + BlockscaleRow(32, "5.2"));
  const auto report = Json({"--model", "glm6", "--results", results});
  EXPECT_THAT(CodesOf(report), testing::ElementsAre("key_held")) << "less than 3 % faster";
  EXPECT_THAT(report["left_out"][0]["detail"],
              HasSubstr("_ds_v3.csv:2 already has this shape, with 5.25 us; this row has 5.2 us"));
  ASSERT_EQ(report["files"].size(), 1U);
  EXPECT_EQ(report["files"][0]["path"], kDefault)
      << "the file that contains the key, not the model's file";
  EXPECT_EQ(report["files"][0]["rows"][0]["before_us"], 4.25);
  EXPECT_EQ(report["files"][0]["rows"][0]["us"], 1.8);
  EXPECT_THAT(report["text"].get<std::string>(),
              HasSubstr("M=16 N=1280 K=8192: 4.25 us before, 1.8 us after, 2.36 times as fast"));
  EXPECT_EQ(Run({"--model", "glm6", "--results", results, "--in-place"}), kGood);
  EXPECT_EQ(ReadText(tree_ / kDefault), kBlockscaleHeader + BlockscaleRow(16, "1.8"));
}

TEST_F(AgentContribute, a_slower_or_unmeasured_row_never_replaces_the_trees) {
  const auto report = Json(
      {"--model", "glm6", "--results", Results(BlockscaleRow(16, "4.5") + BlockscaleRow(32, "0"))});
  EXPECT_THAT(CodesOf(report), testing::UnorderedElementsAre("key_held", "not_measured"));
  EXPECT_TRUE(report["files"].empty());
}

TEST_F(AgentContribute, a_time_of_the_tree_that_is_none_counts_as_unmeasured) {
  for (const char* none : {"0", "inf", "nan", "", "-1"}) {
    tree_.Write(kDefault, kBlockscaleHeader + BlockscaleRow(16, none) + BlockscaleRow(48, "7.5"));
    const auto report =
        Json({"--model", "glm6", "--results", Results(BlockscaleRow(16, "900.5")), "--in-place"});
    ASSERT_EQ(report["files"].size(), 1U) << none << report.dump(2);
    EXPECT_TRUE(report["files"][0]["rows"][0]["before_us"].is_null()) << none;
    EXPECT_THAT(report["text"].get<std::string>(), HasSubstr("not measured before, 900.5 us"));
    EXPECT_EQ(ReadText(tree_ / kDefault),
              kBlockscaleHeader + BlockscaleRow(16, "900.5") + BlockscaleRow(48, "7.5"));
  }
}

TEST_F(AgentContribute, a_key_that_two_files_hold_stays_out) {
  tree_.Write(kOfModel, kBlockscaleHeader + BlockscaleRow(16, "5.25"));
  const auto report = Json({"--model", "glm6", "--results", Results(BlockscaleRow(16, "1.5"))});
  EXPECT_THAT(CodesOf(report), testing::ElementsAre("key_held"));
}

TEST_F(AgentContribute, a_key_of_an_open_pull_request_stays_out) {
  const TempFolder other;
  other.Write("aiter/configs/model_configs/x_a8w8_blockscale_tuned_gemm.csv",
              kBlockscaleHeader + BlockscaleRow(64, "9"));
  const auto table =
      other.Write("a8w8_blockscale_tuned_gemm_y.csv", kBlockscaleHeader + BlockscaleRow(128, "9"));
  const std::string results =
      Results(BlockscaleRow(64, "6.5") + BlockscaleRow(128, "7.5") + BlockscaleRow(256, "8.5"));
  const auto report =
      Json({"--model", "glm6", "--results", results, "--against", other.path().string(), table});
  EXPECT_THAT(CodesOf(report), testing::ElementsAre("key_held", "key_held"));
  ASSERT_EQ(report["files"].size(), 1U);
  EXPECT_EQ(report["files"][0]["rows"].size(), 1U);
  EXPECT_THAT(report["files"][0]["rows"][0]["key"], HasSubstr("M=256"));
}

TEST_F(AgentContribute, what_is_not_measured_or_wrong_or_never_found_stays_out) {
  std::string wrong = BlockscaleRow(64, "6.5");
  wrong.replace(wrong.rfind("0.0"), 3, "0.3");
  std::string own = BlockscaleRow(80, "6.5", "tk_x");
  std::string no_gpu = BlockscaleRow(96, "6.5");
  no_gpu.replace(0, 6, "gfx949");
  const std::string results = Results(BlockscaleRow(48, "0") + wrong + own + no_gpu);
  const auto report = Json({"--model", "glm6", "--results", results});
  EXPECT_TRUE(report["files"].empty()) << report.dump(2);
  EXPECT_THAT(CodesOf(report),
              testing::UnorderedElementsAre("not_measured",
                                            testing::AnyOf("error_above_limit", "quarantined"),
                                            "not_aiters", "unknown_gfx"))
      << report.dump(2);
}

TEST_F(AgentContribute, a_file_without_a_column_that_the_row_needs_is_not_given_the_row) {
  // Files from before v0.1.10 have no libtype. AITER would set it to 0.
  tree_.Write(kOfModel,
              "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
              "gfx942,304,32,1280,8192,7,0,5.25,kernel_a,1.5,2.5,0.0\n");
  const auto report = Json({"--model", "ds_v3", "--results", Results(BlockscaleRow(64, "6.5"))});
  EXPECT_THAT(CodesOf(report), testing::ElementsAre("column_absent"));
  EXPECT_THAT(report["left_out"][0]["detail"], HasSubstr("has no column libtype"));
}

TEST_F(AgentContribute, the_bytes_that_are_there_stay_as_they_are) {
  // A file with another order of columns, CRLF, and no final line feed.
  const std::string old =
      "cu_num,gfx,M,N,K,libtype,kernelId,splitK,us,kernelName\r\n"
      "304,gfx942,32,1280,8192,ck,7,0,5.250,kernel_a";
  tree_.Write(kOfModel, old);
  EXPECT_EQ(Run({"--model", "ds_v3", "--results", Results(BlockscaleRow(64, "6.5")), "--in-place"}),
            kGood)
      << console_.err.str();
  EXPECT_EQ(ReadText(tree_ / kOfModel),
            old + "\r\n304,gfx942,64,1280,8192,ck,7,0,6.5,kernel_a\r\n");
}

TEST_F(AgentContribute, the_text_is_the_files_the_counts_the_gpus_and_how_to_check) {
  EXPECT_EQ(Run({"--model", "glm6", "--results", Results(BlockscaleRow(64, "6.5")), "--text",
                 out_ / "text.md"}),
            kGood);
  const std::string text = ReadText(out_ / "text.md");
  EXPECT_THAT(text, testing::StartsWith("# Tuned rows for glm6 on MI300X"));
  EXPECT_THAT(text, HasSubstr("| `aiter/configs/model_configs/glm6_a8w8_blockscale_tuned_gemm.csv` "
                              "| new | 1 | 0 |\n"));
  EXPECT_THAT(text, HasSubstr("* not checked: the tree lists no kernels\n"));
  EXPECT_THAT(text, HasSubstr("`tunehub-agent check --strict aiter/configs`"));
  EXPECT_THAT(text, HasSubstr("`python3 op_tests/test_gemm_a8w8_blockscale.py`"));
  EXPECT_LE(std::ranges::count(text, '\n'), 20);
}

TEST_F(AgentContribute, a_folder_of_tables_is_results_too) {
  Results(BlockscaleRow(64, "6.5"));
  EXPECT_EQ(Run({"--model", "DS-V3", "--results", results_.path(), "--in-place"}), kGood)
      << console_.err.str();
  EXPECT_EQ(ReadText(tree_ / kOfModel),
            kBlockscaleHeader + BlockscaleRow(32, "5.25") + BlockscaleRow(64, "6.5"));
}

TEST_F(AgentContribute, of_two_rows_for_one_key_the_faster_goes) {
  const std::string results = Results(BlockscaleRow(64, "6.5") + BlockscaleRow(64, "4.5"));
  EXPECT_EQ(Run({"--model", "DS-V3", "--results", results, "--in-place"}), kGood);
  EXPECT_EQ(ReadText(tree_ / kOfModel),
            kBlockscaleHeader + BlockscaleRow(32, "5.25") + BlockscaleRow(64, "4.5"));
}

TEST_F(AgentContribute, a_family_without_a_table_of_aiters_is_refused) {
  const auto table = results_.Write(
      "triton_fused_moe.csv",
      "engine,device,triton,E,N,dtype,block_n,block_k,per_channel_quant,down,backend,M,config,us\n"
      "vllm,NVIDIA_H200,,8,7168,fp8_w8a8,0,0,0,0,,16,\"{\"\"BLOCK_SIZE_M\"\":16}\",10\n");
  EXPECT_EQ(Run({"--model", "glm6", "--results", table, "--in-place"}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("AITER reads no tuned table of triton_fused_moe"));
}

TEST_F(AgentContribute, another_file_in_the_output_is_not_written_over) {
  out_.Write(kOfModel, "mine\n");
  EXPECT_EQ(
      Run({"--model", "ds_v3", "--results", Results(BlockscaleRow(64, "6.5")), "-o", out_.path()}),
      kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("file_differs"));
  EXPECT_EQ(ReadText(out_ / kOfModel), "mine\n");
}

TEST(AiterFileName, the_model_may_not_make_the_file_anothers_or_unread) {
  const auto code = [](std::string_view family, std::string_view model) {
    const auto status = CheckModelName(ShippedFamilies(), ShippedFamily(family), model);
    return status.ok() ? std::string() : status.error().detail;
  };
  EXPECT_EQ(code("bf16", "dsv3"), "");
  EXPECT_THAT(code("bf16", "my_untuned"), HasSubstr("untuned"));
  EXPECT_THAT(code("bf16", "a/b"), HasSubstr("'/' may not be in a file's name"));
  EXPECT_THAT(code("bf16", "x_tuned_fmoe"), HasSubstr("bf16, fmoe"));
  EXPECT_NE(code("bf16", ""), "");
}

TEST(AiterFileName, fused_moe_files_are_named_by_their_operand_types) {
  const core::Family& fmoe = ShippedFamily("fmoe");
  const auto name = [&](std::string_view a, std::string_view w, std::string_view type,
                        const FamilyTexts& there = {}) {
    const auto cells =
        tunehub::test::CellsOf(fmoe, {{"q_dtype_a", a}, {"q_dtype_w", w}, {"q_type", type}});
    const auto file = FileForModel(fmoe, "kimi-k4", cells, there);
    return file.ok() ? *file : file.error().code;
  };
  constexpr char kFp4[] = "torch.float4_e2m1fn_x2", kFp8[] = "torch.float8_e4m3fn";
  EXPECT_EQ(name(kFp4, kFp4, "QuantType.per_1x32"), "model_configs/kimi-k4_fp4_tuned_fmoe.csv");
  EXPECT_EQ(name(kFp8, kFp4, "QuantType.per_1x32"), "model_configs/kimi-k4_a8w4_tuned_fmoe.csv");
  EXPECT_EQ(
      name(kFp8, kFp4, "QuantType.per_1x32", {{"model_configs/kimi_k4_fp8fp4_tuned_fmoe.csv", ""}}),
      "model_configs/kimi_k4_fp8fp4_tuned_fmoe.csv");
  EXPECT_EQ(name(kFp8, kFp8, "QuantType.per_1x128",
                 {{"model_configs/a8w8_blockscale_tuned_fmoe_kimi_k4.csv", ""}}),
            "model_configs/a8w8_blockscale_tuned_fmoe_kimi_k4.csv");
  EXPECT_EQ(name(kFp4, kFp4, "QuantType.per_1x32",
                 {{"model_configs/kimi_k4_fp4_tuned_fmoe.csv", ""},
                  {"model_configs/kimi_k4_a4w4_tuned_fmoe.csv", ""}}),
            "ambiguous_file");
}

TEST_F(AgentContribute, nothing_is_written_where_the_text_cannot_be) {
  const std::string results = Results(BlockscaleRow(64, "6.5"));
  out_.Write("file", "");
  EXPECT_EQ(Run({"--model", "ds_v3", "--results", results, "-o", out_.path(), "--text",
                 out_ / "file/text.md"}),
            kFailed);
  EXPECT_FALSE(std::filesystem::exists(out_ / kOfModel));
  // Here both paths are relative, and the text's path names a folder.
  const auto here = std::filesystem::current_path();
  std::filesystem::create_directories(out_ / "text.md");
  std::filesystem::current_path(out_.path());
  EXPECT_EQ(Run({"--model", "ds_v3", "--results", results, "-o", "relative", "--text", "text.md"}),
            kFailed);
  std::filesystem::current_path(here);
  EXPECT_FALSE(std::filesystem::exists(out_ / "relative"));
  // The command makes the text's folder.
  EXPECT_EQ(Run({"--model", "ds_v3", "--results", results, "-o", out_ / "new", "--text",
                 out_ / "new/text.md"}),
            kGood)
      << console_.err.str();
  EXPECT_TRUE(std::filesystem::exists(out_ / "new/text.md"));
}

class HubOfferTest : public CommandTest {
 protected:
  core::Result<OfferedRows> Read(const std::vector<std::string>& named) {
    return OfferOfHub(configuration_, hub_, retry_, pauses_.pauses, named, {});
  }

  const RetryPolicy retry_{.tries = 1};
};

constexpr char kOfferTable[] = "a8w8_blockscale";

TEST_F(HubOfferTest, a_family_that_the_model_does_not_ask_has_no_rows) {
  const Answer kNone{422, {}, R"({"code":"no_products","detail":"none"})"},
      kOther{422, {}, R"({"code":"unsupported_family","detail":"none"})"},
      kRows{200, {}, kBlockscaleHeader + BlockscaleRow(16, "4.25")};
  bool other = false;
  for (const auto& family : configuration_.families.all()) {
    if (family->env.empty() || family->objective == core::kNoColumn) continue;
    other = !other;
    hub_.answers.push_back(family->name == kOfferTable ? kRows : other ? kOther : kNone);
  }
  const auto offer = Must(Read({}));
  ASSERT_EQ(offer.rows.size(), 1U);
  EXPECT_EQ(offer.rows[0].first->name, kOfferTable);
  hub_.answers = {kNone};
  EXPECT_EQ(Read({kOfferTable}).error().code, "no_products")
      << "a family named by the user gives an error";
  EXPECT_EQ(Read({"nosuch"}).error().code, "unknown_family");
}

TEST_F(HubOfferTest, any_other_refusal_ends_it) {
  hub_.answers = {{422, {}, R"({"code":"unknown_model","detail":"none"})"}};
  EXPECT_EQ(Read({}).error().code, "unknown_model");
}

}  // namespace
}  // namespace tunehub::agent::test
