#include "core/shapes/model_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "build_info.h"
#include "core/shapes/known_models.h"
#include "core/table/csv.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamily;
using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;
using Grid = std::vector<std::int64_t>;

Model Shipped(const std::string& name) {
  return Must(LoadModel(TUNEHUB_SOURCE_DIR "/configs/models", name));
}

Pairs PairsOf(const std::string& name, std::int64_t tp) {
  const std::vector<Projection> projections = Must(Projections(Shipped(name), tp));
  Pairs pairs;
  for (const Projection& projection : projections) pairs.emplace(projection.n, projection.k);
  EXPECT_EQ(pairs.size(), projections.size());
  return pairs;
}

struct Untuned {
  Pairs pairs;
  std::set<std::int64_t> m;
  std::set<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> shapes;
};

std::optional<Untuned> ReadUntuned(const std::string& name) {
  for (const std::filesystem::path& file : test::RealUntunedFiles()) {
    if (file.filename() != name) continue;
    const std::string text = test::ReadText(file);
    CsvReader reader(text);
    CsvRecord record;
    Untuned untuned;
    EXPECT_TRUE(*reader.Next(record));
    EXPECT_EQ(record.text, "M,N,K");
    while (*reader.Next(record)) {
      const auto number = [&](std::size_t field) {
        return std::stoll(std::string(record.fields[field]));
      };
      untuned.pairs.emplace(number(1), number(2));
      untuned.m.insert(number(0));
      untuned.shapes.insert({number(0), {number(1), number(2)}});
    }
    return untuned;
  }
  return std::nullopt;
}

// Compares AITER's untuned files of two Llama models with our shapes. AITER made the files for the
// TP sizes that serve each model: 1, 4, 8 for 70B; 2, 4, 8 for 405B.
//  - At these sizes, our pairs (N, K) are exactly those of the file.
//  - Any other size (70B: 2; 405B: 1) would add two pairs.
//  - The file has 24 or 25 values of M up to 32,768: 1, and points of gl0. Our list has all 685
//    points, so it contains every shape of the file.
void CoversUntuned(const std::string& model, const std::string& file, const Grid& tp_sizes) {
  const std::optional<Untuned> untuned = ReadUntuned(file);
  if (!untuned) GTEST_SKIP() << test::NoRealTables();
  Pairs ours;
  for (const std::int64_t tp : tp_sizes) ours.merge(PairsOf(model, tp));
  EXPECT_EQ(untuned->pairs, ours);
  EXPECT_EQ(ours.size(), 12U);
  const Family& family = ShippedFamily("a8w8_blockscale");
  const Grid grid = *GridOf(family, "gl0");
  std::set<std::int64_t> missing;
  for (const std::int64_t m : untuned->m) {
    if (!std::ranges::binary_search(grid, m)) missing.insert(m);
  }
  EXPECT_EQ(missing, std::set<std::int64_t>{});
  auto rest = untuned->shapes;
  for (const std::int64_t tp : tp_sizes) {
    const auto shapes = ModelShapes(Shipped(model), tp, family, grid);
    for (const Shape& shape : *shapes) {
      rest.erase({std::stoll(shape[0]), {std::stoll(shape[1]), std::stoll(shape[2])}});
    }
  }
  EXPECT_TRUE(rest.empty()) << rest.size();
}

TEST(ModelShapes, llama_70b_and_405b_cover_what_aiter_asks_for) {
  CoversUntuned("llama-3.3-70b", "llama70B_untuned_gemm.csv", {1, 4, 8});
  CoversUntuned("llama-3.1-405b", "llama405B_untuned_gemm.csv", {2, 4, 8});
}

TEST(ModelShapes, kv_heads_are_copied_and_a_tp_size_that_does_not_divide_is_named) {
  Model model = Shipped("qwen3-vl-235b-a22b");
  EXPECT_EQ(Projections(model, 16)->front(), (Projection{"qkv", 4 * 128 + 2 * 128, 4096}));
  model.kv_heads = 3;
  EXPECT_EQ(Projections(model, 8).error().detail,
            "tp 8 cannot divide the 3 KV heads of qwen3-vl-235b-a22b evenly");
  EXPECT_EQ(Projections(Shipped("qwen3.6-27b"), 5).error().detail,
            "tp 5 cannot divide the 24 attention heads of qwen3.6-27b evenly");
  EXPECT_EQ(Projections(Shipped("qwen3-32b"), 3).error().code, "bad_tp");
  EXPECT_EQ(Projections(Shipped("qwen3-32b"), 0).error().code, "bad_tp");
  EXPECT_EQ(Projections(Shipped("qwen3.6-27b"), 12).error().detail,
            "tp 12 cannot divide the 16 linear key heads of qwen3.6-27b evenly");
  const Family& fmoe = ShippedFamily("fmoe");
  EXPECT_EQ(ModelShapes(Shipped("deepseek-v3"), 3, fmoe, Grid{1}).error().detail,
            "tp 3 cannot divide the 2048 moe_intermediate_size of deepseek-v3 evenly");
}

TEST(ModelShapes, a_grid_is_that_of_gl0_or_a_list) {
  const Grid grid = *GridOf(ShippedFamily("a8w8"), "gl0");
  EXPECT_EQ(grid.size(), 685U);
  EXPECT_EQ(Grid(grid.begin(), grid.begin() + 6), (Grid{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(grid.back(), 80000);
  const Grid tokens = *GridOf(ShippedFamily("fmoe"), "gl0");
  EXPECT_EQ(tokens.size(), 16U);
  EXPECT_EQ(tokens.back(), 32768);
  EXPECT_EQ(GridOf(ShippedFamily("fmoe"), "pow2")->size(), 17U);
  EXPECT_EQ(GridOf(ShippedFamily("fmoe"), "pow2")->back(), 131072);
  EXPECT_EQ(*GridOf(ShippedFamily("a8w8"), "37,1"), (Grid{37, 1}));
  for (const char* bad : {"", "gl1", "1,,2", "0", "1,x", "-5", "99999999999"}) {
    EXPECT_EQ(GridOf(ShippedFamily("a8w8"), bad).error().code, "bad_grid") << bad;
  }
}

Shape First(const std::string& model, std::int64_t tp, const std::string& family,
            const ShapeOptions& options = {}) {
  const auto shapes = ModelShapes(Shipped(model), tp, ShippedFamily(family), Grid{16}, options);
  if (!shapes.ok()) return {shapes.error().code + ": " + shapes.error().detail};
  return shapes->front();
}

TEST(ModelShapes, a_row_has_the_columns_of_its_familys_untuned_table) {
  EXPECT_EQ(First("qwen3-32b", 8, "a8w8_blockscale"), (Shape{"16", "1280", "5120"}));
  EXPECT_EQ(First("qwen3-32b", 8, "a8w8"), (Shape{"16", "1280", "5120", "torch.int8"}));
  ShapeOptions fnuz;
  fnuz.dtype = "fp8";
  fnuz.fnuz = true;
  EXPECT_EQ(First("qwen3-32b", 8, "a8w8_bpreshuffle", fnuz),
            (Shape{"16", "1280", "5120", "torch.float8_e4m3fnuz"}));
  EXPECT_EQ(First("qwen3-32b", 8, "bf16"), (Shape{"16", "1280", "5120", "False", "torch.bfloat16",
                                                  "torch.bfloat16", "False", "False"}));
  ShapeOptions biased;
  biased.columns = {{"bias", "True"}, {"outdtype", "torch.float32"}};
  EXPECT_EQ(
      First("qwen3-32b", 8, "bf16", biased),
      (Shape{"16", "1280", "5120", "True", "torch.bfloat16", "torch.float32", "False", "False"}));
}

TEST(ModelShapes, experts_go_through_the_fused_moe) {
  EXPECT_EQ(First("qwen3-vl-235b-a22b", 8, "fmoe"),
            (Shape{"16", "4096", "192", "128", "8", "ActivationType.Silu", "torch.bfloat16",
                   "torch.float8_e4m3fn", "torch.float8_e4m3fn", "QuantType.per_1x128", "1", "0"}));
  ShapeOptions fused;
  fused.fuse_shared_experts = true;
  fused.dtype = "fp4";
  EXPECT_EQ(
      First("deepseek-v3", 8, "fmoe", fused),
      (Shape{"16", "7168", "256", "257", "9", "ActivationType.Silu", "torch.bfloat16",
             "torch.float4_e2m1fn_x2", "torch.float4_e2m1fn_x2", "QuantType.per_1x32", "1", "0"}));
  EXPECT_EQ(First("qwen3-vl-235b-a22b", 8, "grouped_fmoe").size(), 14U);
}

// AITER's tables for GPT-OSS round both widths up to 256, because engines pad the widths so.
TEST(ModelShapes, a_family_says_in_its_own_words_what_a_scheme_is) {
  for (const auto& [tp, width] : {std::pair{1, "3072"}, {2, "1536"}, {8, "512"}}) {
    EXPECT_EQ(First("gpt-oss-120b", tp, "fmoe"),
              (Shape{"16", "3072", width, "128", "4", "ActivationType.Swiglu", "torch.bfloat16",
                     "torch.bfloat16", "torch.float4_e2m1fn_x2", "QuantType.per_1x32", "1", "0"}))
        << tp;
  }
}

std::vector<Shape> Own(const std::string& model, std::int64_t tp, const std::string& family) {
  ShapeOptions options;
  options.schemes = SchemeChoice::kOwn;
  const auto shapes = ModelShapes(Shipped(model), tp, ShippedFamily(family), Grid{16}, options);
  if (!shapes.ok()) return {{shapes.error().code + ": " + shapes.error().detail}};
  return *shapes;
}

TEST(ModelShapes, a_model_asks_the_families_of_how_it_is_stored) {
  // Router and lm_head, as in AITER's dsv3_bf16_untuned_gemm.csv.
  EXPECT_EQ(
      Own("deepseek-v3", 8, "bf16"),
      (std::vector<Shape>{
          {"16", "256", "7168", "False", "torch.bfloat16", "torch.bfloat16", "False", "False"},
          {"16", "16160", "7168", "False", "torch.bfloat16", "torch.bfloat16", "False", "False"}}));
  EXPECT_EQ(Own("deepseek-v3", 8, "batched_bf16"),
            (std::vector<Shape>{{"16", "16", "512", "128"}, {"16", "16", "128", "512"}}));
  EXPECT_EQ(
      Own("gpt-oss-120b", 8, "bf16").front(),
      (Shape{"16", "640", "2880", "True", "torch.bfloat16", "torch.bfloat16", "False", "False"}));
  EXPECT_EQ(Own("deepseek-v3", 8, "a8w8")[0][0],
            "no_products: deepseek-v3 is stored as bf16, fp8_block, but the family a8w8 is for "
            "fp8, int8; "
            "--dtype overrides the storage");
  // An engine may serve a model without quantization in any scheme.
  EXPECT_EQ(Own("qwen3-32b", 8, "a8w8").size(), 4U);
  EXPECT_EQ(Own("qwen3-32b", 8, "bf16").size(), 5U);  // with lm_head
  EXPECT_EQ(Own("qwen3-32b", 8, "a8w8_blockscale").size(), 4U);
}

TEST(ModelShapes, what_cannot_be_said_is_refused) {
  EXPECT_EQ(First("qwen3-32b", 8, "fmoe")[0],
            "no_experts: qwen3-32b has no experts, because its layers are dense");
  EXPECT_EQ(First("qwen3-32b", 8, "batched_a8w8")[0],
            "no_products: qwen3-32b has no batched matrix product, but the family batched_a8w8 has "
            "only rows for these products");
  EXPECT_TRUE(First("qwen3-32b", 8, "chunk_gdn_h")[0].starts_with("unsupported_family: "));
  ShapeOptions options;
  options.dtype = "int4";
  EXPECT_TRUE(First("qwen3-32b", 8, "a8w8", options)[0].starts_with("bad_dtype: "));
  options = {};
  options.columns = {{"bias", "maybe"}};
  EXPECT_TRUE(First("qwen3-32b", 8, "bf16", options)[0].starts_with("bad_column: bias: "));
  EXPECT_TRUE(First("qwen3-32b", 8, "a8w8", options)[0].starts_with(
      "bad_column: bias: expected a column "));
}

}  // namespace
}  // namespace tunehub::core
