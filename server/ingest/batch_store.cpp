#include "server/ingest/batch_store.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/competition_store.h"
#include "server/ingest/group_store.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "server/ingest/stage_store.h"
#include "sql.h"

namespace tunehub::server {
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
                   BatchOutcome& outcome) {
  // A run's first batch repeats nothing of it. Others of the same family wait for the family's
  // lock.
  const auto earlier = transaction.exec_params(
      "SELECT FROM batch WHERE run = $1 AND id <> $2 LIMIT 1", outcome.run, outcome.batch);
  if (earlier.empty()) return;
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
    outcome.contradicting.push_back(
        static_cast<std::size_t>(row[0].as<std::int64_t>() - outcome.first_id()));
  }
}

// What of an import its source has had; `outcome` says where too much would go. Errors: not_owner,
// key_limited; why the import may be incomplete, where it would take another one's place.
core::Result<Imported> Import(pqxx::work& transaction, const BatchRequest& request,
                              const RunRecord& run, StagedBatch& staged, BatchOutcome& outcome) {
  const auto source = OpenSource(transaction, request.write, run.source, run.trusted);
  if (!source.ok()) return source.error();
  Imported imported{run.source, *source, {}};
  if (source->head && request.incomplete) return *request.incomplete;
  staged.Analyse();
  transaction.exec(sql::known_tables);
  const auto shrinkage = FindShrinkage(transaction, request.write, *source);
  if (!shrinkage.ok()) return shrinkage.error();
  outcome.shrinkage = *shrinkage;
  if (outcome.shrinkage) return imported;
  imported.known = TakeKnown(transaction, *source, run.id);
  outcome.unchanged = imported.known.rows;
  outcome.unchanged_competing = imported.known.competing;
  return imported;
}

// Makes measurements of what is staged; how many, and of each family in the outcome.
std::size_t StoreStaged(pqxx::work& transaction, const std::optional<Imported>& imported,
                        Members& alone) {
  BatchOutcome& outcome = alone.front().outcome;
  for (const auto& row : transaction.exec("SELECT family, count(*) FROM stage GROUP BY family"))
    outcome.families[row[0].as<std::int16_t>()].stored = row[1].as<std::size_t>();
  const std::size_t stored = StoredOf(outcome);
  std::optional<int> source;
  if (imported) source = imported->source.id;
  if (stored > 0) InsertMeasurements(transaction, alone, source);
  return stored;
}

// What is noted of the run: an import has the rows, too, that its source has had.
RunCounts CountsOf(const BatchRequest& request, const std::optional<Imported>& imported,
                   std::size_t stored, const BatchOutcome& outcome) {
  RunCounts counts{outcome.run, stored, stored};
  if (!imported) return counts;
  counts.rows += imported->known.rows;
  if (imported->known.rows > 0) counts.repeats = imported->source.head;
  if (outcome.withdrawn.empty() && outcome.in_doubt.empty()) counts.digest = request.content;
  return counts;
}

// The rows of an opened batch. False where its outcome says why nothing is to be kept.
core::Result<bool> WriteRows(pqxx::work& transaction, const RunRecord& run, Members& alone) {
  const BatchRequest& request = *alone.front().request;
  BatchOutcome& outcome = alone.front().outcome;
  const auto versions = FindVersions(transaction, request);
  if (!versions.ok()) return versions.error();
  StagedBatch staged(transaction, {{*request.rows, outcome.first_id()}}, *versions);
  if (request.run) RemoveRepeats(transaction, request, staged, outcome);
  if (request.write.atomic && !outcome.contradicting.empty()) return false;
  std::optional<Imported> imported;
  if (request.supersede) {
    auto import = Import(transaction, request, run, staged, outcome);
    if (!import.ok()) return import.error();
    if (outcome.shrinkage) return false;
    imported = *std::move(import);
  }
  const std::size_t stored = StoreStaged(transaction, imported, alone);
  if (stored > 0 || imported) {
    const auto status =
        Compete(transaction, staged, alone, run.active, imported ? &*imported : nullptr);
    if (!status.ok()) return status.error();
  }
  if (!request.write.allow_shrink)
    outcome.loss = FindLoss(transaction, request.write, outcome.batch, outcome.families);
  if (outcome.loss) return false;
  CountRows(transaction, {CountsOf(request, imported, stored, outcome)});
  return true;
}

Ending<BatchOutcome> Write(pqxx::work& transaction, const BatchRequest& request) {
  LockFamilies(transaction, request);
  auto opened = OpenBatch(transaction, request.kind, request.write, request.run);
  if (!opened.ok()) return opened.error();
  Members alone(1, {&request});
  BatchOutcome& outcome = alone.front().outcome;
  static_cast<WriteOutcome&>(outcome) = *std::move(opened);
  if (outcome.replayed) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  const auto run = OpenRun(transaction, request);
  if (!run.ok()) return run.error();
  outcome.run = run->id;
  const auto kept = WriteRows(transaction, *run, alone);
  if (!kept.ok()) return kept.error();
  if (!*kept) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  if (!request.write.dry_run) AnalyseGrown(transaction, StoredOf(outcome));
  TakeRevisions(transaction, alone);
  outcome.receipt = request.render(outcome, *request.rows);
  if (request.write.dry_run) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  FinishBatch(transaction, outcome.batch, outcome.receipt, run->id);
  Audit(transaction, request.write, request.kind, Describe(request, outcome));
  NotifyChange(transaction);
  return std::move(outcome);
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

// An import of what its source has already.

namespace {

using MaybeOutcome = std::optional<BatchOutcome>;

std::string ReceiptOf(pqxx::work& transaction, std::int64_t batch) {
  return transaction.exec_params1("SELECT receipt FROM batch WHERE id = $1", batch)[0]
      .as<std::string>();
}

// Every row that the import in force has is open, so it is the new one's too: no row is read.
Ending<MaybeOutcome> WriteRepeat(pqxx::work& transaction, const RepeatRequest& request) {
  LockRegistry(transaction);
  auto opened = OpenBatch(transaction, "import", request.write, std::nullopt);
  if (!opened.ok()) return opened.error();
  BatchOutcome outcome;
  static_cast<WriteOutcome&>(outcome) = *std::move(opened);
  if (outcome.replayed) return Ending<MaybeOutcome>::Dropped(std::move(outcome));
  const auto source = OpenSource(transaction, request.write, request.new_run.source,
                                 IsTrusted(request.new_run, request.write));
  if (!source.ok()) return source.error();
  const auto same =
      transaction.exec_params(sql::find_same_import, request.new_run.source, request.content);
  if (same.empty()) return Ending<MaybeOutcome>::Dropped(std::nullopt);
  bool created = false;
  outcome.run = InsertRun(transaction, request.new_run, request.write, created).id;
  outcome.unchanged = same[0]["rows"].as<std::size_t>();
  CountRows(transaction, {{outcome.run, outcome.unchanged, 0, same[0]["id"].as<std::int64_t>(),
                           request.content}});
  MoveHead(transaction, request.new_run.source);
  TakeRevisions(transaction, {{outcome.batch, {}}}, "import", "");  // what is served stays
  const auto batch = same[0]["batch"].as<std::int64_t>();
  const std::string patch = request.render(outcome);
  outcome.receipt = PatchReceipt(ReceiptOf(transaction, batch), patch);
  FinishBatch(transaction, outcome.batch, patch, outcome.run, batch);
  Audit(transaction, request.write, "import",
        fmt::format("import {}: run {}, {} rows, the same again", request.new_run.source,
                    outcome.run, outcome.unchanged));
  NotifyChange(transaction);
  return MaybeOutcome(std::move(outcome));
}

}  // namespace

core::Result<MaybeOutcome> BatchStore::Repeat(const RepeatRequest& request) {
  // Most imports have something new, and are not to take the lock twice.
  if (Query(pool_, sql::find_same_import, request.new_run.source, request.content).empty()) {
    return MaybeOutcome();
  }
  return InTransaction(pool_,
                       [&](pqxx::work& transaction) { return WriteRepeat(transaction, request); });
}

// Taking a run out of the competition.

namespace {

std::vector<RevertedFamily> CountReverted(pqxx::work& transaction, std::int64_t batch) {
  std::vector<RevertedFamily> families;
  for (const auto& row : transaction.exec_params(sql::count_reverted, batch)) {
    families.push_back(
        {row[0].as<std::string>(), row[1].as<std::size_t>(), row[2].as<std::size_t>()});
  }
  return families;
}

Ending<RevertOutcome> WriteRevert(pqxx::work& transaction, std::int64_t id, const Writer& by,
                                  bool dry_run, bool allow_shrink) {
  LockRegistry(transaction);
  const auto run = SelectRun(transaction, id);
  if (!run.ok()) return run.error();
  if (!run->reverted.empty()) {
    return core::Error{"already_reverted",
                       fmt::format("run {} was reverted at {}", id, run->reverted)};
  }
  if (const auto may = MayRevert(transaction, by, *run); !may.ok()) return may.error();
  const std::string cause = fmt::format("revert of run {}", id);
  RevertOutcome outcome;
  outcome.batch = OpenBatch(transaction, "revert", {by, {}, cause}, id)->batch;
  transaction.exec(sql::choice_tables);
  if (run->source.empty()) {
    transaction.exec_params(sql::touch_withdrawn, id);
    transaction.exec_params0(sql::revert_run, id);
  } else {
    RevertImport(transaction, run->source, id);
  }
  transaction.exec("ANALYZE touched");
  transaction.exec(sql::rebuild_candidates);
  // No measurement of this batch exists: nothing can be won by it.
  const BatchChanges changes =
      ChooseForTouched(transaction, outcome.batch, std::numeric_limits<std::int64_t>::max());
  const FamilyOutcomes& families = changes.at(outcome.batch);
  for (const auto& family : families) outcome.changed += family.second.changed;
  outcome.families = CountReverted(transaction, outcome.batch);
  if (dry_run) return Ending<RevertOutcome>::Dropped(std::move(outcome));
  if (const auto loss =
          allow_shrink ? std::nullopt : FindLoss(transaction, by, outcome.batch, families))
    return LossError(*loss);
  const auto revisions = TakeRevisions(transaction, changes, "revert", cause);
  if (!revisions.empty()) {
    outcome.revision = revisions.begin()->second;
  } else {
    const auto head = transaction.exec1(sql::read_head);
    outcome.revision = ReadPin(head[0], head[1]);
  }
  FinishBatch(transaction, outcome.batch,
              fmt::format(R"({{"reverted":{},"changed":{},"revision":{}}})", id, outcome.changed,
                          outcome.revision.number),
              id);
  Audit(transaction, by, "revert", fmt::format("{}: {} keys changed", cause, outcome.changed));
  NotifyChange(transaction);
  return outcome;
}

}  // namespace

core::Result<RevertOutcome> BatchStore::Revert(std::int64_t run, const Writer& by, bool dry_run,
                                               bool allow_shrink) {
  return InTransaction(pool_, [&](pqxx::work& transaction) {
    return WriteRevert(transaction, run, by, dry_run, allow_shrink);
  });
}

}  // namespace tunehub::server
