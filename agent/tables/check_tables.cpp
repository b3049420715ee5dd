#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/tables/contribution.h"
#include "core/base/file.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

std::string TestedKey(const core::Family& family, const core::Cells& cells) {
  std::string key;
  for (const std::size_t column : family.table_test) key.append(cells[column]).push_back(',');
  return key;
}

// Returns the cells of each duplicate row. `scratch` owns the texts of quoted cells.
std::vector<core::Cells> CellsOf(const core::Duplicate& duplicate,
                                 std::vector<std::string>& scratch) {
  scratch.resize(duplicate.places.size());
  std::vector<core::Cells> rows;
  for (std::size_t i = 0; i < duplicate.places.size(); ++i) {
    rows.push_back(core::SplitLine(duplicate.places[i].text, scratch[i]));
  }
  return rows;
}

// Returns the columns that differ between the rows, and the time's column.
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

// Row::reason is "code: detail".
Remark FromReason(const std::string& file, const core::Row& row) {
  const std::size_t colon = row.reason.find(": ");
  if (colon == std::string::npos) return {file, {row.source_line, "", row.reason, ""}};
  return {file, {row.source_line, "", row.reason.substr(0, colon), row.reason.substr(colon + 2)}};
}

void Append(std::vector<Remark>& remarks, const std::string& file,
            std::vector<core::RowIssue>& issues) {
  for (core::RowIssue& issue : issues) remarks.push_back({file, std::move(issue)});
}

void AddTable(FamilyFindings& findings, const std::string& file, core::TunedTable table) {
  findings.rows += table.rows.size() + table.rejected.size();
  Append(findings.rejected, file, table.rejected);
  Append(findings.warnings, file, table.warnings);
  for (const core::Row& row : table.rows) {
    if (row.inferred_gfx) ++findings.inferred_gfx;
    if (!core::Competes(row.standing)) {
      findings.quarantined.push_back(FromReason(file, row));
    }
    if (row.standing == core::Standing::kUnmeasured) {
      findings.unmeasured.push_back(FromReason(file, row));
    }
  }
}

// Adds rows that the build cannot run. AITER fails on them, at its build or at the first lookup.
void AddUnbuilt(FamilyFindings& findings, const std::string& file, const core::TunedTable& table,
                const core::Manifest& build) {
  const core::BuildFit fit(*findings.family, build);
  std::string scratch;
  for (const core::Row& row : table.rows) {
    if (!core::Competes(row.standing)) continue;
    const std::string why = fit.WhyNot(core::SplitLine(row.line, scratch));
    if (!why.empty()) findings.unbuilt.push_back({file, {row.source_line, "", "no_kernel", why}});
  }
}

core::Result<std::shared_ptr<const core::FileBytes>> BytesOf(const TreeFile& file) {
  if (file.bytes != nullptr) return file.bytes;
  auto read = core::FileBytes::Read(file.path);
  if (!read.ok()) return read.error();
  return std::make_shared<const core::FileBytes>(*std::move(read));
}

// The lists of remarks on rows, in the order of the report.
struct Kind {
  std::vector<Remark> FamilyFindings::*rows;
  const char *says, *list, *count;  // list, count: the report's members
};
constexpr Kind kKinds[] = {
    {&FamilyFindings::rejected, "rejected", "rejected", "rejected_count"},
    {&FamilyFindings::quarantined, "quarantined", "quarantined", "quarantined_count"},
    {&FamilyFindings::unmeasured, "unmeasured", "unmeasured", "unmeasured_count"},
    {&FamilyFindings::warnings, "warning", "warnings", "warning_count"},
    {&FamilyFindings::unbuilt, "unbuilt", "unbuilt", "unbuilt_count"},
    {&FamilyFindings::test_failures, "table test", "test_failures", "test_failure_count"}};

void PrintFamily(std::ostream& out, const FamilyFindings& findings, std::size_t most) {
  const std::size_t files = findings.files.size() + findings.refused.size();
  out << findings.family->name << ": " << files << " files, " << findings.rows << " rows\n";
  for (const RefusedFile& refused : findings.refused) {
    out << "  refused " << refused.error.code << ": " << refused.file << ": "
        << refused.error.detail << '\n';
  }
  for (const core::Duplicate& duplicate : findings.duplicates) {
    PrintDuplicate(out, *findings.family, findings.files, duplicate);
  }
  for (const Kind& kind : kKinds) PrintByCode(out, kind.says, findings.*kind.rows, most);
  if (findings.inferred_gfx > 0) {
    out << "  note: " << findings.inferred_gfx << " rows without gfx, read by their cu_num\n";
  }
}

// The total size of one list over all families.
template <typename Row>
std::size_t CountOf(const std::vector<FamilyFindings>& all,
                    std::vector<Row> FamilyFindings::*list) {
  std::size_t count = 0;
  for (const FamilyFindings& findings : all) count += (findings.*list).size();
  return count;
}

std::size_t RowsOf(const std::vector<FamilyFindings>& all) {
  std::size_t rows = 0;
  for (const FamilyFindings& findings : all) rows += findings.rows;
  return rows;
}

nlohmann::ordered_json FindingsToJson(const FamilyFindings& findings) {
  nlohmann::ordered_json refused = nlohmann::ordered_json::array();
  for (const RefusedFile& file : findings.refused) {
    refused.push_back(
        {{"file", file.file}, {"code", file.error.code}, {"detail", file.error.detail}});
  }
  nlohmann::ordered_json duplicates = nlohmann::ordered_json::array();
  for (const core::Duplicate& duplicate : findings.duplicates) {
    duplicates.push_back(ToJson(*findings.family, findings.files, duplicate));
  }
  nlohmann::ordered_json json = {{"family", findings.family->name},
                                 {"files", findings.files},
                                 {"rows", findings.rows},
                                 {"inferred_gfx", findings.inferred_gfx},
                                 {"refused", refused},
                                 {"duplicates", duplicates}};
  for (const Kind& kind : kKinds) json[kind.list] = ToJson(findings.*kind.rows);
  return json;
}

}  // namespace

void AddTestFailures(const core::Family& family, const std::string& file,
                     const core::TunedTable& table, std::vector<Remark>& failures) {
  std::map<std::string, std::size_t> first;  // by shape key: the line of the first row
  std::string scratch;
  for (const core::Row& row : table.rows) {
    if (row.us <= 0) {
      failures.push_back({file,
                          {row.source_line, "us", "time_not_positive",
                           fmt::format("the time is {:g} us; expected a time above 0", row.us)}});
    }
    // Rows that do not compete are stored as text, so they have no cells.
    if (family.table_test.empty() || !core::Competes(row.standing)) continue;
    const auto [place, fresh] =
        first.emplace(TestedKey(family, core::SplitLine(row.line, scratch)), row.source_line);
    if (fresh) continue;
    failures.push_back(
        {file,
         {row.source_line, "", "duplicate_without_gfx",
          fmt::format("the row in line {} has the same shape key, except for the gfx",
                      place->second)}});
  }
}

void PrintDuplicate(std::ostream& out, const core::Family& family,
                    std::span<const std::string> files, const core::Duplicate& duplicate) {
  std::vector<std::string> scratch;
  const std::vector<core::Cells> rows = CellsOf(duplicate, scratch);
  out << (duplicate.identical ? "identical: " : "conflicting: ")
      << KeyOfLine(family, duplicate.places[0].text) << '\n';
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

void AddMisnamed(FamilyFindings& findings, const std::string& file) {
  findings.warnings.push_back(
      {file,
       {1, "", "misnamed",
        fmt::format("the header is that of {}, but AITER reads only files whose names contain '{}'",
                    findings.family->name, findings.family->token)}});
}

FamilyFindings CheckFamily(const FamilyFiles& files, const core::Targets& targets,
                           const CheckRules& rules) {
  FamilyFindings findings;
  findings.family = files.family;
  std::vector<std::shared_ptr<const core::FileBytes>> bytes;
  std::vector<core::SourceFile> readable;
  for (const TreeFile& file : files.files) {
    auto read = BytesOf(file);
    if (!read.ok()) {
      findings.refused.push_back({file.name, read.error()});
      continue;
    }
    bytes.push_back(*std::move(read));
    auto table = core::ReadTunedTable(*files.family, targets, bytes.back()->view(),
                                      {.error_limit = {}, .identify = nullptr});
    if (!table.ok()) {
      findings.refused.push_back({file.name, table.error()});
      continue;
    }
    if (rules.build != nullptr) AddUnbuilt(findings, file.name, *table, *rules.build);
    if (rules.table_test) AddTestFailures(*files.family, file.name, *table, findings.test_failures);
    AddTable(findings, file.name, *std::move(table));
    findings.files.push_back(file.name);
    readable.push_back({file.name, bytes.back()->view()});
  }
  // This merges only readable files, so the merge refuses no file.
  auto merged = core::MergeTables(*files.family, targets, readable);
  if (merged.ok()) findings.duplicates = std::move(merged->duplicates);
  return findings;
}

void PrintCheckText(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread, std::size_t most) {
  for (const FamilyFindings& findings : all) {
    PrintFamily(out, findings, most);
  }
  for (const UnreadTable& it : unread) out << "not read: " << it.file << ": " << it.why << '\n';
  const auto count = [&](auto list) { return CountOf(all, list); };
  const std::size_t refused = count(&FamilyFindings::refused);
  out << "total: " << count(&FamilyFindings::files) + refused << " files, " << RowsOf(all)
      << " rows; " << count(&FamilyFindings::duplicates) << " duplicate keys, " << refused
      << " refused files, " << count(&FamilyFindings::rejected) << " rejected and "
      << count(&FamilyFindings::quarantined) << " quarantined rows; "
      << count(&FamilyFindings::unmeasured) << " unmeasured, " << count(&FamilyFindings::warnings)
      << " warnings";
  if (const std::size_t unbuilt = count(&FamilyFindings::unbuilt); unbuilt > 0) {
    out << "; " << unbuilt << " rows that the build cannot run";
  }
  if (const std::size_t failures = count(&FamilyFindings::test_failures); failures > 0) {
    out << "; " << failures << " rows that AITER's own table test fails on";
  }
  if (!unread.empty()) out << "; " << unread.size() << " tables not read";
  out << '\n';
}

void PrintCheckJson(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyFindings& findings : all) families.push_back(FindingsToJson(findings));
  nlohmann::ordered_json unread_json = nlohmann::ordered_json::array();
  for (const UnreadTable& it : unread) {
    unread_json.push_back({{"file", it.file}, {"detail", it.why}});
  }
  const std::size_t refused = CountOf(all, &FamilyFindings::refused);
  nlohmann::ordered_json report = {{"files", CountOf(all, &FamilyFindings::files) + refused},
                                   {"rows", RowsOf(all)},
                                   {"duplicate_count", CountOf(all, &FamilyFindings::duplicates)},
                                   {"refused_count", refused}};
  for (const Kind& kind : kKinds) report[kind.count] = CountOf(all, kind.rows);
  report["unread"] = unread_json;
  report["families"] = families;
  out << report.dump(2) << '\n';
}

}  // namespace tunehub::agent
