#include "agent/commands/tables/duplicate_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// The cells of each of the duplicate's rows; `scratch` holds the text of quoted ones.
std::vector<core::Cells> CellsOf(const core::Duplicate& duplicate,
                                 std::vector<std::string>& scratch) {
  scratch.resize(duplicate.places.size());
  std::vector<core::Cells> rows;
  for (std::size_t i = 0; i < duplicate.places.size(); ++i) {
    rows.push_back(core::SplitLine(duplicate.places[i].text, scratch[i]));
  }
  return rows;
}

// What tells the rows apart: the columns in which they differ, and the time.
std::vector<std::size_t> TellingColumns(const core::Family& family,
                                        const std::vector<core::Cells>& rows) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (family.columns[i].is_key()) continue;
    const bool differs = std::any_of(rows.begin(), rows.end(),
                                     [&](const core::Cells& row) { return row[i] != rows[0][i]; });
    if (differs || i == family.objective) columns.push_back(i);
  }
  return columns;
}

}  // namespace

void PrintDuplicate(std::ostream& out, const core::Family& family,
                    std::span<const std::string> files, const core::Duplicate& duplicate) {
  std::vector<std::string> scratch;
  const std::vector<core::Cells> rows = CellsOf(duplicate, scratch);
  out << (duplicate.identical ? "identical:" : "conflicting:");
  for (std::size_t column : family.key_columns) {
    if (!rows[0][column].empty())
      out << ' ' << family.columns[column].name << '=' << rows[0][column];
  }
  out << '\n';
  const std::vector<std::size_t> columns = TellingColumns(family, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Place& place = duplicate.places[i];
    out << (i == 0 ? "  kept     " : "  dropped  ") << files[place.file] << ':' << place.line;
    for (std::size_t column : columns) {
      out << ' ' << family.columns[column].name << '=' << rows[i][column];
    }
    out << '\n';
  }
}

nlohmann::ordered_json ToJson(const core::Family& family, std::span<const std::string> files,
                              const core::Duplicate& duplicate) {
  std::vector<std::string> scratch;
  const std::vector<core::Cells> rows = CellsOf(duplicate, scratch);
  nlohmann::ordered_json key = nlohmann::ordered_json::object();
  for (std::size_t column : family.key_columns) key[family.columns[column].name] = rows[0][column];
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Place& place = duplicate.places[i];
    places.push_back({{"file", files[place.file]},
                      {"line", place.line},
                      {"kept", i == 0},
                      {"text", place.text}});
  }
  return {{"identical", duplicate.identical}, {"key", key}, {"rows", places}};
}

}  // namespace tunehub::agent
