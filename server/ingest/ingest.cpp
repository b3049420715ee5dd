#include "server/ingest/ingest.h"

#include <fmt/core.h>

#include "server/ingest/batch_store.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "server/ingest/runs.h"
#include "server/ingest/staged_rows.h"
#include "server/ingest/submission.h"

namespace tunehub::server {
namespace {

// Returns the place of an error that refuses the whole body. Returns an empty list if the error has
// no place.
std::vector<core::RowIssue> PlaceOf(const core::Error& error) {
  if (error.place.row == 0) return {};
  return {{error.place.row, error.place.column, error.code, error.detail}};
}

// Returns the remark on a row that the run already has with other values. (Only the database can
// find such rows.)
core::RowIssue AlreadyMeasured(const StagedRow& staged) {
  return {staged.row.source_line, "", "already_measured",
          "the run already has another value for this shape key and candidate"};
}

}  // namespace

WriteAnswer Ingest::Results(const core::Family& family, std::string_view body, BodyFormat format,
                            std::optional<std::int64_t> run, const WriteRequest& write) {
  const core::Stopwatch stopwatch(figures_.results);
  if (const auto within = CheckSource(write, ""); !within.ok()) return Refuse(within.error());
  if (const auto within = CheckFamily(write, family.name); !within.ok())
    return Refuse(within.error());
  if (family.csv_lines) {
    return Refuse({"imports_only", family.name + ": only imports store rows of this family"});
  }
  std::optional<RunRecord> record;
  if (run) {
    auto found = RunStore(pool_).Find(*run);
    if (!found.ok()) return Refuse(found.error());
    record = *std::move(found);
  }
  const double limit = core::ResultsErrorLimit(family, record ? record->error_limit : std::nullopt);
  const auto read = format == BodyFormat::kCsv ? ReadCsvSubmission : ReadJsonSubmission;
  auto submission = read(family, definitions_.targets, body, limit);
  if (!submission.ok()) return Refuse(submission.error(), PlaceOf(submission.error()));
  std::vector<FileReport> reports(1);
  // API key 0 means a command of the server itself.
  auto rows = StageRows(definitions_, family, *std::move(submission),
                        {.provider = record ? record->provider : std::nullopt,
                         .judges_kernels = write.api_key != 0 && !write.admin},
                        reports[0]);

  BatchRequest request;
  request.kind = "results";
  request.cause = "results " + family.name;
  request.run = run;
  request.write = write;
  request.new_run = RunOfRequest(write);
  request.families[definitions_.Id(family)] = family.Sha256();
  request.render = [&](const BatchOutcome& outcome, const std::vector<StagedRow>& staged) {
    // Moves rows that contradict the database to the rejected rows.
    FileReport report = reports[0];
    for (std::size_t i : outcome.contradicting) {
      report.rejected.push_back(AlreadyMeasured(staged[i]));
      Uncount(staged[i].row, report);
    }
    SortByLine(report.rejected);
    std::vector<FileReport> described = {std::move(report)};
    DescribeObjections(outcome, staged, described);
    return RenderReceipt(family.name, described[0], outcome, write.dry_run);
  };
  return Commit(std::move(request), std::move(rows), reports);
}

WriteAnswer Ingest::Commit(BatchRequest request, std::vector<StagedRow> rows,
                           std::vector<FileReport>& reports) {
  const WriteRequest& write = request.write;
  if (write.atomic) {
    std::vector<core::RowIssue> issues = RejectedOf(reports);
    if (!issues.empty()) return RefuseRejected(std::move(issues));
  }
  if (const auto within = CheckRows(definitions_, write, rows); !within.ok())
    return Refuse(within.error());
  if (rows.size() > kMaxBatchRows) {
    return Refuse(
        {"too_many_rows", fmt::format("a batch may have at most {} rows", kMaxBatchRows)});
  }
  WarnOfTwins(definitions_, snapshots_, rows, reports);
  Folded folded = Fold(std::move(rows), reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    SortByLine(reports[i].warnings);
    reports[i].folded = folded.folded_per_file[i];
    reports[i].folded_competing = folded.folded_competing_per_file[i];
  }
  request.targets_sha256 = definitions_.targets.Sha256();
  request.rows = &folded.rows;
  request.verify = [&](const auto& doubted, const auto& open) {
    return JobsToVerifyRows(definitions_, doubted, open);
  };
  request.of_job = [&](const auto& job, const auto& sent) {
    return CheckOfJob(definitions_, job, sent);
  };
  auto outcome = groups.Commit(request);
  if (!outcome.ok()) return Refuse(outcome.error());
  if (outcome->shrinkage) {
    return RefuseShrinkage(definitions_.families, request.new_run.source, *outcome->shrinkage);
  }
  if (outcome->loss) return Refuse(LossError(*outcome->loss));
  if (write.atomic && !outcome->contradicting.empty()) {
    std::vector<core::RowIssue> issues;
    for (std::size_t i : outcome->contradicting) issues.push_back(AlreadyMeasured(folded.rows[i]));
    SortByLine(issues);
    core::Error error{"rejected_rows",
                      fmt::format("nothing was stored, because the run already has other values "
                                  "for {} of the rows and atomic=1 is set",
                                  issues.size())};
    return Refuse(std::move(error), std::move(issues));
  }
  if (!write.dry_run) snapshots_.Expect(outcome->revision.value_or(core::Pin()));
  if (!outcome->replayed && !write.dry_run) figures_.Count(reports, *outcome);
  return Answered(*std::move(outcome));
}

}  // namespace tunehub::server
