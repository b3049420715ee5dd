#include "server/ingest/receipt.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/answers/issues.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

void AddReport(Json& json, const FileReport& report) {
  json["rows"] = report.rows;
  json["accepted"] = Accepted(report);
  json["folded"] = report.folded;
  json["inferred_gfx"] = report.inferred_gfx;
  json["measured"] = report.measured;
  json["declared"] = report.declared;
  json["unmeasured_count"] = report.unmeasured;
  json["quarantined_count"] = report.quarantined.size();
  json["unfinished_count"] = report.unfinished;
  json["compared_count"] = report.compared;
  json["rejected_count"] = report.rejected.size();
  json["warning_count"] = report.warnings.size();
  json["withdrawn_count"] = report.withdrawn.size();
  json["in_doubt_count"] = report.in_doubt.size();
  json["unmeasured"] = IssuesJson(report.unmeasured_rows);
  json["quarantined"] = IssuesJson(report.quarantined);
  json["rejected"] = IssuesJson(report.rejected);
  json["warnings"] = IssuesJson(report.warnings);
  json["withdrawn"] = IssuesJson(report.withdrawn);
  json["in_doubt"] = IssuesJson(report.in_doubt);
}

// The store's answer: which numbers were given, and what it did to the keys.
Json Head(const BatchOutcome& outcome, bool dry_run) {
  Json json;
  json["batch"] = dry_run ? Json() : Json(outcome.batch);
  json["run"] = dry_run ? Json() : Json(outcome.run);
  if (dry_run) json["dry_run"] = true;
  // Absent where nothing that is served has changed.
  if (!outcome.revision || dry_run) return json;
  json["revision"] = outcome.revision->number;
  json["pin"] = outcome.revision->Text();
  return json;
}

void AddOutcome(Json& json, const BatchOutcome& outcome, bool dry_run) {
  std::size_t won = 0, changed = 0, stored = 0;
  for (const auto& [family, counts] : outcome.families) {
    won += counts.won;
    changed += counts.changed;
    stored += counts.stored;
  }
  json["stored"] = stored;                // new measurements
  json["won"] = won;                      // keys that a row of this batch now holds
  json["changed"] = changed;              // keys whose served row is another one now
  json["unchanged"] = outcome.unchanged;  // rows that the run, or its source, had already
  json["measure_jobs"] = dry_run ? std::vector<std::int64_t>() : outcome.measure_jobs;
}

core::RowIssue Remark(const core::Row& row) {
  const std::size_t colon = row.reason.find(": ");
  return {row.source_line, "", row.reason.substr(0, colon),
          colon == std::string::npos ? row.reason : row.reason.substr(colon + 2)};
}

// Where rows of the standing are counted; null: as a quarantined row.
std::size_t* CountOf(core::Standing standing, FileReport& report) {
  switch (standing) {
    case core::Standing::kMeasured:
      return &report.measured;
    case core::Standing::kDeclared:
      return &report.declared;
    case core::Standing::kUnmeasured:
      return &report.unmeasured;
    case core::Standing::kUnfinished:
      return &report.unfinished;
    case core::Standing::kCompared:
      return &report.compared;
    case core::Standing::kWrong:
    case core::Standing::kFailed:
    case core::Standing::kGarbled:
    case core::Standing::kImplausible:
      break;
  }
  return nullptr;
}

}  // namespace

void SortByLine(std::vector<core::RowIssue>& issues) {
  std::ranges::stable_sort(issues, {}, &core::RowIssue::line);
}

void Describe(core::TunedTable& table, FileReport& report) {
  report.rows = table.rows.size() + table.rejected.size();
  report.rejected = std::move(table.rejected);
  report.warnings = std::move(table.warnings);
  for (const core::Row& row : table.rows) {
    if (row.inferred_gfx) ++report.inferred_gfx;
    std::size_t* const count = CountOf(row.standing, report);
    if (count != nullptr) ++*count;
    if (count == nullptr) report.quarantined.push_back(Remark(row));
    if (row.standing == core::Standing::kUnmeasured) report.unmeasured_rows.push_back(Remark(row));
  }
}

std::size_t Accepted(const FileReport& report) {
  return report.measured + report.declared + report.unmeasured - report.folded_competing;
}

void Uncount(const core::Row& row, FileReport& report) {
  const auto of_row = [&](const core::RowIssue& issue) { return issue.line == row.source_line; };
  std::erase_if(report.quarantined, of_row);
  std::erase_if(report.unmeasured_rows, of_row);
  if (std::size_t* const count = CountOf(row.standing, report)) --*count;
}

std::string RenderReceipt(const std::string& family, const FileReport& report,
                          const BatchOutcome& outcome, bool dry_run) {
  Json json = Head(outcome, dry_run);
  json["family"] = family;
  AddReport(json, report);
  AddOutcome(json, outcome, dry_run);
  const std::size_t accepted = Accepted(report) - outcome.unchanged_competing;
  json["accepted"] = accepted;
  json["kept"] = accepted - std::min(accepted, json["won"].get<std::size_t>());
  return json.dump();
}

std::string RenderRepeat(const BatchOutcome& outcome) {
  Json json = Head(outcome, false);
  json["revision"] = json["pin"] = Json();  // null takes a member away
  AddOutcome(json, outcome, false);
  return json.dump();
}

std::string RenderImportReceipt(const std::string& source, const std::vector<FileReport>& files,
                                const BatchOutcome& outcome, bool dry_run) {
  Json json = Head(outcome, dry_run);
  json["source"] = source;
  AddOutcome(json, outcome, dry_run);
  Json list = Json::array();
  for (const FileReport& report : files) {
    Json file = {{"file", report.file}, {"family", report.family}, {"status", report.status}};
    if (!report.code.empty()) file["code"] = report.code;
    if (!report.detail.empty()) file["detail"] = report.detail;
    if (report.status == "imported") AddReport(file, report);
    list.push_back(std::move(file));
  }
  const auto sum = [&](const auto& count) {
    std::size_t total = 0;
    for (const FileReport& report : files) total += count(report);
    return total;
  };
  json["rows"] = sum([](const auto& it) { return it.rows; });
  json["accepted"] = sum(Accepted);
  json["unmeasured_count"] = sum([](const auto& it) { return it.unmeasured; });
  json["quarantined_count"] = sum([](const auto& it) { return it.quarantined.size(); });
  json["rejected_count"] = sum([](const auto& it) { return it.rejected.size(); });
  json["withdrawn_count"] = sum([](const auto& it) { return it.withdrawn.size(); });
  json["in_doubt_count"] = sum([](const auto& it) { return it.in_doubt.size(); });
  json["files"] = std::move(list);
  return json.dump();
}

}  // namespace tunehub::server
