#include "core/row/tunable_line.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/row/cell.h"

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
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, IsDigit);
}

constexpr int kThousand = 3;      // decimal places
constexpr int kMostPlaces = 308;  // the range of a double; a longer text is not a time

// A number above 0: its digits without leading and trailing zeros, and the position of its point.
struct DecimalText {
  std::string digits;
  int point = 0;  // digits before the point; below 0: zeros after it
};

bool ReadExponent(std::string_view text, int& exponent) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto read = NumberFrom<int>(text);
  exponent = read.value_or(0);
  return read && exponent >= -kMostPlaces && exponent <= kMostPlaces;
}

bool ReadDecimal(std::string_view text, DecimalText& number) {
  bool behind = false, any = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !behind) {
      behind = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (!behind) ++number.point;
    number.digits += c;
  }
  int exponent = 0;
  const bool scaled = i < text.size();
  if (!any || (scaled && text[i] != 'e' && text[i] != 'E')) return false;
  if (scaled && !ReadExponent(text.substr(i + 1), exponent)) return false;
  const std::size_t zeros = number.digits.find_first_not_of('0');
  if (zeros == std::string::npos) return false;  // 0
  number.digits.erase(0, zeros);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  number.point += exponent - static_cast<int>(zeros);
  return number.point <= kMostPlaces && number.point >= -kMostPlaces;
}

std::string Moved(std::string_view text, int places) {
  DecimalText number;
  if (!ReadDecimal(text, number)) return "";
  const int point = number.point + places;
  const int count = static_cast<int>(number.digits.size());
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + number.digits;
  if (point >= count) {
    return number.digits + std::string(static_cast<std::size_t>(point - count), '0');
  }
  return number.digits.substr(0, static_cast<std::size_t>(point)) + "." +
         number.digits.substr(static_cast<std::size_t>(point));
}

constexpr std::string_view kBetween = ";";  // no library's version contains it

Error BadPart(std::string_view part, const std::string& why) {
  return {"bad_validators",
          "expected validators NAME=VALUE;NAME=VALUE, but '" + std::string(part) + "' " + why};
}

std::string WhyNoValidators(std::string_view text) {
  if (text.empty()) return "";  // unknown; the hub then writes no file
  const auto validators = ParseValidators(text);
  return validators.ok() ? "" : validators.error().detail;
}

std::string WhyNoTime(std::string_view ms, std::string_view us) {
  if (ms.empty()) return "";
  const std::string meant = MicrosecondsOf(ms);
  if (meant.empty()) return "'" + std::string(ms) + "': expected a time above 0";
  if (us.empty() || ParseNumber(us) == ParseNumber(meant)) return "";
  return "'" + std::string(ms) + "' ms differ from '" + std::string(us) + "' us";
}

// PyTorch aborts if a file names any other solution.
bool IsSolution(std::string_view text) {
  if (text == "Default") return true;
  constexpr std::size_t kMostDigits = 10;  // an index is a 32-bit integer
  for (const std::string_view library : {"Gemm_Rocblas_", "Gemm_Hipblaslt_"}) {
    if (!text.starts_with(library)) continue;
    text.remove_prefix(library.size());
    text.remove_prefix(std::min(text.find_first_not_of("NT"), text.size()));  // PyTorch 2.3: TN_
    if (text.starts_with("_") || text.starts_with("-")) text.remove_prefix(1);
    return !text.empty() && text.size() <= kMostDigits &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
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
    return "'" + op + "': expected an operator such as GemmTunableOp_BFloat16_TN";
  }
  const std::string end = Lower(op.substr(op.rfind('_') + 1));
  if (!IsTransposition(end)) return "'" + op + "' must end with _NN, _NT, _TN or _TT";
  const auto parts = SplitAfter(shape.params, "_");
  const std::string params = "'" + shape.params + "'";
  if (parts.empty() || parts[0] != end) {
    return params + " must begin with '" + end + "_', the end of " + op;
  }
  if (parts.size() <= kSizes) return params + " must contain m, n and k";
  for (std::size_t i = 1; i <= kSizes; ++i) {
    if (!IsSize(parts[i]))
      return params + ": expected a size instead of '" + std::string(parts[i]) + "'";
  }
  if (HoldsControl(shape.params) || shape.params.find(' ') != std::string::npos) {
    return params + " must not contain a blank or a control character";
  }
  return "";
}

std::string MicrosecondsOf(std::string_view ms) {
  return Moved(ms, kThousand);
}

std::string MillisecondsOf(std::string_view us) {
  return Moved(us, -kThousand);
}

std::string ValidatorsText(const Validators& validators) {
  return Assignments(validators, kBetween);
}

std::string WhyNoValidator(std::string_view name, std::string_view value) {
  if (name.empty()) return "has no name";
  if (value.empty()) return "has no value";
  if (name.find('=') != std::string_view::npos) return "has '=' in its name";
  for (const std::string_view part : {name, value}) {
    if (part.find(kBetween) != std::string_view::npos) return "contains ';'";
    if (part.find(',') != std::string_view::npos) return "contains ','";
    if (HoldsControl(part)) return "contains a control character";
  }
  return "";
}

Result<Validators> ParseValidators(std::string_view text) {
  Validators validators;
  for (const std::string_view part : SplitAfter(text, kBetween)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return BadPart(part, "has no '='");
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (const std::string why = WhyNoValidator(name, value); !why.empty()) {
      return BadPart(part, why);
    }
    if (!validators.emplace(name, value).second) return BadPart(part, "repeats a name");
  }
  if (!validators.contains(std::string(kPtVersion))) {
    return Error{"bad_validators", "PT_VERSION is missing; every file of PyTorch contains it"};
  }
  return validators;
}

std::string TargetGfxOf(const Validators& validators) {
  const auto arch = validators.find(std::string(kGcnArchName));
  if (arch == validators.end()) return "";
  return arch->second.substr(0, arch->second.find(':'));
}

std::string WhyNoSolution(std::string_view solution) {
  if (IsSolution(solution)) return "";
  return "'" + std::string(solution) + "': expected a solution such as Gemm_Rocblas_1216";
}

std::string WhyNoBlasParams(std::string_view blas_params) {
  if (blas_params.empty()) return "";
  if (blas_params.starts_with(kBlasParams) && HoldsOnly(blas_params, "_-.+: ,{}[]()/=*")) return "";
  return "'" + std::string(blas_params) +
         "': expected PyTorch's BLAS_PARAMS, such as {NAME: VALUE, ...}";
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
