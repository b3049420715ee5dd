#include "core/shapes/shape_defaults.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace tunehub::core {
namespace {

// An operand type by its short name: what AITER calls it, and the scales that go with it.
struct Operand {
  std::string_view name, dtype, fnuz_dtype, q_type;
};

constexpr std::array<Operand, 5> kOperands = {{
    {"bf16", "torch.bfloat16", "torch.bfloat16", "QuantType.No"},
    {"fp8", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz", "QuantType.per_Token"},
    {"fp8_block", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz", "QuantType.per_1x128"},
    {"int8", "torch.int8", "torch.int8", "QuantType.per_Token"},
    {"fp4", "torch.float4_e2m1fn_x2", "torch.float4_e2m1fn_x2", "QuantType.per_1x32"},
}};

// Columns whose value is the same whatever the operands are.
struct Fixed {
  std::string_view column, value;
};

constexpr std::array<Fixed, 7> kFixed = {{
    {"bias", "False"},
    {"scaleAB", "False"},
    {"bpreshuffle", "False"},
    {"dtype", "torch.bfloat16"},
    {"outdtype", "torch.bfloat16"},
    {"use_g1u1", "1"},
    {"doweight_stage1", "0"},
}};

struct Activation {
  std::string_view hidden_act, act_type;
};

constexpr std::array<Activation, 5> kActivations = {{
    {"silu", "ActivationType.Silu"},
    {"gelu", "ActivationType.Gelu"},
    {"gelu_pytorch_tanh", "ActivationType.Gelu"},
    {"swiglu", "ActivationType.Swiglu"},
    {"swigluoai", "ActivationType.Swiglu"},
}};

std::string DtypeOf(const Operand& operand, const ShapeOptions& options) {
  return std::string(options.fnuz ? operand.fnuz_dtype : operand.dtype);
}

Result<std::string> OperandColumn(const Column& column, const Family& family,
                                  const ShapeOptions& options) {
  const std::string_view usual = column.DefaultCell();
  std::string_view wanted = options.dtype;
  if (wanted.empty()) wanted = family.metric.formula == "fmoe" ? "fp8_block" : "fp8";
  std::string known;
  for (const Operand& operand : kOperands) {
    const bool asked =
        options.dtype.empty() && !usual.empty() ? operand.dtype == usual : operand.name == wanted;
    known += (known.empty() ? "" : ", ") + std::string(operand.name);
    if (!asked) continue;
    return column.name == "q_type" ? std::string(operand.q_type) : DtypeOf(operand, options);
  }
  return Error{"bad_dtype", fmt::format("there is no dtype '{}', only {}", wanted, known)};
}

}  // namespace

Result<std::string> DefaultOf(const Column& column, const Family& family, const Model& model,
                              const ShapeOptions& options) {
  if (column.role == Role::kTarget || column.optional) return std::string();
  if (column.name.starts_with("q_")) return OperandColumn(column, family, options);
  if (column.name == "act_type") {
    for (const Activation& activation : kActivations) {
      if (activation.hidden_act == model.activation) return std::string(activation.act_type);
    }
    return Error{
        "bad_column",
        fmt::format(
            "act_type: nothing is known of the activation '{}' of {}; give the column itself",
            model.activation, model.name)};
  }
  const auto fixed = std::ranges::find(kFixed, column.name, &Fixed::column);
  if (fixed != kFixed.end()) return std::string(fixed->value);
  // What a file that lacks the column says.
  if (!column.missing.empty()) return std::string(column.DefaultCell());
  return Error{"bad_column", column.name + " does not follow from a model; give the column itself"};
}

}  // namespace tunehub::core
