#include "core/table/detect.h"

#include <gmock/gmock.h>

#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::core {
namespace {

const std::string kG2 =
    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
const std::string kOld = "M,N,K,kernelId,splitK,us,kernelName\n";

std::string RowG1(const std::string& kernel) {
  return "gfx942,304,1,2,3,ck,0,0,1.5," + kernel + ",1,1,0.0\n";
}

// Returns the detected family's name, or the error's code.
std::string Detected(std::string_view file_name, std::string_view csv) {
  const Result<const Family*> family = DetectFamily(test::ShippedFamilies(), file_name, csv);
  return family.ok() ? (*family)->name : family.error().code;
}

std::string Detail(std::string_view csv) {
  const Result<const Family*> family = DetectFamily(test::ShippedFamilies(), "", csv);
  return family.ok() ? "detected" : family.error().detail;
}

TEST(Detect, the_file_name_decides_by_its_longest_token) {
  EXPECT_EQ(Detected("a8w8_blockscale_tuned_gemm.csv", ""), "a8w8_blockscale");
  EXPECT_EQ(Detected("x/y/a8w8_blockscale_bpreshuffle_tuned_gemm_dsv3.csv", kG2),
            "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(Detected("dsv4_bf16_tuned_gemm.csv", ""), "bf16");
  EXPECT_EQ(Detected("bf16_tuned_batched_gemm.csv", ""), "batched_bf16");
  EXPECT_EQ(Detected("a8w8_blockscale_tuned_fmoe_ds_v3.csv", ""), "fmoe");
  EXPECT_EQ(Detected("tuned_grouped_fmoe.csv", ""), "grouped_fmoe");
  EXPECT_EQ(Detected("tuned_fhmoe.csv", ""), "fhmoe");
  EXPECT_EQ(Detected("qwen3_5_35b_chunk_gdn_h_opt_tuned.csv", ""), "chunk_gdn_h");
  EXPECT_EQ(Detected("a8w8_blockscale_untuned_gemm.csv", "M,N,K\n1,2,3\n"), "unknown_family");
  EXPECT_EQ(Detected("untuned/a8w8_blockscale_tuned_gemm.csv", ""), "a8w8_blockscale");
  EXPECT_EQ(Detected("tuned_fmoe_and_a8w8_bpreshuffle_tuned_gemm.csv", ""), "a8w8_bpreshuffle");
}

TEST(Detect, each_header_of_today_is_recognised) {
  for (const auto& family : test::ShippedFamilies().all()) {
    if (family->signature.by_kernels) continue;  // another family has the same header
    const std::string found = Detected("", family->Header(false) + "\n");
    const bool shared = family->name == "a8w8_blockscale" ||
                        family->name == "a8w8_blockscale_bpreshuffle" ||
                        family->name == "batched_a8w8" || family->name == "batched_bf16";
    EXPECT_EQ(found, shared ? "ambiguous_family" : family->name);
    if (family->has_optional) {
      EXPECT_EQ(Detected("", family->Header(true) + "\n"), family->name);
    }
  }
}

TEST(Detect, kernel_names_tell_families_of_one_header_apart) {
  EXPECT_EQ(
      Detected("", test::kBlockscaleHeader + RowG1("a8w8_blockscale_1x128x128_256x16x64x256_v1")),
      "a8w8_blockscale");
  EXPECT_EQ(
      Detected("", test::kBlockscaleHeader + RowG1("a8w8_blockscale_bpreshuffle_1x128x128_256x16")),
      "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(Detected("t.csv", test::kBlockscaleHeader +
                                  RowG1("_ZN5aiter42fp8gemm_bf16_blockscale_BpreShuffle_32x128E")),
            "a8w8_blockscale_bpreshuffle");
  const std::string batched =
      "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  EXPECT_EQ(Detected("", batched + "gfx942,304,16,1,2,3,0,0,1,bf16_batched_64x16,1,1,0\n"),
            "batched_bf16");
  EXPECT_EQ(Detected("", batched + "gfx942,304,16,1,2,3,0,0,1,a8w8_batched_rowwise_64x,1,1,0\n"),
            "batched_a8w8");
}

TEST(Detect, what_kernels_of_several_families_or_an_unknown_header_tell_is_quoted_and_not_guessed) {
  const std::string cktile = RowG1("a8w8_blockscale_cktile_128x128");
  EXPECT_EQ(Detected("", test::kBlockscaleHeader + cktile), "ambiguous_family");
  EXPECT_EQ(
      Detected("", test::kBlockscaleHeader + cktile + RowG1("a8w8_blockscale_1x128x128_256x")),
      "a8w8_blockscale");
  const std::string row = "gfx942,304,1,2,3,torch.int8,0,0,1.5,a8w8_bpreshuffle_256x16,1,1,0\n";
  EXPECT_EQ(Detected("", kG2 + row), "ambiguous_family");
  EXPECT_EQ(Detected("", kG2), "a8w8");
  EXPECT_THAT(Detail("a,b\n1,2\n"),
              testing::StartsWith("the header \"a,b\" matches no family of tuned tables; if "));
  EXPECT_THAT(Detail("M,N,K,q_dtype_w\n"), testing::HasSubstr("it is an untuned table; expected"));
  EXPECT_THAT(Detail("gfx;M\n"), testing::HasSubstr("separated by ';'; expected commas\n"));
  EXPECT_THAT(Detail("gfx\tM\n"), testing::HasSubstr("separated by tabs; expected commas\n"));
  EXPECT_THAT(Detail("<html>\n"), testing::HasSubstr("it begins like HTML"));
  EXPECT_THAT(Detail("PK\3\4"), testing::HasSubstr("is a zip archive or an Excel workbook"));
  EXPECT_EQ(Detail("caf\xC3\xA9\n").substr(0, 19), "the header \"caf?\?\" ");
  EXPECT_EQ(Detail(""), "the file is empty; expected a CSV with a header");
  EXPECT_EQ(Detected("", "\"never closed\n"), "unknown_family");
  EXPECT_LT(Detail(std::string(4000, 'x')).size(), 1500U);
}

TEST(Detect, old_headers_are_told_apart_by_their_kernels_or_named_as_ambiguous) {
  EXPECT_EQ(Detail(test::kBlockscaleHeader),
            "the header and the kernels match several families (a8w8_blockscale, "
            "a8w8_blockscale_bpreshuffle): pass --family\nOr give the file a name that contains "
            "one of a8w8_blockscale_bpreshuffle_tuned_gemm, a8w8_blockscale_tuned_gemm");
  const std::string both =
      RowG1("a8w8_blockscale_1x128x128_2") + RowG1("a8w8_blockscale_bpreshuffle_1x128x128_2");
  EXPECT_EQ(Detected("", test::kBlockscaleHeader + both), "ambiguous_family");
  EXPECT_EQ(Detected("", kOld), "ambiguous_family");
  EXPECT_EQ(Detected("", kOld + "1,2,3,0,0,1,a8w8_rowwise_256x16x64\n"), "a8w8");
  EXPECT_EQ(Detected("", kOld + "1,2,3,0,0,1,a8w8_bpreshuffle_256x16x64\n"), "a8w8_bpreshuffle");
  EXPECT_EQ(Detected("", kOld + "1,2,3,0,0,1,a8w8_blockscale_1x128x128_256x16x64\n"),
            "a8w8_blockscale");
  EXPECT_EQ(Detected("", kOld + "1,2,3,0,0,1,_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_E\n"),
            "a4w4_blockscale");
}

// The two blockscale families, each with one replaced text in its file.
Families BlockscaleFamilies(const std::string& from, const std::string& to,
                            const std::string& from_bpreshuffle,
                            const std::string& to_bpreshuffle) {
  const test::TempDir folder;
  const auto copy = [&](const std::string& file, const std::string& old, const std::string& now) {
    std::string text = test::ReadText(test::ShippedFamilyFolder() / file);
    text.replace(text.find(old), old.size(), now);
    folder.Write(file, text);
  };
  copy("a8w8_blockscale.json", from, to);
  copy("a8w8_blockscale_bpreshuffle.json", from_bpreshuffle, to_bpreshuffle);
  return *Families::Load(folder.path());
}

TEST(Detect, the_longest_prefix_of_a_kernel_wins) {
  const Families families =
      BlockscaleFamilies("\"a8w8_blockscale_1x128x128_\"", "\"a8w8_\", \"a8\"", "", "");
  const std::string row = RowG1("a8w8_blockscale_bpreshuffle_1x128x128_256x16");
  EXPECT_EQ((*DetectFamily(families, "", test::kBlockscaleHeader + row))->name,
            "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ((*DetectFamily(families, "", test::kBlockscaleHeader + RowG1("a8w8_x")))->name,
            "a8w8_blockscale");

  // Here the first family has the longer prefix.
  const Families reversed =
      BlockscaleFamilies("", "", "\"a8w8_blockscale_bpreshuffle_\"", "\"a8w8_\"");
  const std::string plain = RowG1("a8w8_blockscale_1x128x128_256x16");
  EXPECT_EQ((*DetectFamily(reversed, "", test::kBlockscaleHeader + plain))->name,
            "a8w8_blockscale");
}

TEST(Detect, a_prefix_of_two_families_tells_nothing) {
  const Families families = BlockscaleFamilies("\"a8w8_blockscale_1x128x128_\"", "\"a8w8_\"",
                                               "\"a8w8_blockscale_bpreshuffle_\"", "\"a8w8_\"");
  EXPECT_FALSE(
      DetectFamily(families, "", test::kBlockscaleHeader + RowG1("a8w8_blockscale_bpreshuffle_1x"))
          .ok());
}

TEST(Detect, a_header_without_an_optional_column_is_still_todays) {
  const std::string tflops = R"("name": "tflops",)";
  const Families families = BlockscaleFamilies("", "", tflops, tflops + R"( "optional": true,)");
  const std::string header = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,bw,errRatio\n";
  EXPECT_EQ((*DetectFamily(families, "", header))->name, "a8w8_blockscale_bpreshuffle");
}

TEST(Detect, directly_in_configs_only_the_exact_name_counts) {
  const std::string row = RowG1("a8w8_blockscale_1x128x128_256x16x64x256_v1");
  EXPECT_EQ(Detected("a/configs/a8w8_blockscale_tuned_gemm.csv", ""), "a8w8_blockscale");
  EXPECT_EQ(Detected("configs/new_a8w8_blockscale_tuned_gemm.csv", test::kBlockscaleHeader + row),
            "unknown_family");
  EXPECT_EQ(Detected("configs/model_configs/new_a8w8_blockscale_tuned_gemm.csv", ""),
            "a8w8_blockscale");
  EXPECT_EQ(Detected("configs/mine.csv", test::kBlockscaleHeader + row), "a8w8_blockscale")
      << "the header decides";
  EXPECT_EQ(WhyForeign(test::ShippedFamilies(), "configs/new_bf16_tuned_gemm.csv"),
            "AITER reads only bf16_tuned_gemm.csv directly in configs/ for bf16");
}

TEST(Detect, a_tuned_name_without_a_token_is_no_familys_whatever_its_header) {
  const std::string table =
      test::kBlockscaleHeader + RowG1("a8w8_blockscale_1x128x128_256x16x64x256_v1");
  for (const char* const name : {"a8w8_blockscale_wide_tuned_gemm.csv", "my_tuned.csv",
                                 "tuned_other.csv", "a8w8_blockscale_tuned_bmm.csv"}) {
    EXPECT_EQ(Detected(name, table), "unknown_family") << name;
    EXPECT_NE(WhyForeign(test::ShippedFamilies(), name), "") << name;
  }
  for (const char* const silent : {"tuned.csv", "tuned-2.csv", "mine.csv", "", "tuned/mine.csv"}) {
    EXPECT_EQ(Detected(silent, table), "a8w8_blockscale") << silent;
    EXPECT_EQ(WhyForeign(test::ShippedFamilies(), silent), "") << silent;
  }
}

TEST(Detect, real_tables_are_recognised_by_their_content_as_by_their_name) {
  const auto files = test::RealTunedFiles();
  if (files.empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& file : files) {
    const std::string text = test::ReadText(file);
    const std::string by_name = Detected(file.string(), text);
    EXPECT_NE(test::ShippedFamilies().Find(by_name), nullptr) << file << ": " << by_name;
    EXPECT_EQ(Detected("", text), by_name) << file;
  }
  for (const auto& file : test::RealUntunedFiles()) {
    EXPECT_EQ(Detected(file.string(), test::ReadText(file)), "unknown_family") << file;
  }
}

}  // namespace
}  // namespace tunehub::core
