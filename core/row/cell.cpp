#include "core/row/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMaxGfxBytes = 32;
constexpr std::size_t kQuotedBytes = 80;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: every integer below it is a double

std::string Quoted(std::string_view text) {
  return "'" + std::string(Excerpt(text, kQuotedBytes)) +
         (text.size() > kQuotedBytes ? "...'" : "'");
}

// Fast path for plain digits, as in most integer cells: several times as fast as std::from_chars.
std::optional<std::int64_t> Digits(std::string_view text) {
  constexpr std::size_t kSafe = 18;  // more digits may overflow
  if (text.empty() || text.size() > kSafe) return std::nullopt;
  std::int64_t value = 0;
  for (char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

// Fast path for digits with at most one point. Both operands of the division are exact, so the
// result is the nearest double. std::from_chars reads other numbers.
std::optional<double> Decimal(std::string_view text) {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::size_t kExact = 15;  // a number with 15 digits is below 2^53
  if (text.size() > kExact) return std::nullopt;
  std::int64_t value = 0;
  std::size_t digits = 0, point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    if (digit <= 9) {
      value = value * 10 + digit;
      ++digits;
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0) return std::nullopt;
  const std::size_t behind = point == text.size() ? 0 : text.size() - 1 - point;
  return static_cast<double>(value) / kPowers[behind];
}

TypedCell Typed(std::string_view text, std::int64_t integer) {
  TypedCell cell(text);
  cell.integer = integer;
  return cell;
}

TypedCell Typed(std::string_view text, double number) {
  TypedCell cell(text);
  cell.number = number;
  return cell;
}

Result<TypedCell> Integer(const Column& column, std::string_view text, Scratch& scratch) {
  const auto digits_only = Digits(text);
  const auto value = digits_only ? digits_only : ParseInt64(text);
  if (!value) return Error{"not_an_integer", Quoted(text) + ": expected an integer"};
  if (*value < column.min || *value > column.max) {
    return Error{"out_of_range", fmt::format("{}: expected a number from {} to {}", *value,
                                             column.min, column.max)};
  }
  if (digits_only && (text.front() != '0' || text.size() == 1)) return Typed(text, *value);
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *value).ptr;
  const std::string_view canonical(digits.data(), static_cast<std::size_t>(end - digits.data()));
  if (canonical == text) return Typed(text, *value);
  return Typed(scratch.emplace_back(canonical), *value);
}

// Some families write True/False, others 1/0. All families accept both forms.
std::optional<bool> Truth(std::string_view text) {
  if (text == "True" || text == "1" || text == "true" || text == "TRUE" || text == "1.0")
    return true;
  if (text == "False" || text == "0" || text == "false" || text == "FALSE" || text == "0.0") {
    return false;
  }
  return std::nullopt;
}

Result<TypedCell> TruthCell(std::string_view text, const char* code, const char* yes,
                            const char* no) {
  const auto truth = Truth(text);
  if (truth) return TypedCell(*truth ? yes : no);
  return Error{code, fmt::format("{}: expected {} or {}", Quoted(text), yes, no)};
}

Result<TypedCell> Plain(std::string_view text) {
  if (HoldsControl(text)) return Error{"bad_text", "the cell contains a control character"};
  return TypedCell(text);
}

// These names become source code, paths and lines of files.
Result<TypedCell> NameCell(std::string_view text, std::string_view others, std::string_view what) {
  if (!text.empty() && text.size() <= kMaxNameBytes && HoldsOnly(text, others))
    return TypedCell(text);
  if (HoldsControl(text)) return Plain(text);
  return Error{"bad_text", fmt::format("{}: expected a {}, 1 to {} letters, digits and {}",
                                       Quoted(text), what, kMaxNameBytes, others)};
}

// Keeps the name that AITER's tuners write for a failed candidate, because the hub never serves
// that row.
Result<TypedCell> Kernel(std::string_view text) {
  if (IsMissing(text) || text.starts_with(kFailedKernel)) return Plain(text);
  return NameCell(text, "_.+-", "kernel's name");
}

// Texts of shape keys and configs become parts of file names and lines. Scripts may evaluate them.
Result<TypedCell> TextCell(const Column& column, std::string_view text) {
  if (IsMissing(text) || column.role == Role::kDerived) return Plain(text);
  if (column.role == Role::kDevice) return NameCell(text, "_-.()+", "device's name");
  auto word = NameCell(text, "_-.+/:;=*<>", "word");
  if (!word.ok() || text.find("..") == std::string_view::npos) return word;
  return Error{"bad_text", Quoted(text) + " must not contain '..'"};
}

// AITER's scripts evaluate some cells of these lines. Without parentheses, a text cannot call a
// function.
Result<TypedCell> LineCell(std::string_view text) {
  constexpr std::string_view kOthers = " ,:.+-_/*#=<>{}[]\"'%@";
  if (HoldsOnly(text, kOthers)) return TypedCell(text);
  return Error{"bad_text",
               fmt::format("{}: expected only letters, digits and {}", Quoted(text), kOthers)};
}

// A kernel gets the members as arguments: counts, switches and words.
bool IsArgument(std::string_view member, std::string_view value) {
  if (value == "true" || value == "false" || value == "null") return true;
  if (value.size() >= 2 && value.front() == '"') {
    return value.size() <= kMaxNameBytes && HoldsOnly(value.substr(1, value.size() - 2), "_.");
  }
  constexpr std::int64_t kMost = 1 << 20;
  const bool of_block = member.find("BLOCK") != std::string_view::npos;
  const auto count = ParseInt64(value);
  return count && *count >= (of_block ? 1 : 0) && *count <= kMost;
}

// Says why the object cannot be a kernel's config; "" if it can. Precondition: compact JSON.
std::string WhyNoConfig(std::string_view object) {
  const auto members = JsonMembers(object);
  for (const JsonMember& it : *members) {
    if (!IsArgument(it.name, it.value))
      return fmt::format("{} is {}; expected a count, true, false, null or a word", Quoted(it.name),
                         Quoted(it.value));
  }
  return members->empty() ? "the config is empty" : "";
}

// A document only needs to be an object, because no kernel gets its members.
Result<TypedCell> Json(Type type, std::string_view text, Scratch& scratch) {
  auto compact = CompactJsonObject(text);
  if (!compact.ok()) return compact.error();
  if (compact->size() > kMaxDocumentBytes) {
    return Error{"too_large",
                 fmt::format("has {} bytes; the limit is {}", compact->size(), kMaxDocumentBytes)};
  }
  const std::string why = type == Type::kDocument ? "" : WhyNoConfig(*compact);
  if (!why.empty()) return Error{"bad_config", why};
  if (*compact == text) return Plain(text);
  return Plain(scratch.emplace_back(*std::move(compact)));
}

bool MayBeEmpty(const Column& column) {
  return column.optional || std::ranges::any_of(column.missing, [](const MissingRule& rule) {
           return rule.value.empty() && rule.gfx.empty() && rule.kernel_prefix.empty();
         });
}

Result<TypedCell> Enum(const Column& column, std::string_view text) {
  const auto older = column.spellings.find(text);
  if (older != column.spellings.end()) return TypedCell(older->second);
  if (IsEnumValue(column, text)) return TypedCell(text);
  std::string allowed = fmt::format("{}", fmt::join(column.values, ", "));
  if (!column.prefix.empty()) {
    allowed += fmt::format(", or {} followed by letters, digits and _", column.prefix);
  } else if (column.role == Role::kConfig) {
    allowed += ", or a name of letters, digits, _ and points";
  }
  return Error{"not_in_enum", fmt::format("{}: expected one of {}", Quoted(text), allowed)};
}

Result<TypedCell> ErrorCell(std::string_view text) {
  const auto error = ParseError(text);
  if (!error) return Error{"not_a_number", Quoted(text) + ": expected a number or a percentage"};
  if (*error < 0) return Error{"out_of_range", Quoted(text) + ": expected a number from 0"};
  return Typed(text, *error);
}

// True for a text that AITER reads as no tag: pandas's words for a missing value, and any form of
// 0, because AITER fills a missing column with 0.
bool IsNoTag(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "n/a", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"};
  if (IsMissing(text) || std::ranges::find(kWords, text) != kWords.end()) return true;
  const auto number = ParseNumber(text);
  return number && (*number == 0 || std::isnan(*number));
}

Result<TypedCell> TagCell(std::string_view text) {
  if (IsNoTag(text)) return TypedCell("");
  const char first = text.front();
  if (first == '_' || (HoldsOnly(text.substr(0, 1), "") && first > '9'))
    return NameCell(text, "_.-", "tag");
  return Error{"bad_text", Quoted(text) + ": expected a tag, which begins with a letter or _"};
}

}  // namespace

bool IsMissingWord(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords = {"nan",  "NaN", "None", "Null", "NULL",
                                                             "null", "N/A", "NA",   "<NA>"};
  return text.size() <= 4 && std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

std::optional<std::int64_t> ParseInt64(std::string_view text) {
  if (const auto digits = Digits(text)) return digits;
  if (const auto whole = NumberFrom<std::int64_t>(text)) return whole;
  const auto number = ParseNumber(text);
  if (!number || std::trunc(*number) != *number || std::abs(*number) >= kExactIntegers) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::optional<int> ParseInt(std::string_view text) {
  const auto value = ParseInt64(text);
  if (!value || *value < std::numeric_limits<int>::min() ||
      *value > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::optional<double> ParseNumber(std::string_view text) {
  if (const auto decimal = Decimal(text)) return decimal;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return NumberFrom<double>(text);
}

std::optional<double> ParseError(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto value = ParseNumber(text);
  if (!value) return std::nullopt;
  return percent ? *value / 100 : *value;
}

std::optional<std::string_view> CanonicalGfx(std::string_view text) {
  text = text.substr(0, text.find(':'));
  const bool well_formed =
      !text.empty() && text.size() <= kMaxGfxBytes && text.front() >= 'a' && text.front() <= 'z' &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
      });
  if (!well_formed) return std::nullopt;
  return text;
}

Result<TypedCell> TypeCell(const Column& column, std::string_view text, Scratch& scratch) {
  if (column.role == Role::kTag) return TagCell(text);
  const bool is_text =
      column.type == Type::kText || column.type == Type::kKernel || column.type == Type::kLine;
  if (IsJson(column.type)) return Json(column.type, text, scratch);
  if (IsMissing(text) && !is_text) {
    if (column.is_key() && !MayBeEmpty(column))
      return Error{"empty_key", "this shape column must not be empty"};
    // Times and errors keep their spelling; other missing values become "".
    return TypedCell(column.type == Type::kNumber || column.type == Type::kError ? text : "");
  }
  switch (column.type) {
    case Type::kInteger:
      return Integer(column, text, scratch);
    case Type::kBoolean:
      return TruthCell(text, "not_a_boolean", "True", "False");
    case Type::kFlag:
      return TruthCell(text, "not_a_flag", "1", "0");
    case Type::kEnum:
      return Enum(column, text);
    case Type::kKernel:
      return Kernel(text);
    case Type::kText:
      return TextCell(column, text);
    case Type::kJson:
    case Type::kDocument:
      break;  // above
    case Type::kLine:
      return LineCell(text);
    case Type::kNumber:
      if (const auto number = ParseNumber(text)) return Typed(text, *number);
      return Error{"not_a_number", Quoted(text) + ": expected a number"};
    case Type::kError:
      return ErrorCell(text);
    case Type::kGfx:
      if (auto gfx = CanonicalGfx(text)) return TypedCell(*gfx);
      return Error{"bad_gfx", Quoted(text) + ": expected a target's name, such as gfx942"};
  }
  return Error{"bad_text", "unknown column type"};
}

Result<std::string_view> CanonicalCell(const Column& column, std::string_view text,
                                       Scratch& scratch) {
  auto cell = TypeCell(column, text, scratch);
  if (!cell.ok()) return cell.error();
  return cell->text;
}

}  // namespace tunehub::core
