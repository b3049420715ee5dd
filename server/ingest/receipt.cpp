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

}  // namespace

void Describe(core::TunedTable& table, FileReport& report) {
  report.rows = table.rows.size() + table.rejected.size();
  report.rejected = std::move(table.rejected);
  report.warnings = std::move(table.warnings);
  for (const core::Row& row : table.rows) {
    if (row.inferred_gfx) ++report.inferred_gfx;
    switch (row.standing) {
      case core::Standing::kMeasured:
        ++report.measured;
        break;
      case core::Standing::kDeclared:
        ++report.declared;
        break;
      case core::Standing::kUnmeasured:
        ++report.unmeasured;
        report.unmeasured_rows.push_back(Remark(row));
        break;
      case core::Standing::kWrong:
      case core::Standing::kFailed:
      case core::Standing::kGarbled:
      case core::Standing::kImplausible:
        report.quarantined.push_back(Remark(row));
        break;
      case core::Standing::kUnfinished:
        ++report.unfinished;
        break;
      case core::Standing::kCompared:
        ++report.compared;
        break;
    }
  }
}

std::size_t Accepted(const FileReport& report) {
  return report.measured + report.declared + report.unmeasured - report.folded_competing;
}

void Uncount(const core::Row& row, FileReport& report) {
  const auto of_row = [&](const core::RowIssue& issue) { return issue.line == row.source_line; };
  std::erase_if(report.quarantined, of_row);
  std::erase_if(report.unmeasured_rows, of_row);
  switch (row.standing) {
    case core::Standing::kMeasured:
      --report.measured;
      break;
    case core::Standing::kDeclared:
      --report.declared;
      break;
    case core::Standing::kUnmeasured:
      --report.unmeasured;
      break;
    case core::Standing::kWrong:
    case core::Standing::kFailed:
    case core::Standing::kGarbled:
    case core::Standing::kImplausible:
      break;
    case core::Standing::kUnfinished:
      --report.unfinished;
      break;
    case core::Standing::kCompared:
      --report.compared;
      break;
  }
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
  std::size_t rows = 0, accepted = 0, rejected = 0, quarantined = 0, unmeasured = 0;
  std::size_t withdrawn = 0, in_doubt = 0;
  Json list = Json::array();
  for (const FileReport& report : files) {
    Json file = {{"file", report.file}, {"family", report.family}, {"status", report.status}};
    if (!report.code.empty()) file["code"] = report.code;
    if (!report.detail.empty()) file["detail"] = report.detail;
    if (report.status == "imported") AddReport(file, report);
    rows += report.rows;
    accepted += Accepted(report);
    rejected += report.rejected.size();
    quarantined += report.quarantined.size();
    unmeasured += report.unmeasured;
    withdrawn += report.withdrawn.size();
    in_doubt += report.in_doubt.size();
    list.push_back(std::move(file));
  }
  json["rows"] = rows;
  json["accepted"] = accepted;
  json["unmeasured_count"] = unmeasured;
  json["quarantined_count"] = quarantined;
  json["rejected_count"] = rejected;
  json["withdrawn_count"] = withdrawn;
  json["in_doubt_count"] = in_doubt;
  json["files"] = std::move(list);
  return json.dump();
}

}  // namespace tunehub::server
