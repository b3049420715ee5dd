#include "core/row/row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/row/cell.h"

namespace tunehub::core {

void Identify(const Family& family, const Cells& cells, Row& row) {
  thread_local std::string text;  // reused, so that it allocates once for all rows
  text.clear();
  AppendKeyText(text, family, cells);
  row.key = HashOf(text);
  text.clear();
  AppendCandidateText(text, family, cells);
  row.candidate = HashOf(text);
}

namespace {

// A word for a missing value that pandas, and therefore AITER's lookup, reads as text.
constexpr std::string_view kKeptWord = "Null";

void AppendPrefixed(std::string& out, std::string_view text) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), text.size()).ptr;
  out.append(digits.data(), end);
  out.push_back(':');
  out.append(text);
}

// Appends a length byte, then the magnitude, big-endian. Inverts all bits of a negative value, so
// that a larger magnitude sorts first. An empty cell sorts before all values.
void AppendOrderedInteger(std::string& out, std::int64_t value) {
  const bool negative = value < 0;
  const auto magnitude =
      negative ? ~static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto bytes = static_cast<unsigned>(std::bit_width(magnitude) + 7) / 8;
  std::array<char, 9> ordered{};
  ordered[0] = static_cast<char>(negative ? 0x7F - bytes : 0x80 + bytes);
  for (unsigned i = 0; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(magnitude >> (8 * (bytes - 1 - i)));
    ordered[i + 1] = static_cast<char>(negative ? static_cast<unsigned char>(~byte) : byte);
  }
  out.append(ordered.data(), bytes + 1);
}

void AppendOrderedTruth(std::string& out, std::string_view value) {
  if (value.empty()) return out.push_back('\0');
  out.push_back(value == "True" || value == "1" ? 2 : 1);
}

void AppendOrderedEnum(std::string& out, const Column& column, std::string_view value) {
  constexpr unsigned char kUnlisted = 0xFF;
  static_assert(kMaxEnumValues < kUnlisted);
  const auto found = std::find(column.values.begin(), column.values.end(), value);
  if (value.empty()) {
    out.push_back('\0');
  } else if (found != column.values.end()) {
    out.push_back(static_cast<char>(1 + (found - column.values.begin())));
  } else {
    out.push_back(static_cast<char>(kUnlisted));
    out.append(value).push_back('\0');
  }
}

// Adds config values that mean another operation to a row's key. The keys of other rows stay
// unchanged.
template <typename Append>
void ForKeyedConfigs(const Family& family, const Cells& cells, Append append) {
  for (const std::size_t i : family.keyed_configs) {
    const Column& column = family.columns[i];
    if (std::ranges::find(column.key_values, cells[i]) != column.key_values.end()) {
      append(column.name, cells[i]);
    }
  }
}

}  // namespace

nlohmann::ordered_json CellJson(const Column& column, std::string_view cell) {
  const auto integer = ParseInt64(cell);
  const auto number = ParseNumber(cell);
  if (IsJson(column.type) && !cell.empty()) return SureJsonAs<nlohmann::ordered_json>(cell);
  if (column.type == Type::kBoolean) return cell == "True";
  if (column.type == Type::kInteger && integer) return *integer;
  if (column.type == Type::kFlag && integer) return *integer;
  const bool is_number = column.type == Type::kNumber || column.type == Type::kError;
  if (is_number && number && *number - *number == 0) return *number;
  const bool is_text = column.type == Type::kText || column.type == Type::kKernel;
  if (IsMissing(cell) && !(is_text && cell == kKeptWord)) return nullptr;
  return std::string(cell);
}

nlohmann::ordered_json RowJson(const Family& family, const Cells& cells) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = family.columns[i];
    if (column.optional && cells[i].empty()) continue;
    json[column.name] = CellJson(column, cells[i]);
  }
  return json;
}

void AppendKeyText(std::string& out, const Family& family, const Cells& cells) {
  AppendPrefixed(out, family.name);
  for (std::size_t i : family.key_columns) {
    const Column& column = family.columns[i];
    if (!column.missing.empty() && cells[i] == column.DefaultCell()) continue;
    AppendPrefixed(out, column.name);
    AppendPrefixed(out, cells[i]);
  }
  ForKeyedConfigs(family, cells, [&](std::string_view name, std::string_view cell) {
    AppendPrefixed(out, name);
    AppendPrefixed(out, cell);
  });
}

void AppendOrderKey(std::string& out, const Family& family, const Cells& cells) {
  std::vector<std::int64_t> integers(cells.size());
  for (std::size_t i : family.key_columns) {
    if (family.columns[i].type == Type::kInteger) integers[i] = ParseInt64(cells[i]).value_or(0);
  }
  AppendOrderKey(out, family, cells, integers);
}

void AppendOrderKey(std::string& out, const Family& family, const Cells& cells,
                    std::span<const std::int64_t> integers) {
  for (std::size_t i : family.key_columns) {
    const Column& column = family.columns[i];
    switch (column.type) {
      case Type::kInteger:
        if (cells[i].empty())
          out.push_back('\0');
        else
          AppendOrderedInteger(out, integers[i]);
        break;
      case Type::kBoolean:
      case Type::kFlag:
        AppendOrderedTruth(out, cells[i]);
        break;
      case Type::kEnum:
        AppendOrderedEnum(out, column, cells[i]);
        break;
      default:
        out.append(cells[i]).push_back('\0');
    }
  }
  ForKeyedConfigs(family, cells, [&](std::string_view, std::string_view cell) {
    out.append(cell).push_back('\0');
  });
}

void AppendCandidateText(std::string& out, const Family& family, const Cells& cells) {
  const bool named = std::any_of(family.kernel_columns.begin(), family.kernel_columns.end(),
                                 [&](std::size_t i) { return !IsMissing(cells[i]); });
  for (std::size_t i : family.config_columns) {
    const Column& column = family.columns[i];
    if (column.identity == Identity::kNever) continue;
    if (column.identity == Identity::kUnnamed && named) continue;
    AppendPrefixed(out, column.name);
    if (IsJson(column.type) && !cells[i].empty()) {
      AppendPrefixed(out, SortedJson(cells[i]));
      continue;
    }
    AppendPrefixed(out, IsMissing(cells[i]) ? std::string_view() : cells[i]);
  }
}

}  // namespace tunehub::core
