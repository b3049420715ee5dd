#include "core/row/tunable_shape.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/base/split.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kTransposed = 2;  // letters: of A, of B
constexpr std::size_t kSizes = 3;       // m, n, k

bool IsTransposition(std::string_view text) {
  return text.size() == kTransposed &&
         std::ranges::all_of(text, [](char c) { return c == 'n' || c == 't'; });
}

bool IsSize(std::string_view text) {
  if (text == "*") return true;
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<std::string_view> TunableFields(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return SplitAfter(line, ",");
}

std::optional<TunableShape> ReadUntunedLine(std::string_view line) {
  const auto fields = TunableFields(line);
  const bool fits = fields.size() == 2 || (fields.size() > 2 && fields[2].starts_with(kBlasParams));
  if (!fits) return std::nullopt;
  TunableShape shape{std::string(fields[0]), std::string(fields[1])};
  if (!WhyNotAsked(shape).empty()) return std::nullopt;
  return shape;
}

bool IsPattern(const TunableShape& shape) {
  return shape.params.find('*') != std::string::npos;
}

std::string WhyNotAsked(const TunableShape& shape) {
  const std::string& op = shape.op;
  const std::size_t name = op.find("TunableOp_");
  if (name == std::string::npos || name == 0 || HoldsControl(op) ||
      op.find(' ') != std::string::npos) {
    return "'" + op + "' is no operator such as GemmTunableOp_BFloat16_TN";
  }
  const std::string end = Lower(op.substr(op.rfind('_') + 1));
  if (!IsTransposition(end)) return "'" + op + "' does not end with _NN, _NT, _TN or _TT";
  const auto parts = SplitAfter(shape.params, "_");
  const std::string params = "'" + shape.params + "'";
  if (parts.empty() || parts[0] != end) {
    return params + " does not begin with '" + end + "_', as " + op + " ends";
  }
  if (parts.size() <= kSizes) return params + " has no m, n and k";
  for (std::size_t i = 1; i <= kSizes; ++i) {
    if (!IsSize(parts[i])) return params + ": '" + std::string(parts[i]) + "' is no size";
  }
  if (HoldsControl(shape.params) || shape.params.find(' ') != std::string::npos) {
    return params + " holds a blank";
  }
  return "";
}

}  // namespace tunehub::core
