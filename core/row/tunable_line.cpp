#include "core/row/tunable_line.h"

#include "core/base/ascii.h"
#include "core/row/cell.h"
#include "core/row/tunable_shape.h"
#include "core/row/tunable_time.h"
#include "core/row/tunable_validators.h"

namespace tunehub::core {
namespace {

std::string WhyNoValidators(std::string_view text) {
  if (text.empty()) return "";  // nobody knows them: no file is written
  const auto validators = ParseValidators(text);
  return validators.ok() ? "" : validators.error().detail;
}

std::string WhyNoTime(std::string_view ms, std::string_view us) {
  if (ms.empty()) return "";
  const std::string meant = MicrosecondsOf(ms);
  if (meant.empty()) return "'" + std::string(ms) + "' is no time above 0";
  if (us.empty() || ParseNumber(us) == ParseNumber(meant)) return "";
  return "'" + std::string(ms) + "' ms are not '" + std::string(us) + "' us";
}

// PyTorch has no others, and ends where a file names one.
bool IsSolution(std::string_view text) {
  if (text == "Default") return true;
  constexpr std::size_t kMostDigits = 10;  // an index is a 32-bit integer
  for (const std::string_view library : {"Gemm_Rocblas_", "Gemm_Hipblaslt_"}) {
    if (!text.starts_with(library)) continue;
    text.remove_prefix(library.size());
    text.remove_prefix(std::min(text.find_first_not_of("NT"), text.size()));  // of PyTorch 2.3: TN_
    if (text.starts_with("_") || text.starts_with("-")) text.remove_prefix(1);
    return !text.empty() && text.size() <= kMostDigits &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

}  // namespace

std::string WhyNoSolution(std::string_view solution) {
  if (IsSolution(solution)) return "";
  return "'" + std::string(solution) + "' is no solution such as Gemm_Rocblas_1216";
}

std::string WhyNoBlasParams(std::string_view blas_params) {
  if (blas_params.empty()) return "";
  if (blas_params.starts_with(kBlasParams) && HoldsOnly(blas_params, "_-.+: ,{}[]()/=*")) return "";
  return "'" + std::string(blas_params) + "' is none of PyTorch's BLAS_PARAMS: {NAME: VALUE, ...}";
}

std::optional<RowIssue> WhyNoLine(const Family& family, const Cells& cells) {
  const auto cell = [&](std::string_view column) { return cells[family.Find(column)]; };
  const auto issue = [](const char* column, std::string why) {
    return RowIssue{0, column, "bad_line", std::move(why)};
  };
  if (auto why = WhyNoValidators(cell("validators")); !why.empty()) {
    return issue("validators", std::move(why));
  }
  const TunableShape shape{std::string(cell("op")), std::string(cell("params"))};
  if (auto why = WhyNotAsked(shape); !why.empty()) return issue("op", std::move(why));
  if (auto why = WhyNoSolution(cell("solution")); !why.empty()) {
    return issue("solution", std::move(why));
  }
  if (auto why = WhyNoTime(cell("ms"), cell("us")); !why.empty())
    return issue("ms", std::move(why));
  if (auto why = WhyNoBlasParams(cell("blas_params")); !why.empty()) {
    return issue("blas_params", std::move(why));
  }
  return std::nullopt;
}

}  // namespace tunehub::core
