#include "server/ingest/batch_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "server/db/quota.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/ingest/competition_store.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/run_store.h"
#include "server/ingest/source_store.h"
#include "server/ingest/stage_store.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// Locks out other writers of the batch's families. This is the first step of the transaction.
void LockFamilies(pqxx::work& transaction, const BatchRequest& request) {
  if (request.supersede)
    LockRegistry(transaction);
  else
    transaction.exec("SELECT pg_advisory_xact_lock_shared(7412)");
  // With one writer per family, a batch sees every candidate of its shape keys. Also, a family's
  // change ids grow in the order of commits. All writers lock families in numerical order, which
  // prevents deadlocks.
  for (const auto& [family, sha256] : request.families)
    transaction.exec_params("SELECT pg_advisory_xact_lock(7411, $1::integer)", family);
}

constexpr std::int16_t kTargetsId = 0;  // known_definitions.sql has the same number

// Returns the current versions of the batch's families. Errors: definitions_changed (another server
// has newer family files, whose columns may differ from the columns of this server's files).
core::Result<std::map<std::int16_t, int>> FindVersions(pqxx::work& transaction,
                                                       const BatchRequest& request) {
  std::map<std::int16_t, int> versions;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    const auto id = row[0].as<std::int16_t>();
    const auto family = request.families.find(id);
    if (id != kTargetsId && family == request.families.end()) continue;
    const std::string& judged_by = id == kTargetsId ? request.targets_sha256 : family->second;
    if (row[3].as<std::string>() != judged_by) {
      return core::Error{
          "definitions_changed",
          fmt::format("{}{} in the database differs from the file of this server; restart the "
                      "server with the newer files",
                      id == kTargetsId ? "" : "the family file of ", row[1].as<std::string>())};
    }
    if (id != kTargetsId) versions[id] = row[2].as<int>();
  }
  return versions;
}

// Makes a revision for each batch that changed served rows, and writes it into the outcome.
void NumberRevisions(pqxx::work& transaction, Members& members) {
  BatchChanges changes;
  for (const Member& it : members) changes[it.outcome.batch] = it.outcome.families;
  const BatchRequest& request = *members.front().request;
  // An import replaces its source's provenance, even if no row is new.
  if (request.supersede) {
    for (const auto& [family, sha256] : request.families)
      changes[members.front().outcome.batch][family];
  }
  const auto revisions = TakeRevisions(transaction, changes, request.kind, request.cause);
  for (Member& it : members) {
    const auto taken = revisions.find(it.outcome.batch);
    if (taken != revisions.end()) it.outcome.revision = taken->second;
  }
}

// Analyses the tables and columns in the joins and conditions of every batch. Skips tables under
// VACUUM, so that no batch waits for VACUUM or fails.
constexpr const char* kAnalyseRegistry =
    "ANALYZE (SKIP_LOCKED)"
    " measurement (id, run, key, candidate, us, provider, standing, source, runs),"
    " candidate (key, candidate, run, run_time, us, measurement, provider, standing, owner),"
    " tuned (key, candidate, measurement, change, cu_num, family, provider, standing)";

// Refreshes statistics after the first load and after growth by a tenth. Autovacuum runs only once
// a minute; before it ran, an import of 35,000 rows took 90 s. Call this before TakeRevisions.
void AnalyseGrown(pqxx::work& transaction, std::size_t added) {
  if (added < kAnalyseFrom) return;
  const auto rows = static_cast<std::int64_t>(added);
  if (transaction.exec_params1(sql::is_grown, rows)[0].as<bool>())
    transaction.exec(kAnalyseRegistry);
}

Charged ChargeOf(const BatchRequest& request, const FamilyOutcome& sum) {
  return {&request.write,
          {.rows = static_cast<std::int64_t>(request.rows->size()),
           .bytes = request.write.bytes,
           .keys = static_cast<std::int64_t>(sum.changed)}};
}

// Returns the text for the audit, such as "import tree: run 12, 2000 rows, 10 new, 3 keys changed".
std::string Describe(const BatchRequest& request, std::int64_t run, const FamilyOutcome& sum) {
  return fmt::format("{}: run {}, {} rows, {} new, {} keys changed", request.cause, run,
                     request.rows->size(), sum.stored, sum.changed);
}

// Returns the batch's run, or a new run. Errors: unknown_run, not_owner, not_of_job,
// run_of_an_import (a batch cannot add results to an import).
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
        fmt::format("run {} belongs to an admin, so its results need a key of scope admin",
                    run->id)};
  }
  if (run->job) {
    const auto job = transaction.exec_params(sql::find_job, *run->job);
    const auto status = job.empty() ? core::Ok() : request.of_job(ReadJob(job[0]), *request.rows);
    if (!status.ok()) return status.error();
  }
  if (run->source.empty()) return run;
  return core::Error{"run_of_an_import",
                     fmt::format("run {} is an import of '{}'; send results to another run",
                                 run->id, run->source)};
}

// Removes the rows that the run already has from the stage. Reports rows with other values.
void RemoveRepeats(pqxx::work& transaction, const BatchRequest& request, StagedBatch& staged,
                   BatchOutcome& outcome) {
  // The first batch of a run repeats nothing. Then this skips the search, because other batches
  // wait for the lock.
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

// Stores the staged rows as measurements and returns their number. The outcome gets the number per
// family.
std::size_t StoreStaged(pqxx::work& transaction, const std::optional<Imported>& imported,
                        StagedBatch& staged) {
  BatchOutcome& outcome = staged.members.front().outcome;
  for (const auto& row : transaction.exec("SELECT family, count(*) FROM stage GROUP BY family"))
    outcome.families[row[0].as<std::int16_t>()].stored = row[1].as<std::size_t>();
  const std::size_t stored = SumOf(outcome.families).stored;
  std::optional<int> source;
  if (imported) source = imported->source.id;
  if (stored > 0) transaction.exec_params0(sql::insert_measurements, staged.Runs(source));
  return stored;
}

// Returns the counts to add to the run. The rows of an import include the rows that its source
// already had.
RunCounts CountsOf(const BatchRequest& request, const std::optional<Imported>& imported,
                   std::size_t stored, const BatchOutcome& outcome) {
  RunCounts counts{outcome.run, stored, stored};
  if (!imported) return counts;
  counts.rows += imported->rows;
  if (imported->rows > 0) counts.repeats = imported->source.head;
  if (outcome.withdrawn.empty() && outcome.in_doubt.empty()) counts.digest = request.content;
  return counts;
}

// Stores the rows of an opened batch. Returns false if the batch must store nothing; the outcome
// then contains the reason.
core::Result<bool> WriteRows(pqxx::work& transaction, const RunRecord& run, Members& alone) {
  const BatchRequest& request = *alone.front().request;
  BatchOutcome& outcome = alone.front().outcome;
  const auto versions = FindVersions(transaction, request);
  if (!versions.ok()) return versions.error();
  StagedBatch staged(transaction, alone, *versions);
  if (request.run) RemoveRepeats(transaction, request, staged, outcome);
  if (request.write.atomic && !outcome.contradicting.empty()) return false;
  std::optional<Imported> imported;
  if (request.supersede) {
    auto import = OpenImport(transaction, request, run, staged, outcome);
    if (!import.ok()) return import.error();
    if (outcome.shrinkage) return false;
    imported = *std::move(import);
  }
  const std::size_t stored = StoreStaged(transaction, imported, staged);
  if (stored > 0 || imported) {
    const auto status = Compete(transaction, staged, run.active, imported ? &*imported : nullptr);
    if (!status.ok()) return status.error();
  }
  if (!request.write.allow_shrink)
    outcome.loss = FindLoss(transaction, request.write, outcome.batch, outcome.families);
  if (outcome.loss) return false;
  CountRows(transaction, {CountsOf(request, imported, stored, outcome)});
  if (staged.has_references()) transaction.exec_params0(sql::note_drift, staged.Runs());
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
  const FamilyOutcome sum = SumOf(outcome.families);
  if (!request.write.dry_run) AnalyseGrown(transaction, sum.stored);
  NumberRevisions(transaction, alone);
  outcome.receipt = request.render(outcome, *request.rows);
  if (request.write.dry_run) return Ending<BatchOutcome>::Dropped(std::move(outcome));
  if (auto within = Charge(transaction, {ChargeOf(request, sum)}); !within.ok())
    return within.error();
  FinishBatch(transaction,
              {outcome.batch, outcome.receipt, run->id, std::nullopt, sum.stored, sum.won});
  Audit(transaction, request.write, request.kind, Describe(request, run->id, sum));
  NotifyChange(transaction);
  return std::move(outcome);
}

using GroupAnswers = std::vector<GroupAnswer>;

std::string Asked(const std::vector<const BatchRequest*>& requests) {
  nlohmann::json list = nlohmann::json::array();
  for (const BatchRequest* request : requests) {
    const WriteRequest& write = request->write;
    nlohmann::json one = {
        {"place", list.size()},  {"api_key", write.api_key},      {"digest", write.digest},
        {"run", *request->run},  {"owner", write.owner},          {"admin", write.admin},
        {"idempotency_key", {}}, {"rows", request->rows->size()}, {"bytes", write.bytes}};
    for (const Quota& quota : kQuotas) {
      const std::int64_t limit = write.quotas ? (*write.quotas).*quota.count : 0;
      if (limit > 0) one[std::string("most_") + quota.name] = limit;
    }
    if (write.idempotency_key) one["idempotency_key"] = *write.idempotency_key;
    list.push_back(std::move(one));
  }
  return list.dump();
}

Members Open(pqxx::work& transaction, const std::vector<const BatchRequest*>& requests) {
  Members members;
  for (const auto& row : transaction.exec_params(sql::open_group, Asked(requests))) {
    const auto place = row[0].as<std::size_t>();
    members.push_back({requests[place], place});
    Member& member = members.back();
    member.outcome.batch = row[1].as<std::int64_t>();
    member.outcome.run = *member.request->run;
    member.outcome.families[member.request->families.begin()->first].stored =
        member.request->rows->size();
  }
  return members;
}

// Runs the last statements, which store receipts and charge the batches' API keys. Errors:
// over_quota.
core::Status Finish(pqxx::work& transaction, Members& members) {
  std::vector<Charged> charges;
  nlohmann::json list = nlohmann::json::array();
  for (Member& it : members) {
    it.outcome.receipt = it.request->render(it.outcome, *it.request->rows);
    const WriteRequest& write = it.request->write;
    const FamilyOutcome sum = SumOf(it.outcome.families);
    nlohmann::json done = {
        {"batch", it.outcome.batch}, {"receipt", it.outcome.receipt},
        {"stored", sum.stored},      {"won", sum.won},
        {"api_key", write.api_key},  {"detail", Describe(*it.request, it.outcome.run, sum)}};
    if (write.api_key != 0) done["owner"] = write.owner;
    if (!write.request.empty()) done["request"] = write.request;
    list.push_back(std::move(done));
    charges.push_back(ChargeOf(*it.request, sum));
  }
  transaction.exec_params0(sql::finish_group, list.dump());
  return Charge(transaction, charges);
}

bool WriteMembers(pqxx::work& transaction, Members& members,
                  const std::map<std::int16_t, int>& versions) {
  std::vector<RunCounts> counts;
  std::size_t added = 0;
  for (const Member& it : members) {
    const std::size_t rows = it.request->rows->size();
    counts.push_back({it.outcome.run, rows, rows});
    added += rows;
  }
  StagedBatch staged(transaction, members, versions);
  try {
    transaction.exec_params0(sql::insert_measurements, staged.Runs());
  } catch (const pqxx::unique_violation&) {
    return false;  // a run already has one of the rows
  }
  if (!Compete(transaction, staged, true).ok()) return false;
  CountRows(transaction, counts);
  if (staged.has_references()) transaction.exec_params0(sql::note_drift, staged.Runs());
  AnalyseGrown(transaction, added);
  NumberRevisions(transaction, members);
  if (!Finish(transaction, members).ok()) return false;
  NotifyChange(transaction);
  return true;
}

Ending<GroupAnswers> WriteTogether(pqxx::work& transaction,
                                   const std::vector<const BatchRequest*>& requests) {
  GroupAnswers answers(requests.size());
  LockFamilies(transaction, *requests.front());
  const auto versions = FindVersions(transaction, *requests.front());
  if (!versions.ok()) return Ending<GroupAnswers>::Dropped(std::move(answers));
  Members members = Open(transaction, requests);
  if (members.empty() || !WriteMembers(transaction, members, *versions)) {
    return Ending<GroupAnswers>::Dropped(std::move(answers));
  }
  for (Member& member : members) answers[member.place] = std::move(member.outcome);
  return answers;
}

}  // namespace

core::Result<BatchOutcome> BatchStore::Commit(const BatchRequest& request) {
  return InTransaction(pool_, [&](pqxx::work& transaction) { return Write(transaction, request); });
}

std::vector<GroupAnswer> BatchStore::CommitTogether(
    const std::vector<const BatchRequest*>& requests) {
  auto answers = InTransaction(
      pool_, [&](pqxx::work& transaction) { return WriteTogether(transaction, requests); });
  return *std::move(answers);
}

}  // namespace tunehub::server
