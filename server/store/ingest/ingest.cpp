#include "server/store/ingest/ingest.h"

#include <algorithm>

#include "server/store/connection/transaction.h"
#include "server/store/connection/write_once.h"
#include "server/store/ingest/batches.h"
#include "server/store/ingest/objections.h"
#include "server/store/ingest/run_statements.h"
#include "server/store/ingest/stage.h"
#include "sql.h"

namespace tunehub::store {
namespace {

std::string Text(std::string_view statement) {
  return std::string(statement);
}

void Lock(pqxx::work& transaction, const BatchRequest& request) {
  transaction.exec(Text(request.supersede ? sql::lock_registry : sql::lock_registry_shared));
  // In the order of their numbers, one for all: no deadlock.
  for (const auto& [family, sha256] : request.families) {
    transaction.exec_params(Text(sql::lock_family), family);
  }
}

// Error unknown_run.
core::Result<RunRecord> OpenRun(pqxx::work& transaction, const BatchRequest& request) {
  if (!request.run) {
    bool created = false;
    return InsertRun(transaction, request.new_run, created);
  }
  auto run = SelectRun(transaction, *request.run);
  if (!run) {
    return core::Error{"unknown_run", "there is no run " + std::to_string(*request.run)};
  }
  return *std::move(run);
}

// The versions in force of the batch's families. Another server may have brought newer files than
// those that these rows were read and judged by: their lines would be stored under columns they do
// not have: error definitions_changed.
core::Result<std::map<std::int16_t, int>> Versions(pqxx::work& transaction,
                                                   const BatchRequest& request) {
  const auto changed = [](const std::string& what) {
    return core::Error{"definitions_changed",
                       what +
                           " in the database is another one than this server's: "
                           "restart it with the newer files"};
  };
  if (transaction.exec1(Text(sql::known_targets))[1].as<std::string>() != request.targets_sha256) {
    return changed("targets.json");
  }
  std::map<std::int16_t, int> versions;
  for (const auto& row : transaction.exec(Text(sql::known_definitions))) {
    const auto family = request.families.find(row[0].as<std::int16_t>());
    if (family == request.families.end()) continue;
    if (row[3].as<std::string>() != family->second) {
      return changed("the family file of " + row[1].as<std::string>());
    }
    versions[family->first] = row[2].as<int>();
  }
  return versions;
}

// Rows that the run already has are no new measurements; those that say otherwise are reported.
void RemoveRepeats(pqxx::work& transaction, const BatchRequest& request, StagedBatch& staged,
                   std::int64_t first_id, BatchOutcome& outcome) {
  const bool first =
      transaction.exec_params(Text(sql::find_earlier_batch), outcome.run, outcome.batch).empty();
  if (first) return;
  staged.Analyse();
  const auto counts = transaction.exec_params1(Text(sql::count_repeats), outcome.run);
  const auto repeats = counts[0].as<std::size_t>();
  if (repeats == 0) return;
  outcome.unchanged = counts[1].as<std::size_t>();
  outcome.unchanged_competing = counts[2].as<std::size_t>();
  if (repeats == request.rows->size() && outcome.unchanged == repeats) {
    transaction.exec("TRUNCATE stage");
    return;
  }
  for (const auto& row : transaction.exec_params(Text(sql::delete_repeats), outcome.run)) {
    outcome.contradicting.push_back(static_cast<std::size_t>(row[0].as<std::int64_t>() - first_id));
  }
}

// New keys at once. Answers how many there were.
std::size_t InsertKeys(pqxx::work& transaction, bool competes, BatchOutcome& outcome) {
  std::size_t new_keys = 0;
  for (const auto& row :
       transaction.exec_params(Text(sql::insert_tuned), outcome.batch, competes)) {
    FamilyOutcome& family = outcome.families[row[0].as<std::int16_t>()];
    new_keys += row[1].as<std::size_t>();
    family.won += row[2].as<std::size_t>();
    family.changed += row[2].as<std::size_t>();
  }
  return new_keys;
}

core::Status CheckCollisions(pqxx::work& transaction) {
  const auto collision = transaction.exec(Text(sql::find_collision));
  if (collision.empty()) return core::Ok();
  return core::Error{"key_collision",
                     "two keys share one hash: " + collision[0][0].as<std::string>()};
}

// The staged rows become candidates and hold the keys that are new. True where keys existed, or
// have several candidates, and must be chosen for. Error key_collision.
core::Result<bool> EnterKeys(pqxx::work& transaction, const BatchRequest& request,
                             const RunRecord& run, const Objector& objector, StagedBatch& staged,
                             BatchOutcome& outcome) {
  const auto& rows = *request.rows;
  const auto keys =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.best; });
  const bool all_new =
      InsertKeys(transaction, run.active, outcome) == static_cast<std::size_t>(keys);
  if (run.active) {
    if (!all_new) FindWithdrawn(transaction, request, objector, outcome);
    transaction.exec_params(Text(all_new ? sql::insert_candidates : sql::upsert_candidates),
                            objector.run_hash, objector.run_time);
  }
  if (!all_new) {
    staged.Analyse();
    if (const auto status = CheckCollisions(transaction); !status.ok()) return status.error();
    return true;
  }
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.best && !row.alone && core::Competes(row.row.standing);
  });
}

// Errors: key_collision, and why the batch may be incomplete.
core::Status Compete(pqxx::work& transaction, const BatchRequest& request, const RunRecord& run,
                     StagedBatch& staged, std::int64_t first_id, BatchOutcome& outcome) {
  const Objector objector{run.hash.Uuid(), RunTime(transaction, run.id), first_id};
  const auto contested = EnterKeys(transaction, request, run, objector, staged, outcome);
  if (!contested.ok()) return contested.error();
  const bool choose = *contested;
  if ((choose && run.active) || request.supersede) transaction.exec(Text(sql::choice_tables));
  bool touched = false;
  if (choose && run.active) {
    staged.Analyse();
    transaction.exec(Text(sql::touch_contested));
    touched = true;
  }
  if (request.supersede) {
    for (std::int64_t old : DeactivateSource(transaction, run)) {
      if (request.incomplete) return *request.incomplete;
      transaction.exec_params(Text(sql::touch_withdrawn), old);
      touched = true;
    }
    if (touched) transaction.exec(Text(sql::rebuild_candidates));
  }
  if (run.active) PlanDoubts(transaction, request, objector, outcome);
  if (!touched) return core::Ok();
  for (const auto& [family, applied] :
       ChooseForTouched(transaction, outcome.batch, first_id).families) {
    outcome.families[family].changed += applied.changed;
    outcome.families[family].won += applied.won;
  }
  return core::Ok();
}

// The rows of an opened batch, of the run in `outcome`.
Ending<BatchOutcome> WriteRows(pqxx::work& transaction, const BatchRequest& request,
                               const RunRecord& run, BatchOutcome outcome) {
  const auto versions = Versions(transaction, request);
  if (!versions.ok()) return versions.error();
  const std::int64_t first_id = outcome.batch << kBatchIdShift;
  StagedBatch staged(transaction, *request.rows, first_id, *versions);
  if (request.run) RemoveRepeats(transaction, request, staged, first_id, outcome);
  if (request.atomic && !outcome.contradicting.empty()) {
    return Ending<BatchOutcome>::Dropped(std::move(outcome));
  }
  for (const auto& row : transaction.exec("SELECT family, count(*) FROM stage GROUP BY family")) {
    outcome.families[row[0].as<std::int16_t>()].stored = row[1].as<std::size_t>();
  }
  if (!outcome.families.empty()) {
    transaction.exec_params(Text(sql::insert_measurements), run.id);
  }
  if (!outcome.families.empty() || request.supersede) {
    const auto status = Compete(transaction, request, run, staged, first_id, outcome);
    if (!status.ok()) return status.error();
  }
  return outcome;
}

Ending<BatchOutcome> Write(pqxx::work& transaction, const BatchRequest& request) {
  Lock(transaction, request);
  auto opened = OpenBatch(
      transaction,
      {request.kind, request.api_key, request.idempotency_key, request.digest, request.dry_run},
      request.run);
  if (!opened.ok()) return opened.error();
  BatchOutcome outcome;
  if (opened->replayed) {
    outcome.replayed = true;
    outcome.receipt = std::move(opened->receipt);
    return Ending<BatchOutcome>::Dropped(std::move(outcome));
  }
  outcome.batch = opened->batch;
  const auto run = OpenRun(transaction, request);
  if (!run.ok()) return run.error();
  outcome.run = run->id;
  auto written = WriteRows(transaction, request, *run, std::move(outcome));
  if (!written.keep) return written;
  outcome = *std::move(written.answer);
  outcome.revision =
      TakeRevision(transaction, outcome.batch, request.kind, request.cause, outcome.families);
  outcome.receipt = request.render(outcome, *request.rows);
  if (request.dry_run) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  transaction.exec_params(Text(sql::finish_batch), outcome.batch, outcome.receipt, run->id);
  NotifyChange(transaction);
  return outcome;
}

}  // namespace

Applied ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id) {
  transaction.exec("ANALYZE touched");
  transaction.exec(Text(sql::choose_best));
  transaction.exec("ANALYZE best");
  Applied applied;
  for (const auto& row : transaction.exec_params(Text(sql::apply_best), change, first_id)) {
    FamilyOutcome& family = applied.families[row[0].as<std::int16_t>()];
    family.changed = row[1].as<std::size_t>();
    family.won = row[2].as<std::size_t>();
  }
  return applied;
}

std::optional<std::int64_t> TakeRevision(pqxx::work& transaction, std::int64_t change,
                                         const std::string& kind, const std::string& cause,
                                         const std::map<std::int16_t, FamilyOutcome>& families) {
  const bool changed = std::any_of(families.begin(), families.end(),
                                   [](const auto& family) { return family.second.changed > 0; });
  if (!changed) {
    transaction.exec(Text(sql::take_evidence));
    return std::nullopt;
  }
  const auto number = transaction.exec1(Text(sql::take_revision))[0].as<std::int64_t>();
  transaction.exec_params(Text(sql::insert_revision), number, change, kind, cause);
  for (const auto& [family, outcome] : families) {
    if (outcome.changed == 0) continue;
    transaction.exec_params(Text(sql::insert_revision_family), family, number,
                            static_cast<std::int64_t>(outcome.changed));
  }
  return number;
}

void NotifyChange(pqxx::work& transaction) {
  transaction.exec("NOTIFY tunehub");
}

core::Result<BatchOutcome> Batches::Commit(const BatchRequest& request) {
  return InTransaction(pool_, [&](pqxx::work& transaction) { return Write(transaction, request); });
}

}  // namespace tunehub::store
