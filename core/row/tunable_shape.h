// What PyTorch's TunableOp looks up: an operator and the sizes of one call, as texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::core {

struct TunableShape {
  std::string op;      // "GemmTunableOp_BFloat16_TN"
  std::string params;  // "tn_1024_64_4096_ld_4096_4096_1024": m, n, k as BLAS counts them

  bool operator==(const TunableShape&) const = default;
  auto operator<=>(const TunableShape&) const = default;
};

// The line without its end, split at every comma as PyTorch does: nothing is quoted, and a comma at
// the end begins no further field.
std::vector<std::string_view> TunableFields(std::string_view line);

// What follows the fields of a row where PyTorch logs its BLAS calls.
inline constexpr std::string_view kBlasParams = "BLAS_PARAMS";

// A line of an untuned file, "op,params" or "op,params,BLAS_PARAMS: {...}", with or without its
// end; nothing where it is none.
std::optional<TunableShape> ReadUntunedLine(std::string_view line);

// Whether params hold `*` (PyTorch from 2026-08 on): a pattern, which nobody has measured.
bool IsPattern(const TunableShape& shape);

// Why no call of PyTorch's ever asks for it; "": one may.
std::string WhyNotAsked(const TunableShape& shape);

}  // namespace tunehub::core
