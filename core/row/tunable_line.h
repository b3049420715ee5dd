// Checks rows that are lines of TunableOp's files. No cell may contain a text that ends its field
// or its line, or that makes another kind of line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/row/row.h"

namespace tunehub::core {

// The lookup key of PyTorch's TunableOp: an operator and the sizes of one call, as texts.
struct TunableShape {
  std::string op;      // for example "GemmTunableOp_BFloat16_TN"
  std::string params;  // "tn_1024_64_4096_ld_4096_4096_1024": m, n, k in BLAS's order

  bool operator==(const TunableShape&) const = default;
  auto operator<=>(const TunableShape&) const = default;
};

// The fields of a line, split at every comma as in PyTorch. Ignores quotes. A final comma begins no
// field.
std::vector<std::string_view> TunableFields(std::string_view line);

// The beginning of an extra field, which PyTorch writes if it logs BLAS calls.
inline constexpr std::string_view kBlasParams = "BLAS_PARAMS";

// Reads a line of an untuned file: "op,params" or "op,params,BLAS_PARAMS: {...}", with or without
// its line end. Returns nullopt for other lines.
std::optional<TunableShape> ReadUntunedLine(std::string_view line);

// True if params contain `*` (PyTorch from 2026-08 on). The shape is then a pattern for several
// shapes, which no tuner measures.
bool IsPattern(const TunableShape& shape);

// Says why no PyTorch call looks up the shape. Returns "" if a call may look it up.
std::string WhyNotAsked(const TunableShape& shape);

// Converts milliseconds to microseconds without rounding: "0.0119901" -> "11.9901", "1e-3" -> "1".
// Returns "" if the text is not a time above 0. PyTorch reads such a text as 0, and no tuner
// measures 0.
std::string MicrosecondsOf(std::string_view ms);
// Converts back: "11.9901" -> "0.0119901"; "" if the text is not a time above 0.
std::string MillisecondsOf(std::string_view us);

// The validators of a TunableOp file. PyTorch accepts a file only if its validators equal PyTorch's
// own, by name and value.
using Validators = std::map<std::string, std::string>;

inline constexpr std::string_view kPtVersion = "PT_VERSION";  // every file needs this validator
inline constexpr std::string_view kGcnArchName = "GCN_ARCH_NAME";

// "NAME=VALUE;NAME=VALUE", sorted by name, so that equal sets give equal texts.
std::string ValidatorsText(const Validators& validators);

// Says why a ValidatorsText cannot contain the name and its value. Returns "" if it can contain
// them.
std::string WhyNoValidator(std::string_view name, std::string_view value);

// Errors: bad_validators, with the faulty part.
Result<Validators> ParseValidators(std::string_view text);

// Returns "gfx942" for GCN_ARCH_NAME gfx942:sramecc+:xnack-; "" if the set lacks it (NVIDIA).
std::string TargetGfxOf(const Validators& validators);

// Each function below says why PyTorch never writes the field. Each returns "" if PyTorch may write
// it.
std::string WhyNoSolution(std::string_view solution);
std::string WhyNoBlasParams(std::string_view blas_params);

// Returns the column whose cell cannot be part of a line, with the reason (code bad_line).
// Precondition: family.tunable_lines.
std::optional<RowIssue> WhyNoLine(const Family& family, const Cells& cells);

}  // namespace tunehub::core
