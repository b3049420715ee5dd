#include "server/service/ingest/submission.h"

#include "core/table/csv.h"
#include "core/table/table_error.h"
#include "core/table/table_header.h"
#include "core/table/tuned_rows.h"
#include "server/registry/sufficiency.h"

namespace tunehub::service {
namespace {

// Both formats are typed and judged by one reader: to it the columns that some row gives are a
// header's. The rows' lines are their places in the array.
core::Result<core::TunedTable> TypeRows(const core::Family& family, const core::Targets& targets,
                                        const JsonRows& json, double error_limit) {
  std::vector<std::size_t> columns;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < json.given.size(); ++i) {
    if (!json.given[i]) continue;
    columns.push_back(i);
    names.push_back(family.columns[i].name);
  }
  if (names.empty()) return core::Error{"empty_table", "the table has not even a header"};
  const auto header = core::MapHeader(family, names);
  if (!header.ok()) return header.error();
  core::TunedRows rows(family, targets, *header, {.error_limit = error_limit, .upstream = false});
  const std::size_t most = core::MaxFieldBytes(family);
  core::CsvRecord record;
  for (const JsonRow& row : json.rows) {
    ++record.line;
    record.fields.clear();
    for (const std::size_t column : columns) {
      record.fields.push_back(row.cells[column]);
      const std::size_t bytes = row.cells[column].size();
      // Counted as in a table, below its header.
      if (bytes > most)
        return core::FieldTooLong(record.line + 1, record.fields.size(), bytes, most);
    }
    rows.Add(record);
  }
  return rows.Take();
}

}  // namespace

core::Result<Submission> ReadCsvSubmission(const core::Family& family, const core::Targets& targets,
                                           std::string_view body, double error_limit) {
  auto table = core::ReadTunedTable(
      family, targets, body, {.max_rows = kMaxRows, .error_limit = error_limit, .upstream = false});
  if (!table.ok()) return table.error();
  Submission submission{*std::move(table), {}, {}};
  submission.evidence.resize(submission.table.rows.size());
  submission.marks.resize(submission.table.rows.size());
  return submission;
}

core::Result<Submission> ReadJsonSubmission(const core::Family& family,
                                            const core::Targets& targets, std::string_view body,
                                            double error_limit) {
  auto json = ReadJsonRows(family, body);
  if (!json.ok()) return json.error();
  auto table = TypeRows(family, targets, *json, error_limit);
  if (!table.ok()) return table.error();
  Submission submission{*std::move(table), {}, {}};
  for (core::Row& row : submission.table.rows) {
    JsonRow& from = json->rows[row.source_line - 1];
    registry::JudgeEvidence(from.evidence, from.marks.is_default, row);
    submission.evidence.push_back(std::move(from.evidence));
    submission.marks.push_back(from.marks);
  }
  return submission;
}

}  // namespace tunehub::service
