#include "agent/tuning/selftest_shapes.h"

#include <string>

namespace tunehub::agent::tuning {
namespace {

struct Size {
  int m, n, k;
};
// N and K such that rows are whole for the copies of every GPU, and for the scales of MXFP4.
constexpr Size kSizes[] = {{256, 256, 512}, {77, 264, 352}, {1, 256, 512}, {16, 256, 4096}};
constexpr Size kLargeSize = {2056, 4104, 512};

struct MoeSize {
  int tokens, model_dim, inter_dim, experts, topk;
};
// The second one has experts that no token goes to.
constexpr MoeSize kMoeSizes[] = {{64, 128, 256, 8, 2}, {1, 128, 64, 8, 3}, {19, 96, 72, 4, 2}};

// The other cells of a family's key.
struct Variant {
  std::string_view family;
  Columns cells;
};

Columns Bf16Cells(const char* out) {
  return {{"bias", "False"},
          {"dtype", "torch.bfloat16"},
          {"outdtype", out},
          {"scaleAB", "False"},
          {"bpreshuffle", "False"}};
}

Columns MoeCells(const char* dtype, const char* quantisation, const char* activation) {
  return {{"act_type", activation}, {"dtype", "torch.bfloat16"}, {"q_dtype_a", dtype},
          {"q_dtype_w", dtype},     {"q_type", quantisation},    {"use_g1u1", "1"},
          {"doweight_stage1", "0"}};
}

const std::vector<Variant>& Variants() {
  static const std::vector<Variant> variants = {
      {"a4w4_blockscale", {}},
      {"a8w8", {{"q_dtype_w", "torch.int8"}}},
      {"a8w8", {{"q_dtype_w", "torch.float8_e4m3fn"}}},
      {"a8w8", {{"q_dtype_w", "torch.float8_e4m3fnuz"}}},
      {"a8w8_blockscale", {}},
      {"batched_a8w8", {{"B", "3"}}},
      {"batched_bf16", {{"B", "3"}}},
      {"bf16", Bf16Cells("torch.bfloat16")},
      {"bf16", Bf16Cells("torch.float32")},
      {"fmoe", MoeCells("torch.bfloat16", "QuantType.No", "ActivationType.Silu")},
      {"fmoe", MoeCells("torch.float8_e4m3fn", "QuantType.per_Token", "ActivationType.Gelu")},
  };
  return variants;
}

void AddShape(Columns cells, const std::vector<std::pair<const char*, int>>& numbers,
              std::vector<Columns>& shapes) {
  for (const auto& [name, value] : numbers) cells[name] = std::to_string(value);
  shapes.push_back(std::move(cells));
}

}  // namespace

std::vector<Columns> SelftestShapes(std::string_view family, bool large) {
  std::vector<Columns> shapes;
  const auto add = [&](const Columns& cells, const Size& size) {
    AddShape(cells, {{"M", size.m}, {"N", size.n}, {"K", size.k}}, shapes);
  };
  for (const Variant& variant : Variants()) {
    if (variant.family != family) continue;
    if (family == "fmoe") {
      for (const MoeSize& it : kMoeSizes) {
        AddShape(variant.cells,
                 {{"token", it.tokens},
                  {"model_dim", it.model_dim},
                  {"inter_dim", it.inter_dim},
                  {"expert", it.experts},
                  {"topk", it.topk}},
                 shapes);
      }
      continue;
    }
    for (const Size& size : kSizes) add(variant.cells, size);
    if (large) add(variant.cells, kLargeSize);
  }
  return shapes;
}

}  // namespace tunehub::agent::tuning
