// A row of a family whose rows are lines of TunableOp's files: nothing in it may end its field or
// its line, or make another kind of line.
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

// What PyTorch's TunableOp looks up: an operator and the sizes of one call, as texts.
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

// TunableOp's milliseconds as microseconds and back, exactly: the decimal point moves, no digit is
// rounded.

// "0.0119901" -> "11.9901", "1e-3" -> "1". "" where the text is no time above 0: PyTorch reads what
// is no number as 0, and no tuner has ever measured 0.
std::string MicrosecondsOf(std::string_view ms);
// "11.9901" -> "0.0119901"; "" likewise.
std::string MillisecondsOf(std::string_view us);

// The validators of a TunableOp file: PyTorch takes a file only where its own set is the same, name
// by name and value by value.

using Validators = std::map<std::string, std::string>;

inline constexpr std::string_view kPtVersion = "PT_VERSION";  // no file is taken without it
inline constexpr std::string_view kGcnArchName = "GCN_ARCH_NAME";

// "NAME=VALUE;NAME=VALUE", by name: one text for one set.
std::string ValidatorsText(const Validators& validators);

// Why a name and its value cannot stand in that text; "": they can.
std::string WhyNoValidator(std::string_view name, std::string_view value);

// Errors: bad_validators, with the part.
Result<Validators> ParseValidators(std::string_view text);

// "gfx942" of GCN_ARCH_NAME gfx942:sramecc+:xnack-; "" where a set has none (NVIDIA).
std::string TargetGfxOf(const Validators& validators);

// Why PyTorch never writes such a field behind a shape; "": it may.
std::string WhyNoSolution(std::string_view solution);
std::string WhyNoBlasParams(std::string_view blas_params);

// The column and why it cannot stand in a line (code bad_line). Precondition: family.tunable_lines.
std::optional<RowIssue> WhyNoLine(const Family& family, const Cells& cells);

}  // namespace tunehub::core
