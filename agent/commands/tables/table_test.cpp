#include "agent/commands/tables/table_test.h"

#include <fmt/core.h>

#include <map>

#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

std::string TestedKey(const core::Family& family, const core::Cells& cells) {
  std::string key;
  for (const std::size_t column : family.table_test) key.append(cells[column]).push_back(',');
  return key;
}

}  // namespace

void AddTestFailures(const core::Family& family, const std::string& file,
                     const core::TunedTable& table, std::vector<Remark>& failures) {
  std::map<std::string, std::size_t> first;  // the line of each key's first row
  std::string scratch;
  for (const core::Row& row : table.rows) {
    if (row.us <= 0) {
      failures.push_back({file,
                          {row.source_line, "us", "time_not_positive",
                           fmt::format("a time of {:g} us is not above 0", row.us)}});
    }
    // A row that is kept as it came has no cells by column.
    if (family.table_test.empty() || !core::Competes(row.standing)) continue;
    const auto [place, fresh] =
        first.emplace(TestedKey(family, core::SplitLine(row.line, scratch)), row.source_line);
    if (fresh) continue;
    failures.push_back(
        {file,
         {row.source_line, "", "duplicate_without_gfx",
          fmt::format("the row of line {} has the same key but for the gfx", place->second)}});
  }
}

}  // namespace tunehub::agent
