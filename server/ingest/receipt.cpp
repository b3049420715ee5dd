#include "server/ingest/receipt.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/text.h"
#include "core/table/table_writer.h"
#include "server/answers/issues.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Returns the number of this file's rows that may win, without folded rows.
std::size_t Accepted(const FileReport& report) {
  return report.of(core::Standing::kMeasured) + report.of(core::Standing::kDeclared) +
         report.of(core::Standing::kUnmeasured) - report.folded_competing;
}

void AddReport(Json& json, const FileReport& report) {
  json["rows"] = report.rows;
  json["accepted"] = Accepted(report);
  json["folded"] = report.folded;
  json["inferred_gfx"] = report.inferred_gfx;
  json["measured"] = report.of(core::Standing::kMeasured);
  json["declared"] = report.of(core::Standing::kDeclared);
  json["unmeasured_count"] = report.of(core::Standing::kUnmeasured);
  json["quarantined_count"] = report.quarantined.size();
  json["unfinished_count"] = report.of(core::Standing::kUnfinished);
  json["compared_count"] = report.of(core::Standing::kCompared);
  json["rejected_count"] = report.rejected.size();
  json["warning_count"] = report.warnings.size();
  json["withdrawn_count"] = report.withdrawn.size();
  json["in_doubt_count"] = report.in_doubt.size();
  json["unconfirmed_count"] = report.unconfirmed.size();
  json["unmeasured"] = IssuesJson(report.unmeasured_rows);
  json["quarantined"] = IssuesJson(report.quarantined);
  json["rejected"] = IssuesJson(report.rejected);
  json["warnings"] = IssuesJson(report.warnings);
  json["withdrawn"] = IssuesJson(report.withdrawn);
  json["in_doubt"] = IssuesJson(report.in_doubt);
  json["unconfirmed"] = IssuesJson(report.unconfirmed);
}

// The receipt's numbers of the batch, the run and the revision.
Json Head(const BatchOutcome& outcome, bool dry_run) {
  Json json;
  json["batch"] = dry_run ? Json() : Json(outcome.batch);
  json["run"] = dry_run ? Json() : Json(outcome.run);
  if (dry_run) json["dry_run"] = true;
  // Without a revision, no served row has changed.
  if (!outcome.revision || dry_run) return json;
  json["revision"] = outcome.revision->number;
  json["pin"] = outcome.revision->Text();
  return json;
}

void AddOutcome(Json& json, const BatchOutcome& outcome, bool dry_run) {
  const FamilyOutcome sum = SumOf(outcome.families);
  json["stored"] = sum.stored;
  json["won"] = sum.won;
  json["changed"] = sum.changed;
  json["tied"] = sum.tied;
  json["likely"] = sum.likely;
  json["sure"] = sum.sure;
  json["unchanged"] = outcome.unchanged;  // the run or its source had these rows
  json["verify_jobs"] = dry_run ? std::vector<std::int64_t>() : outcome.verify_jobs;
}

bool IsQuarantined(core::Standing standing) {
  return standing >= core::Standing::kWrong && standing <= core::Standing::kImplausible;
}

core::RowIssue Remark(const core::Row& row) {
  const std::size_t colon = row.reason.find(": ");
  return {row.source_line, "", row.reason.substr(0, colon),
          colon == std::string::npos ? row.reason : row.reason.substr(colon + 2)};
}

}  // namespace

void SortByLine(std::vector<core::RowIssue>& issues) {
  std::ranges::stable_sort(issues, {}, &core::RowIssue::line);
}

std::vector<core::RowIssue> RejectedOf(const std::vector<FileReport>& reports) {
  std::vector<core::RowIssue> issues;
  for (const FileReport& report : reports) {
    issues.insert(issues.end(), report.rejected.begin(), report.rejected.end());
  }
  return issues;
}

void Describe(const std::vector<StagedRow>& rows, FileReport& report) {
  report.rows = rows.size() + report.rejected.size();
  for (const StagedRow& staged : rows) {
    const core::Row& row = staged.row;
    if (row.inferred_gfx) ++report.inferred_gfx;
    ++report.of(row.standing);
    if (IsQuarantined(row.standing)) report.quarantined.push_back(Remark(row));
    if (row.standing == core::Standing::kUnmeasured) report.unmeasured_rows.push_back(Remark(row));
  }
}

void Uncount(const core::Row& row, FileReport& report) {
  const auto of_row = [&](const core::RowIssue& issue) { return issue.line == row.source_line; };
  std::erase_if(report.quarantined, of_row);
  std::erase_if(report.unmeasured_rows, of_row);
  --report.of(row.standing);
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
  json["revision"] = json["pin"] = Json();  // null removes a member
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
  json["unmeasured_count"] = sum([](const auto& it) { return it.of(core::Standing::kUnmeasured); });
  json["quarantined_count"] = sum([](const auto& it) { return it.quarantined.size(); });
  json["rejected_count"] = sum([](const auto& it) { return it.rejected.size(); });
  json["withdrawn_count"] = sum([](const auto& it) { return it.withdrawn.size(); });
  json["in_doubt_count"] = sum([](const auto& it) { return it.in_doubt.size(); });
  json["unconfirmed_count"] = sum([](const auto& it) { return it.unconfirmed.size(); });
  json["files"] = std::move(list);
  return json.dump();
}

namespace {

// Returns "M=16, N=1536, K=7168": the non-empty key columns, without the target's columns. If the
// line does not have the family's columns, returns the whole line.
std::string ShapeText(const core::Family* family, const std::string& line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  if (family == nullptr || cells.size() != family->columns.size()) return line;
  for (const std::size_t column : family->key_columns) {
    const core::Role role = family->columns[column].role;
    if (role == core::Role::kTarget || cells[column].empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", family->columns[column].name,
                        cells[column]);
  }
  return text;
}

std::string KeyText(const core::Families& families, const GoingKey& key) {
  return fmt::format("{} {}:{} {}", key.family, key.gfx, key.cu_num,
                     ShapeText(families.Find(key.family), key.line));
}

}  // namespace

WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const Shrinkage& shrinkage) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const GoingKey& key : shrinkage.keys) keys.push_back(KeyText(families, key));
  WriteAnswer answer =
      Refuse({"would_shrink",
              fmt::format("nothing was stored: source '{}' has {} shape keys and would lose {} of "
                          "them, more than a tenth. If you want that, use a key of scope admin and "
                          "allow_shrink=1 (tunehub-agent import --allow-shrink)",
                          core::Excerpt(source), shrinkage.held, shrinkage.going)});
  answer.refusal->members = fmt::format(R"("held":{},"going":{},"keys":{})", shrinkage.held,
                                        shrinkage.going, keys.dump());
  return answer;
}

namespace {

// "its 14.63 us of run 3 no longer count: error_above_limit: 0.9, the limit is 0.2"
core::RowIssue IssueOf(const core::Row& row, const Objection& objection, const char* code,
                       std::string_view says) {
  const std::string stood =
      std::isfinite(objection.us) && objection.us > 0
          ? fmt::format("the earlier {:.10g} us of run {}", objection.us, objection.run)
          : fmt::format("the earlier rows up to run {}", objection.run);
  return {row.source_line, "", code, fmt::format("{} {}: {}", stood, says, row.reason)};
}

}  // namespace

void DescribeObjections(const BatchOutcome& outcome, const std::vector<StagedRow>& rows,
                        std::vector<FileReport>& reports) {
  for (const Objection& it : outcome.withdrawn) {
    reports[rows[it.row].file].withdrawn.push_back(
        IssueOf(rows[it.row].row, it, "withdrawn", "no longer count"));
  }
  for (const Objection& it : outcome.in_doubt) {
    reports[rows[it.row].file].in_doubt.push_back(
        IssueOf(rows[it.row].row, it, "in_doubt", "still count, but are in doubt"));
  }
  for (const std::size_t row : outcome.out_of_line) {
    const StagedRow& staged = rows[row];
    FileReport& report = reports[staged.file];
    Uncount(staged.row, report);
    report.quarantined.push_back(
        {staged.row.source_line, "", "implausible",
         "the time is below a tenth of the shape key's best earlier time"});
  }
  for (const std::size_t row : outcome.unconfirmed) {
    const StagedRow& staged = rows[row];
    FileReport& report = reports[staged.file];
    Uncount(staged.row, report);
    report.unconfirmed.push_back(
        {staged.row.source_line, "", "unconfirmed",
         fmt::format(
             "{:.10g} us is far below the best time of other owners. The row waits until another "
             "owner measures a similar time, a job verifies the row, or an admin accepts it",
             staged.row.us)});
  }
  for (FileReport& report : reports) {
    SortByLine(report.unconfirmed);
    SortByLine(report.quarantined);
    SortByLine(report.withdrawn);
    SortByLine(report.in_doubt);
  }
}

}  // namespace tunehub::server
