#include "server/ingest/competition_store.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "server/db/transaction.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/stage_store.h"
#include "sql.h"

namespace tunehub::server {

BatchChanges ChooseForEach(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                           const std::vector<std::int64_t>& back) {
  transaction.exec("ANALYZE touched");
  transaction.exec(sql::choose_best);
  transaction.exec("ANALYZE best");
  BatchChanges batches;
  for (const auto& row : transaction.exec_params(sql::apply_best, change, first_id,
                                                 fmt::format("{{{}}}", fmt::join(back, ",")))) {
    FamilyOutcome& family = batches[row[3].as<std::int64_t>()][row[0].as<std::int16_t>()];
    family.changed = row[1].as<std::size_t>();
    family.won = row[2].as<std::size_t>();
    family.lost = row[4].as<std::size_t>();
    family.emptied = row[5].as<std::size_t>();
  }
  return batches;
}

FamilyOutcomes ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                                const std::vector<std::int64_t>& back) {
  return ChooseForEach(transaction, change, first_id, back)[change];
}

core::Pin MakeRevision(pqxx::work& transaction, std::int64_t change, const std::string& kind,
                       const std::string& cause, const FamilyOutcomes& families) {
  const auto number = transaction.exec1(sql::take_revision)[0].as<std::int64_t>();
  const auto made = transaction.exec_params1(sql::insert_revision, number, change, kind, cause);
  for (const auto& [family, outcome] : families) {
    transaction.exec_params(sql::insert_revision_family, family, number,
                            static_cast<std::int64_t>(outcome.changed));
  }
  return {number, ReadToken(made[0])};
}

std::optional<core::Pin> TakeRevision(pqxx::work& transaction, std::int64_t change,
                                      const std::string& kind, const std::string& cause,
                                      FamilyOutcomes families) {
  std::erase_if(families, [](const auto& family) { return family.second.changed == 0; });
  if (!families.empty()) return MakeRevision(transaction, change, kind, cause, families);
  transaction.exec(sql::count_write);
  return std::nullopt;
}

void NotifyChange(pqxx::work& transaction) {
  transaction.exec("NOTIFY tunehub");
}

namespace {

// Of the tables that each batch joins with, and of the columns that joins and conditions use. A
// table that a VACUUM holds is left to autovacuum: no batch waits for it, or fails.
constexpr const char* kAnalyseRegistry =
    "ANALYZE (SKIP_LOCKED)"
    " measurement (id, run, key, candidate, us, provider, standing, source, runs),"
    " candidate (key, candidate, run, run_time, us, measurement, provider, standing, owner),"
    " tuned (key, candidate, measurement, change, cu_num, family, provider, standing)";

}  // namespace

void LockFamilies(pqxx::work& transaction, const BatchRequest& request) {
  transaction.exec(request.supersede ? sql::lock_registry : sql::lock_registry_shared);
  // In the order of their numbers, one for all: no deadlock.
  for (const auto& [family, sha256] : request.families) {
    transaction.exec_params(sql::lock_family, family);
  }
}

core::Result<std::map<std::int16_t, int>> FindVersions(pqxx::work& transaction,
                                                       const BatchRequest& request) {
  const auto changed = [](const std::string& what) {
    return core::Error{
        "definitions_changed",
        fmt::format(
            "{} in the database is another one than this server's: restart it with the newer files",
            what)};
  };
  if (transaction.exec1(sql::known_targets)[1].as<std::string>() != request.targets_sha256) {
    return changed("targets.json");
  }
  std::map<std::int16_t, int> versions;
  for (const auto& row : transaction.exec(sql::known_definitions)) {
    const auto family = request.families.find(row[0].as<std::int16_t>());
    if (family == request.families.end()) continue;
    if (row[3].as<std::string>() != family->second) {
      return changed("the family file of " + row[1].as<std::string>());
    }
    versions[family->first] = row[2].as<int>();
  }
  return versions;
}

bool HasSeveralOfAKey(const BatchRequest& request) {
  return std::ranges::any_of(*request.rows, [](const StagedRow& it) {
    return it.best && !it.alone && core::Competes(it.row.standing);
  });
}

bool HoldsTimesAgainstOthers(const BatchRequest& request) {
  return std::ranges::any_of(*request.rows, [](const StagedRow& it) { return it.row.relative; });
}

std::vector<std::int64_t> RebuildCandidates(pqxx::work& transaction) {
  std::vector<std::int64_t> implausible;
  for (const auto& row : transaction.exec(sql::rebuild_candidates))
    implausible.push_back(row[0].as<std::int64_t>());
  return implausible;
}

void NoteOutOfLine(const std::vector<std::int64_t>& implausible, BatchOutcome& outcome) {
  const std::int64_t first = outcome.batch << kBatchIdShift;
  for (const std::int64_t id : implausible) {
    if (id >> kBatchIdShift == outcome.batch)
      outcome.out_of_line.push_back(static_cast<std::size_t>(id - first));
  }
}

bool EnterCandidates(pqxx::work& transaction, bool plain, const std::string& batches) {
  if (!plain) return transaction.exec_params(sql::upsert_candidates, batches).affected_rows() > 0;
  transaction.exec_params(sql::insert_candidates, batches);
  return false;
}

std::size_t StoredOf(const BatchOutcome& outcome) {
  std::size_t stored = 0;
  for (const auto& [family, counts] : outcome.families) stored += counts.stored;
  return stored;
}

void AnalyseGrown(pqxx::work& transaction, std::size_t added) {
  if (added < kAnalyseFrom) return;
  const auto rows = static_cast<std::int64_t>(added);
  if (transaction.exec_params1(sql::is_grown, rows)[0].as<bool>())
    transaction.exec(kAnalyseRegistry);
}

std::string Describe(const BatchRequest& request, const BatchOutcome& outcome) {
  std::size_t changed = 0;
  for (const auto& [family, counts] : outcome.families) changed += counts.changed;
  return fmt::format("{}: run {}, {} rows, {} new, {} keys changed", request.cause, outcome.run,
                     request.rows->size(), StoredOf(outcome), changed);
}

namespace {

// New keys at once. Answers how many there were.
std::size_t InsertKeys(pqxx::work& transaction, bool competes, BatchOutcome& outcome) {
  std::size_t new_keys = 0;
  for (const auto& row : transaction.exec_params(sql::insert_tuned, competes)) {
    FamilyOutcome& family = outcome.families[row[0].as<std::int16_t>()];
    new_keys += row[1].as<std::size_t>();
    family.won += row[2].as<std::size_t>();
    family.changed += row[2].as<std::size_t>();
  }
  return new_keys;
}

core::Status CheckCollisions(pqxx::work& transaction) {
  const auto collision = transaction.exec(sql::find_collision);
  if (collision.empty()) return core::Ok();
  return core::Error{"key_collision",
                     "two keys share one hash: " + collision[0][0].as<std::string>()};
}

// True if a row calls its candidate wrong, or gives no time for a candidate that others may have
// called wrong.
bool HasAccused(const BatchRequest& request) {
  return std::ranges::any_of(*request.rows, [](const StagedRow& it) {
    return it.row.standing > core::Standing::kMeasured && it.row.standing <= core::Standing::kWrong;
  });
}

// True if the import may take rows of its source away or bring rows back.
bool HasMoved(const Imported* imported) {
  return imported != nullptr && (imported->source.head || imported->known.rows > 0);
}

void Rebuild(pqxx::work& transaction, bool accused, bool touched, BatchOutcome& outcome) {
  if (accused) transaction.exec(sql::touch_accused);
  if (accused || touched) NoteOutOfLine(RebuildCandidates(transaction), outcome);
}

// Chooses the winners of the touched keys. Rows that an import brings back count as won by it.
void Choose(pqxx::work& transaction, const Imported* imported, std::int64_t first_id,
            BatchOutcome& outcome) {
  const std::vector<std::int64_t> none;
  for (const auto& [family, applied] :
       ChooseForTouched(transaction, outcome.batch, first_id,
                        imported == nullptr ? none : imported->known.back)) {
    outcome.families[family].changed += applied.changed;
    outcome.families[family].won += applied.won;
    outcome.families[family].lost += applied.lost;
    outcome.families[family].emptied += applied.emptied;
  }
}

}  // namespace

core::Status Compete(pqxx::work& transaction, const BatchRequest& request, const RunRecord& run,
                     StagedBatch& staged, const Imported* imported, std::int64_t first_id,
                     BatchOutcome& outcome) {
  const Objector objector{run.id, first_id};
  const auto keys = std::ranges::count_if(*request.rows, &StagedRow::best);
  const bool all_new =
      InsertKeys(transaction, run.active, outcome) == static_cast<std::size_t>(keys);
  const bool relative = HoldsTimesAgainstOthers(request);
  const bool plain = all_new && !relative;
  const bool choose = run.active && (!plain || HasSeveralOfAKey(request));
  const bool moved = HasMoved(imported);
  if (choose || moved) transaction.exec(sql::choice_tables);
  if (run.active && !all_new) FindAccused(transaction, request, objector, outcome);
  const bool disputed = run.active && EnterCandidates(transaction, plain,
                                                      fmt::format(R"([{{"batch":{},"run":{}}}])",
                                                                  outcome.batch, run.id));
  if (!all_new) staged.Analyse();
  const auto status = all_new ? core::Ok() : CheckCollisions(transaction);
  if (!status.ok()) return status.error();
  const bool accused = choose && HasAccused(request);
  if (imported != nullptr) MoveHead(transaction, run.source);
  if (moved) TouchMoved(transaction, imported->source, run.id);
  Rebuild(transaction, accused, moved || disputed, outcome);
  if (choose) {
    staged.Analyse();
    transaction.exec(sql::touch_contested);
  }
  if (run.active) PlanDoubts(transaction, request, objector, outcome);
  if (choose || moved) Choose(transaction, imported, first_id, outcome);
  return core::Ok();
}

}  // namespace tunehub::server
