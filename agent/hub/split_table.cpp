#include "agent/hub/split_table.h"

#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

struct Cut {
  std::size_t offset = 0;  // of the part's first row
  std::size_t line = 0;
};

// Where the parts begin; empty where the table cannot be read or has no rows.
std::vector<Cut> FindCuts(std::string_view csv, std::size_t max_rows, std::size_t max_bytes) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  core::Result<bool> more = reader.Next(record);  // the header
  std::vector<Cut> cuts;
  std::size_t rows = 0;
  for (;;) {
    if (more.ok() && *more) more = reader.Next(record);
    if (!more.ok()) return {};
    if (!*more) return cuts;
    const auto offset = static_cast<std::size_t>(record.text.data() - csv.data());
    const std::size_t end = offset + record.text.size();
    if (cuts.empty() || rows == max_rows || end - cuts.back().offset > max_bytes) {
      cuts.push_back({offset, record.line});
      rows = 0;
    }
    ++rows;
  }
}

}  // namespace

std::vector<TablePart> SplitTable(std::string_view csv, std::size_t max_rows,
                                  std::size_t max_bytes) {
  const std::vector<Cut> cuts = FindCuts(csv, max_rows, max_bytes);
  if (cuts.size() < 2) return {{std::string(csv), 0}};
  const std::string_view header = csv.substr(0, cuts[0].offset);
  std::vector<TablePart> parts;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1].offset : csv.size();
    TablePart part{std::string(header), cuts[i].line - cuts[0].line};
    part.csv.append(csv.substr(cuts[i].offset, end - cuts[i].offset));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace tunehub::agent
