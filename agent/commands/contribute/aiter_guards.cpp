#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/base/remark.h"
#include "agent/commands/contribute/aiter_file.h"
#include "agent/commands/tables/table_test.h"
#include "core/merge/merge.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_header.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// "": the row can stand in the table. Else the column that it needs and the table lacks: AITER's
// merge fills in 0, and gfx from the CU count.
std::string Lacks(const core::Family& family, const core::Targets& targets,
                  const core::TableHeader& header, const core::Cells& cells) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    const bool needed = column.is_key() || column.role == core::Role::kConfig ||
                        column.role == core::Role::kObjective;
    if (header.present[i] || !needed || cells[i].empty()) continue;
    bool filled_in = i != family.gfx && cells[i] == "0";
    if (i == family.gfx && family.cu_num != core::kNoColumn) {
      const auto cu_num = core::ParseInt(cells[family.cu_num]);
      filled_in = cu_num && targets.LegacyGfx(*cu_num) == cells[i];
    }
    if (!filled_in) return column.name;
  }
  return "";
}

// Each with its line end, if it has one; at least one.
std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  do {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  } while (!text.empty());
  return lines;
}

core::Error GuardFailed(const std::string& guard, const std::string& what) {
  return {"guard_failed", fmt::format("{}: {}", guard, what)};
}

// The default files alone are what AITER's test reads; what fails there already is upstream's.
core::Status CheckTableTest(const core::Targets& targets, const ContributedFile& file) {
  if (file.path != file.family->file) return core::Ok();
  std::vector<Remark> before, after;
  const auto old = core::ReadTunedTable(*file.family, targets, file.before);
  if (old.ok()) AddTestFailures(*file.family, file.path, *old, before);
  const auto table = core::ReadTunedTable(*file.family, targets, file.bytes);
  if (!table.ok()) return table.error();
  AddTestFailures(*file.family, file.path, *table, after);
  if (after.size() <= before.size()) return core::Ok();
  const core::RowIssue& last = after.back().issue;
  return GuardFailed("AITER's test of its tables",
                     fmt::format("{}:{}: {}", file.path, last.line, last.detail));
}

core::Status CheckMerge(const core::Targets& targets, const ContributedFile& file,
                        const FamilyTexts& texts) {
  std::vector<core::SourceFile> sources;
  for (const auto& [name, text] : texts) sources.push_back({name, text});
  const auto merged = core::MergeTables(*file.family, targets, sources);
  if (!merged.ok()) return merged.error();
  std::set<std::string> ours;
  for (const auto& it : file.rows) ours.insert(KeyOfLine(*file.family, it.row.line));
  for (const core::Duplicate& duplicate : merged->duplicates) {
    const std::string key = KeyOfLine(*file.family, duplicate.places.front().text);
    if (!ours.contains(key)) continue;  // which the tree had before
    return GuardFailed("AITER's merge, which raises at a duplicate",
                       fmt::format("{} and {} both have {}", sources[duplicate.places[0].file].name,
                                   sources[duplicate.places[1].file].name, key));
  }
  return core::Ok();
}

}  // namespace

core::Status PutRows(const core::Targets& targets, const std::vector<ContributedRow>& rows,
                     ContributedFile& file, std::vector<LeftOut>& left_out) {
  const core::Family& family = *file.family;
  file.bytes = file.fresh ? core::WriteTable(family, {}) : file.before;
  core::CsvReader reader(file.bytes);
  core::CsvRecord record;
  if (core::Status first = reader.First(record); !first.ok()) return first.error();
  const auto header = core::MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();
  std::vector<std::string> lines = LinesOf(file.bytes);
  const char* const line_end = lines.front().ends_with("\r\n") ? "\r\n" : "\n";
  if (!lines.back().ends_with('\n')) lines.back() += line_end;
  for (const ContributedRow& it : rows) {
    std::string scratch, text;
    const core::Cells cells = core::SplitLine(it.row.line, scratch);
    if (const std::string lacks = Lacks(family, targets, *header, cells); !lacks.empty()) {
      left_out.push_back(
          {family.name, KeyOfLine(family, it.row.line), "column_absent",
           fmt::format("{} has no column {}, which the row needs: --file names another", file.path,
                       lacks)});
      continue;
    }
    for (std::size_t i = 0; i < header->column_of_field.size(); ++i) {
      if (i > 0) text += ',';
      const std::size_t column = header->column_of_field[i];
      if (column != core::kNoColumn) core::AppendCsvField(text, cells[column]);
    }
    if (it.line == 0) lines.emplace_back();
    (it.line == 0 ? lines.back() : lines.at(it.line - 1)) = text + line_end;
    file.rows.push_back(it);
  }
  file.bytes = fmt::format("{}", fmt::join(lines, ""));
  return core::Ok();
}

core::Status HoldAgainstGuards(const Configuration& configuration, const ContributedFile& file,
                               const FamilyTexts& texts) {
  auto held = CheckFileName(configuration.families, *file.family, file.path);
  if (held.ok()) held = CheckTableTest(configuration.targets, file);
  return held.ok() ? CheckMerge(configuration.targets, file, texts) : held;
}

}  // namespace tunehub::agent
