#include "server/store/ingest/batches.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/store/connection/audit.h"
#include "server/store/connection/transaction.h"
#include "server/store/connection/write_once.h"
#include "server/store/ingest/choice.h"
#include "server/store/ingest/competition.h"
#include "server/store/ingest/group.h"
#include "server/store/ingest/permission.h"
#include "server/store/ingest/run_statements.h"
#include "server/store/ingest/shrinkage.h"
#include "server/store/ingest/stage.h"
#include "server/store/ingest/steps.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// Errors: unknown_run; not_owner; run_of_an_import, whose rows come with an import of its source
// alone.
core::Result<RunRecord> OpenRun(pqxx::work& transaction, const BatchRequest& request) {
  if (!request.run) {
    bool created = false;
    return InsertRun(transaction, request.new_run, request.write, created);
  }
  auto run = SelectRun(transaction, *request.run);
  if (!run.ok()) return run;
  const auto owned = CheckOwner(request.write, fmt::format("run {}", run->id), run->owner);
  if (!owned.ok()) return owned.error();
  if (run->trusted && !request.write.admin && run->source.empty()) {
    return core::Error{
        "not_owner",
        fmt::format("run {} is an admin's: its results need a key of scope admin", run->id)};
  }
  if (run->source.empty()) return run;
  return core::Error{
      "run_of_an_import",
      fmt::format("run {} is an import of '{}': results belong to a run of their own", run->id,
                  run->source)};
}

// Rows that the run already has are no new measurements; those that say otherwise are reported.
void RemoveRepeats(pqxx::work& transaction, const BatchRequest& request, StagedBatch& staged,
                   std::int64_t first_id, BatchOutcome& outcome) {
  const bool first =
      transaction.exec_params(sql::find_earlier_batch, outcome.run, outcome.batch).empty();
  if (first) return;
  staged.Analyse();
  const auto counts = transaction.exec_params1(sql::count_repeats, outcome.run);
  const auto repeats = counts[0].as<std::size_t>();
  if (repeats == 0) return;
  outcome.unchanged = counts[1].as<std::size_t>();
  outcome.unchanged_competing = counts[2].as<std::size_t>();
  if (repeats == request.rows->size() && outcome.unchanged == repeats) {
    transaction.exec("TRUNCATE stage");
    return;
  }
  for (const auto& row : transaction.exec_params(sql::delete_repeats, outcome.run)) {
    outcome.contradicting.push_back(static_cast<std::size_t>(row[0].as<std::int64_t>() - first_id));
  }
}

// What of an import its source has had; `outcome` says where too much would go. Errors: not_owner,
// key_limited; why the import may be incomplete, where it would take another one's place.
core::Result<Imported> Import(pqxx::work& transaction, const BatchRequest& request,
                              const RunRecord& run, StagedBatch& staged, BatchOutcome& outcome) {
  Imported imported{OpenSource(transaction, run.source, request.write.owner, run.trusted), {}};
  const auto owned = CheckSourceOwner(request.write, run.source, imported.source);
  if (!owned.ok()) return owned.error();
  if (imported.source.head && request.incomplete) return *request.incomplete;
  staged.Analyse();
  transaction.exec(sql::known_tables);
  const auto shrinkage = FindShrinkage(transaction, request.write, imported.source);
  if (!shrinkage.ok()) return shrinkage.error();
  outcome.shrinkage = *shrinkage;
  if (outcome.shrinkage) return imported;
  imported.known = TakeKnown(transaction, imported.source, run.id);
  outcome.unchanged = imported.known.rows;
  outcome.unchanged_competing = imported.known.competing;
  return imported;
}

// Makes measurements of what is staged; how many, and of each family in `outcome`.
std::size_t StoreStaged(pqxx::work& transaction, const RunRecord& run,
                        const std::optional<Imported>& imported, BatchOutcome& outcome) {
  std::size_t stored = 0;
  for (const auto& row : transaction.exec("SELECT family, count(*) FROM stage GROUP BY family")) {
    stored += outcome.families[row[0].as<std::int16_t>()].stored = row[1].as<std::size_t>();
  }
  if (stored == 0) return 0;
  std::optional<int> source;
  if (imported) source = imported->source.id;
  transaction.exec_params(sql::insert_measurements, run.id, source);
  return stored;
}

// What is noted of the run: an import has the rows, too, that its source has had.
RunCounts CountsOf(const BatchRequest& request, const std::optional<Imported>& imported,
                   std::size_t stored, const BatchOutcome& outcome) {
  RunCounts counts;
  counts.stored = stored;
  counts.rows = stored;
  if (!imported) return counts;
  counts.rows += imported->known.rows;
  if (imported->known.rows > 0) counts.repeats = imported->source.head;
  if (outcome.withdrawn.empty() && outcome.in_doubt.empty()) counts.digest = request.content;
  return counts;
}

// The rows of an opened batch, of the run in `outcome`.
Ending<BatchOutcome> WriteRows(pqxx::work& transaction, const BatchRequest& request,
                               const RunRecord& run, BatchOutcome outcome) {
  const auto versions = FindVersions(transaction, request);
  if (!versions.ok()) return versions.error();
  const std::int64_t first_id = outcome.batch << kBatchIdShift;
  StagedBatch staged(transaction, {{*request.rows, first_id}}, *versions);
  if (request.run) RemoveRepeats(transaction, request, staged, first_id, outcome);
  if (request.write.atomic && !outcome.contradicting.empty()) {
    return Ending<BatchOutcome>::Dropped(std::move(outcome));
  }
  std::optional<Imported> imported;
  if (request.supersede) {
    auto import = Import(transaction, request, run, staged, outcome);
    if (!import.ok()) return import.error();
    if (outcome.shrinkage) return Ending<BatchOutcome>::Dropped(std::move(outcome));
    imported = *std::move(import);
  }
  const std::size_t stored = StoreStaged(transaction, run, imported, outcome);
  if (stored > 0 || imported) {
    const auto status = Compete(transaction, request, run, staged, imported ? &*imported : nullptr,
                                first_id, outcome);
    if (!status.ok()) return status.error();
  }
  if (!request.write.allow_shrink)
    outcome.loss = FindLoss(transaction, request.write, outcome.batch, outcome.families);
  if (outcome.loss) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  CountRows(transaction, run.id, CountsOf(request, imported, stored, outcome));
  return outcome;
}

Ending<BatchOutcome> Write(pqxx::work& transaction, const BatchRequest& request) {
  LockFamilies(transaction, request);
  auto opened = OpenBatch(transaction, request.kind, request.write, request.run);
  if (!opened.ok()) return opened.error();
  BatchOutcome outcome;
  static_cast<WriteOutcome&>(outcome) = *std::move(opened);
  if (outcome.replayed) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  const auto run = OpenRun(transaction, request);
  if (!run.ok()) return run.error();
  outcome.run = run->id;
  auto written = WriteRows(transaction, request, *run, std::move(outcome));
  if (!written.keep) return written;
  outcome = *std::move(written.answer);
  if (!request.write.dry_run) AnalyseGrown(transaction, StoredOf(outcome));
  outcome.revision =
      TakeRevision(transaction, outcome.batch, request.kind, request.cause, outcome.families);
  outcome.receipt = request.render(outcome, *request.rows);
  if (request.write.dry_run) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  transaction.exec_params(sql::finish_batch, outcome.batch, outcome.receipt, run->id);
  Audit(transaction, request.write, request.kind, Describe(request, outcome));
  NotifyChange(transaction);
  return outcome;
}

}  // namespace

core::Result<BatchOutcome> BatchStore::CommitAlone(const BatchRequest& request) {
  return InTransaction(pool_, [&](pqxx::work& transaction) { return Write(transaction, request); });
}

std::vector<GroupAnswer> BatchStore::CommitTogether(
    const std::vector<const BatchRequest*>& requests) {
  if (requests.size() == 1) return {CommitAlone(*requests.front())};
  auto answers = InTransaction(
      pool_, [&](pqxx::work& transaction) { return WriteTogether(transaction, requests); });
  return *std::move(answers);
}

core::Result<BatchOutcome> BatchStore::Commit(const BatchRequest& request) {
  if (!MayGoTogether(request)) return CommitAlone(request);
  auto answer =
      lines_.Join(request, [&](const auto& requests) { return CommitTogether(requests); });
  if (answer) return *std::move(answer);
  return CommitAlone(request);
}

}  // namespace tunehub::store
