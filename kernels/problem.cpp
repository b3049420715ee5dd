#include "kernels/problem.h"

#include <fmt/core.h>

#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::kernels {
namespace {

using core::Error;
using core::Result;

// The fixed part of a family's problems. The columns add the rest.
struct Rule {
  std::string_view family;
  Format a, w;
  Scaling scaling;
  int k_multiple;  // K must be a multiple: the scale block, or 2 for two elements a byte
};

constexpr std::array<Rule, 7> kRules = {{
    {"a8w8", Format::kInt8, Format::kInt8, Scaling::kRowColumn, 1},
    {"a8w8_blockscale", Format::kE4m3, Format::kE4m3, Scaling::kBlock128, 1},
    {"bf16", Format::kBf16, Format::kBf16, Scaling::kNone, 1},
    {"batched_a8w8", Format::kInt8, Format::kInt8, Scaling::kRowColumn, 1},
    {"batched_bf16", Format::kBf16, Format::kBf16, Scaling::kNone, 1},
    {"a4w4_blockscale", Format::kE2m1, Format::kE2m1, Scaling::kMx32, 32},
    {"fmoe", Format::kBf16, Format::kBf16, Scaling::kNone, 1},
}};

Error Unsupported(std::string_view column, std::string_view value, std::string_view reason) {
  return {"unsupported_shape", fmt::format("{} is {}: {}", column, core::Excerpt(value), reason)};
}

// Reads one column after another. Keeps the first error.
class Columns {
 public:
  explicit Columns(const ShapeTexts& texts) : texts_(texts) {}

  std::string_view Text(std::string_view column) const {
    const auto found = texts_.find(column);
    return found == texts_.end() ? std::string_view() : std::string_view(found->second);
  }

  int Positive(std::string_view column) {
    const auto value = core::ParseInt(Text(column));
    if (value && *value > 0) return *value;
    Fail(column, "expected an integer above 0");
    return 1;
  }

  // The index of the column's text in `known`.
  template <std::size_t N>
  std::size_t OneOf(std::string_view column, const std::array<std::string_view, N>& known) {
    std::string list;
    for (std::size_t i = 0; i < N; ++i) {
      if (Text(column) == known[i]) return i;
      list += (i == 0 ? "" : ", ") + std::string(known[i]);
    }
    Fail(column, "kernels exist for " + list);
    return 0;
  }

  void Fail(std::string_view column, std::string_view reason) {
    if (!error_) error_ = Unsupported(column, Text(column), reason);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  const ShapeTexts& texts_;
  std::optional<Error> error_;
};

void ReadA8w8(Columns& columns, Problem& problem) {
  static constexpr std::array<std::string_view, 3> kQuantised = {
      "torch.int8", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz"};
  problem.a = problem.w = *FormatOfDtype(kQuantised[columns.OneOf("q_dtype_w", kQuantised)]);
}

void ReadBf16(Columns& columns, Problem& problem) {
  static constexpr std::array<std::string_view, 1> kFalse = {"False"};
  static constexpr std::array<std::string_view, 1> kInput = {"torch.bfloat16"};
  static constexpr std::array<std::string_view, 2> kOutput = {"torch.bfloat16", "torch.float32"};
  columns.OneOf("bias", kFalse);
  columns.OneOf("dtype", kInput);
  problem.out = *FormatOfDtype(kOutput[columns.OneOf("outdtype", kOutput)]);
  columns.OneOf("scaleAB", kFalse);
  columns.OneOf("bpreshuffle", kFalse);
}

void ReadMoe(Columns& columns, Problem& problem) {
  static constexpr std::array<std::string_view, 2> kActivations = {"ActivationType.Silu",
                                                                   "ActivationType.Gelu"};
  static constexpr std::array<std::string_view, 1> kDtype = {"torch.bfloat16"};
  static constexpr std::array<std::string_view, 2> kQuantised = {"torch.bfloat16",
                                                                 "torch.float8_e4m3fn"};
  static constexpr std::array<std::string_view, 2> kQuantType = {"QuantType.No",
                                                                 "QuantType.per_Token"};
  static constexpr std::array<std::string_view, 1> kOne = {"1"};
  static constexpr std::array<std::string_view, 2> kFlag = {"0", "1"};
  auto& moe = problem.moe;
  moe.tokens = problem.m = columns.Positive("token");
  moe.model_dim = problem.n = columns.Positive("model_dim");
  moe.inter_dim = problem.k = columns.Positive("inter_dim");
  moe.experts = columns.Positive("expert");
  moe.topk = columns.Positive("topk");
  if (moe.topk > moe.experts) columns.Fail("topk", "must not be above the number of experts");
  moe.activation =
      columns.OneOf("act_type", kActivations) == 0 ? Activation::kSilu : Activation::kGelu;
  columns.OneOf("dtype", kDtype);
  const auto quantised = columns.OneOf("q_dtype_w", kQuantised);
  if (columns.OneOf("q_dtype_a", kQuantised) != quantised) {
    columns.Fail("q_dtype_a", "must be the type of q_dtype_w");
  }
  if (columns.OneOf("q_type", kQuantType) != quantised) {
    columns.Fail("q_type", "use QuantType.No with bfloat16, QuantType.per_Token with float8");
  }
  problem.a = problem.w = *FormatOfDtype(kQuantised[quantised]);
  problem.scaling = quantised == 0 ? Scaling::kNone : Scaling::kRowColumn;
  columns.OneOf("use_g1u1", kOne);
  moe.weight_in_first_stage = columns.OneOf("doweight_stage1", kFlag) == 1;
}

const Rule* RuleOf(std::string_view family) {
  for (const auto& rule : kRules) {
    if (rule.family == family) return &rule;
  }
  return nullptr;
}

void ReadGemm(Columns& columns, const Rule& rule, Problem& problem) {
  if (rule.family.starts_with("batched_")) problem.batch = columns.Positive("B");
  problem.m = columns.Positive("M");
  problem.n = columns.Positive("N");
  problem.k = columns.Positive("K");
  if (problem.k % rule.k_multiple != 0) {
    columns.Fail("K", fmt::format("must be a multiple of the scale block, {}", rule.k_multiple));
  }
  if (rule.family == "a8w8") ReadA8w8(columns, problem);
  if (rule.family == "bf16") ReadBf16(columns, problem);
  if (problem.w == Format::kInt8 && problem.k > kMaxInt8K) {
    columns.Fail("K",
                 fmt::format("must be at most {}, because a sum of products must fit into int32",
                             kMaxInt8K));
  }
}

std::uint64_t ScaleBytes(Scaling scaling, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  switch (scaling) {
    case Scaling::kNone:
      return 0;
    case Scaling::kRowColumn:
      return 4 * (m + n);
    case Scaling::kBlock128:
      return 4 * (m + n / 128 + 1) * (k / 128 + 1);
    case Scaling::kMx32:
      return (m + n) * (k / 32 + 1);
  }
  return 0;
}

}  // namespace

std::uint64_t MemoryBytes(const Problem& problem) {
  const auto u = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t m = u(problem.m), n = u(problem.n), k = u(problem.k), b = u(problem.batch);
  // m, n and k are each below 2^31. A product of two fits into 64 bits; a product of three may not.
  const auto bytes = [](Format format, std::uint64_t count) -> std::uint64_t {
    return format == Format::kE2m1 ? count / 2 : BytesOf(format, 1) * count;
  };
  double total = 0;
  if (problem.is_moe()) {
    const auto& moe = problem.moe;
    const std::uint64_t per_expert = bytes(problem.w, 3 * n * k / 2) * 2;
    total = static_cast<double>(per_expert) * moe.experts +
            static_cast<double>(bytes(problem.a, m * n) + bytes(problem.out, m * n)) +
            // Values between the stages, in float32.
            4.0 * moe.topk * (static_cast<double>(m * k) * 3 + static_cast<double>(m * n));
  } else {
    total = static_cast<double>(b) *
            static_cast<double>(bytes(problem.a, m * k) + bytes(problem.w, n * k) +
                                bytes(problem.out, m * n) + ScaleBytes(problem.scaling, m, n, k));
  }
  constexpr double kHuge = 1e18;  // far above any limit, but below 2^63
  return static_cast<std::uint64_t>(total < kHuge ? total : kHuge);
}

Result<Problem> ReadProblem(const core::Family& family, const ShapeTexts& texts) {
  const Rule* rule = RuleOf(family.name);
  if (rule == nullptr) {
    return Error{"unsupported_family", "tunehub has no kernel for " + family.name};
  }
  Problem problem;
  problem.family = family.name;
  problem.a = rule->a;
  problem.w = rule->w;
  problem.scaling = rule->scaling;
  Columns columns(texts);
  if (family.name == "fmoe") {
    ReadMoe(columns, problem);
  } else {
    ReadGemm(columns, *rule, problem);
  }
  if (columns.error()) return *columns.error();
  if (const auto bytes = MemoryBytes(problem); bytes > kMaxProblemBytes) {
    const std::string_view column = problem.is_moe() ? "token" : "M";
    return Unsupported(
        column, columns.Text(column),
        fmt::format("with the other dimensions the operands need {} MiB, but the limit is {}",
                    bytes >> 20, kMaxProblemBytes >> 20));
  }
  return problem;
}

Result<Problem> ReadProblem(const core::Family& family, const core::Cells& cells) {
  ShapeTexts texts;
  for (std::size_t i = 0; i < family.columns.size() && i < cells.size(); ++i) {
    if (family.columns[i].role == core::Role::kShape) {
      texts.emplace(family.columns[i].name, std::string(cells[i]));
    }
  }
  return ReadProblem(family, texts);
}

}  // namespace tunehub::kernels
