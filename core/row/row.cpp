#include "core/row/row.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/row/cell.h"

namespace tunehub::core {

void Identify(const Family& family, const Cells& cells, Row& row) {
  thread_local std::string text;  // one allocation for all rows
  text.clear();
  AppendKeyText(text, family, cells);
  row.key = HashOf(text);
  text.clear();
  AppendCandidateText(text, family, cells);
  row.candidate = HashOf(text);
}

namespace {

// Of the words that stand for nothing the one that pandas, and so AITER's lookup, leaves a text.
constexpr std::string_view kKeptWord = "Null";

}  // namespace

nlohmann::ordered_json CellJson(const Column& column, std::string_view cell) {
  const auto integer = ParseInt64(cell);
  const auto number = ParseNumber(cell);
  if (IsJson(column.type) && !cell.empty()) return SureJsonAs<nlohmann::ordered_json>(cell);
  if (column.type == Type::kBoolean) return cell == "True";
  if (column.type == Type::kInteger && integer) return *integer;
  if (column.type == Type::kFlag && integer) return *integer;
  if (column.type == Type::kNumber && number && *number - *number == 0) return *number;
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

}  // namespace tunehub::core
