// Rows that are lines of TunableOp's files: no cell may end its field or line, or begin another
// kind of line.
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
  std::string op;      // "GemmTunableOp_BFloat16_TN"
  std::string params;  // "tn_1024_64_4096_ld_4096_4096_1024": m, n, k as BLAS counts them

  bool operator==(const TunableShape&) const = default;
  auto operator<=>(const TunableShape&) const = default;
};

// The fields of a line, split at every comma as in PyTorch: without quotes; a final comma begins no
// field.
std::vector<std::string_view> TunableFields(std::string_view line);

// Begins an extra field that PyTorch writes if it logs BLAS calls.
inline constexpr std::string_view kBlasParams = "BLAS_PARAMS";

// Reads a line of an untuned file, "op,params" or "op,params,BLAS_PARAMS: {...}", with or without
// its end; nullopt for other lines.
std::optional<TunableShape> ReadUntunedLine(std::string_view line);

// True if params hold `*` (PyTorch from 2026-08 on): a pattern, which is not measured.
bool IsPattern(const TunableShape& shape);

// Why no call of PyTorch looks the shape up; "" if one may.
std::string WhyNotAsked(const TunableShape& shape);

// Milliseconds to microseconds without rounding: "0.0119901" -> "11.9901", "1e-3" -> "1". "" if the
// text is no time above 0: PyTorch reads such text as 0, which no tuner measures.
std::string MicrosecondsOf(std::string_view ms);
// The reverse: "11.9901" -> "0.0119901"; "" if the text is no time above 0.
std::string MillisecondsOf(std::string_view us);

// The validators of a TunableOp file: PyTorch accepts a file only if names and values equal
// PyTorch's own.
using Validators = std::map<std::string, std::string>;

inline constexpr std::string_view kPtVersion = "PT_VERSION";  // every file needs it
inline constexpr std::string_view kGcnArchName = "GCN_ARCH_NAME";

// "NAME=VALUE;NAME=VALUE", sorted by name: equal sets give equal texts.
std::string ValidatorsText(const Validators& validators);

// Why the text of ValidatorsText cannot hold the name and its value; "" if it can.
std::string WhyNoValidator(std::string_view name, std::string_view value);

// Errors: bad_validators, with the part.
Result<Validators> ParseValidators(std::string_view text);

// "gfx942" for GCN_ARCH_NAME gfx942:sramecc+:xnack-; "" if a set lacks it (NVIDIA).
std::string TargetGfxOf(const Validators& validators);

// Why PyTorch never writes the field; "": it may.
std::string WhyNoSolution(std::string_view solution);
std::string WhyNoBlasParams(std::string_view blas_params);

// The column whose cell cannot be in a line, and why (code bad_line). Precondition:
// family.tunable_lines.
std::optional<RowIssue> WhyNoLine(const Family& family, const Cells& cells);

}  // namespace tunehub::core
