#include "kernels/problem.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/cpu/catalog.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::kernels {
namespace {

ShapeTexts TextsOf(const test::CellList& cells) {
  return ShapeTexts(cells.begin(), cells.end());
}

const ShapeTexts kBf16 = TextsOf(
    "M=16 N=1280 K=5120 bias=False dtype=torch.bfloat16 outdtype=torch.bfloat16 scaleAB=False "
    "bpreshuffle=False");
const ShapeTexts kMoe = TextsOf(
    "token=16 model_dim=2048 inter_dim=768 expert=128 topk=8 act_type=ActivationType.Silu "
    "dtype=torch.bfloat16 q_dtype_a=torch.float8_e4m3fn q_dtype_w=torch.float8_e4m3fn "
    "q_type=QuantType.per_Token use_g1u1=1 doweight_stage1=0");

// Returns "ok", or code and detail.
std::string Read(std::string_view family, ShapeTexts texts, std::string_view column = "",
                 std::string_view value = "") {
  if (!column.empty()) texts[std::string(column)] = value;
  const auto problem = ReadProblem(test::ShippedFamily(family), texts);
  return problem.ok() ? "ok" : problem.error().code + ": " + problem.error().detail;
}

TEST(KernelProblem, reads_the_shape_columns_of_every_family_it_covers) {
  for (const auto family : CoveredFamilies()) {
    ShapeTexts texts = kMoe;
    texts.insert({{"B", "2"}, {"M", "32"}, {"N", "64"}, {"K", "128"}});
    texts.insert(kBf16.begin(), kBf16.end());
    EXPECT_EQ(Read(family, texts), "ok") << family;
  }
}

TEST(KernelProblem, reads_a_row_of_the_table) {
  const auto& family = test::ShippedFamily("a8w8");
  const auto problem = Must(ReadProblem(
      family,
      test::CellsOf(family, "gfx=cpu-x86-64-v3 M=16 N=1280 K=5120 q_dtype_w=torch.float8_e4m3fn")));
  EXPECT_EQ(problem.m, 16);
  EXPECT_EQ(problem.n, 1280);
  EXPECT_EQ(problem.k, 5120);
  EXPECT_EQ(problem.w, Format::kE4m3);
  EXPECT_EQ(problem.scaling, Scaling::kRowColumn);
}

TEST(KernelProblem, reads_a_mixture_of_experts) {
  const auto problem = Must(ReadProblem(test::ShippedFamily("fmoe"), kMoe));
  EXPECT_EQ(problem.moe, (MoeShape{16, 2048, 768, 128, 8, Activation::kSilu, false}));
  EXPECT_EQ(problem.w, Format::kE4m3);
}

TEST(KernelProblem, names_column_value_and_reason_where_no_kernel_fits) {
  EXPECT_EQ(Read("a8w8", kBf16, "q_dtype_w", "torch.int4"),
            "unsupported_shape: q_dtype_w is torch.int4: kernels exist for torch.int8, "
            "torch.float8_e4m3fn, torch.float8_e4m3fnuz");
  EXPECT_EQ(Read("bf16", kBf16, "bias", "True"),
            "unsupported_shape: bias is True: kernels exist for False");
  EXPECT_EQ(Read("bf16", kBf16, "M", "0"),
            "unsupported_shape: M is 0: expected an integer above 0");
  EXPECT_EQ(Read("bf16", kBf16, "N", "many"),
            "unsupported_shape: N is many: expected an integer above 0");
  EXPECT_EQ(Read("a4w4_blockscale", kBf16, "K", "5121"),
            "unsupported_shape: K is 5121: must be a multiple of the scale block, 32");
  EXPECT_EQ(Read("batched_a8w8", TextsOf("B=1 M=1 N=1 K=200000")),
            "unsupported_shape: K is 200000: must be at most 131071, because a sum of products "
            "must fit into int32");
  EXPECT_EQ(Read("fmoe", kMoe, "topk", "129"),
            "unsupported_shape: topk is 129: must not be above the number of experts");
  EXPECT_EQ(Read("fmoe", kMoe, "q_dtype_a", "torch.bfloat16"),
            "unsupported_shape: q_dtype_a is torch.bfloat16: must be the type of q_dtype_w");
  EXPECT_EQ(Read("fmoe", kMoe, "q_type", "QuantType.per_1x128"),
            "unsupported_shape: q_type is QuantType.per_1x128: kernels exist for QuantType.No, "
            "QuantType.per_Token");
  EXPECT_EQ(Read("chunk_gdn_h", {}), "unsupported_family: tunehub has no kernel for chunk_gdn_h");
}

TEST(KernelProblem, is_refused_before_it_takes_the_machine_s_memory) {
  const auto refused =
      Read("bf16", TextsOf("M=2147483647 N=2147483647 K=2147483647 bias=False dtype=torch.bfloat16 "
                           "outdtype=torch.float32 scaleAB=False bpreshuffle=False"));
  EXPECT_TRUE(refused.starts_with("unsupported_shape: M is 2147483647")) << refused;
  EXPECT_TRUE(refused.ends_with("MiB, but the limit is 4096")) << refused;
  EXPECT_EQ(Read("bf16", kBf16, "M", "65536"), "ok");
  EXPECT_NE(Read("fmoe", kMoe, "expert", "100000"), "ok");
}

TEST(KernelProblem, memory_counts_operands_scales_and_output) {
  Problem problem;
  problem.m = 256;
  problem.n = 512;
  problem.k = 1024;
  EXPECT_EQ(MemoryBytes(problem), 2U * (256 * 1024 + 512 * 1024 + 256 * 512));
  problem.a = problem.w = Format::kInt8;
  problem.scaling = Scaling::kRowColumn;
  problem.batch = 3;
  EXPECT_EQ(MemoryBytes(problem), 3U * (256 * 1024 + 512 * 1024 + 2 * 256 * 512 + 4 * (256 + 512)));
}

}  // namespace
}  // namespace tunehub::kernels
