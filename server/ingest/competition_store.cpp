#include "server/ingest/competition_store.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/db/transaction.h"
#include "server/ingest/guard_store.h"
#include "server/ingest/stage_store.h"
#include "sql.h"

namespace tunehub::server {

void LockRegistry(pqxx::work& transaction) {
  transaction.exec("SELECT pg_advisory_xact_lock(7412)");
}

BatchChanges ChooseForTouched(pqxx::work& transaction, std::int64_t change, std::int64_t first_id,
                              const std::vector<std::int64_t>& back) {
  transaction.exec("ANALYZE touched");
  transaction.exec(sql::choose_best);
  transaction.exec("ANALYZE best");
  BatchChanges batches = {{change, {}}};
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

std::map<std::int64_t, core::Pin> TakeRevisions(pqxx::work& transaction,
                                                const BatchChanges& batches,
                                                const std::string& kind, const std::string& cause,
                                                bool unchanged_too) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [batch, families] : batches) {
    nlohmann::json changed = nlohmann::json::array();
    for (const auto& [family, counts] : families) {
      if (counts.changed > 0 || unchanged_too)
        changed.push_back({{"family", family}, {"changed", counts.changed}});
    }
    list.push_back({{"batch", batch}, {"families", std::move(changed)}});
  }
  std::map<std::int64_t, core::Pin> revisions;
  for (const auto& row : transaction.exec_params(sql::take_revisions, list.dump(), kind, cause))
    revisions[row[0].as<std::int64_t>()] = ReadPin(row[1], row[2]);
  return revisions;
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
  if (request.supersede)
    LockRegistry(transaction);
  else
    transaction.exec("SELECT pg_advisory_xact_lock_shared(7412)");
  // One writer per family at a time: then a batch sees every candidate of the keys it touches, and
  // change ids within a family grow in commit order. In the order of their numbers, one for all: no
  // deadlock.
  for (const auto& [family, sha256] : request.families)
    transaction.exec_params("SELECT pg_advisory_xact_lock(7411, $1::integer)", family);
}

constexpr std::int16_t kTargetsId = 0;  // of known_definitions.sql

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
          fmt::format("{}{} in the database is another one than this server's: restart it with the "
                      "newer files",
                      id == kTargetsId ? "" : "the family file of ", row[1].as<std::string>())};
    }
    if (id != kTargetsId) versions[id] = row[2].as<int>();
  }
  return versions;
}

std::string Each(const Members& members,
                 const std::function<nlohmann::json(const Member&)>& describe) {
  nlohmann::json list = nlohmann::json::array();
  for (const Member& member : members) list.push_back(describe(member));
  return list.dump();
}

void TakeRevisions(pqxx::work& transaction, Members& members) {
  BatchChanges changes;
  for (const Member& it : members) changes[it.outcome.batch] = it.outcome.families;
  const BatchRequest& request = *members.front().request;
  const auto revisions = TakeRevisions(transaction, changes, request.kind, request.cause);
  for (Member& it : members) {
    const auto taken = revisions.find(it.outcome.batch);
    if (taken != revisions.end()) it.outcome.revision = taken->second;
  }
}

void InsertMeasurements(pqxx::work& transaction, const Members& members,
                        std::optional<int> source) {
  transaction.exec_params0(
      sql::insert_measurements, Each(members, [&](const Member& it) {
        nlohmann::json batch = {{"batch", it.outcome.batch}, {"run", it.outcome.run}};
        if (source) batch["source"] = *source;
        return batch;
      }));
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

bool AnyRow(const Members& members, bool (*holds)(const StagedRow&)) {
  return std::ranges::any_of(
      members, [&](const Member& it) { return std::ranges::any_of(*it.request->rows, holds); });
}

// One of several rows that compete for one key.
bool HasRivals(const StagedRow& it) {
  return it.best && !it.alone && core::Competes(it.row.standing);
}

// No roofline bounds the time: the hub compares it with others.
bool IsRelative(const StagedRow& it) {
  return it.row.relative;
}

// The row calls its candidate wrong, or gives no time for a candidate that others may have called
// wrong.
bool MayAccuse(const StagedRow& it) {
  return it.row.standing > core::Standing::kMeasured && it.row.standing <= core::Standing::kWrong;
}

void Add(const BatchChanges& changes, Members& members) {
  for (Member& member : members) {
    const auto found = changes.find(member.outcome.batch);
    if (found == changes.end()) continue;
    for (const auto& [family, counts] : found->second) {
      FamilyOutcome& sum = member.outcome.families[family];
      sum.changed += counts.changed;
      sum.won += counts.won;
      sum.lost += counts.lost;
      sum.emptied += counts.emptied;
    }
  }
}

// New keys at once. True where all of the batches' are new.
bool EnterNewKeys(pqxx::work& transaction, bool active, Members& members) {
  std::size_t keys = 0;
  for (const Member& member : members) {
    keys +=
        static_cast<std::size_t>(std::ranges::count_if(*member.request->rows, &StagedRow::best));
  }
  BatchChanges changes;
  for (const auto& row : transaction.exec_params(sql::insert_tuned, active)) {
    keys -= row[1].as<std::size_t>();
    const auto served = row[2].as<std::size_t>();
    changes[row[3].as<std::int64_t>()][row[0].as<std::int16_t>()] = {.changed = served,
                                                                     .won = served};
  }
  Add(changes, members);
  return keys == 0;
}

// The staged rows become candidates. `plain`: each key is new, and its times are bounded. True
// where keys were touched whose candidates are to be built again.
bool EnterCandidates(pqxx::work& transaction, bool plain, const Members& members) {
  const std::string batches = Each(members, [](const Member& it) -> nlohmann::json {
    return {{"batch", it.outcome.batch}, {"run", it.outcome.run}};
  });
  if (!plain) return transaction.exec_params(sql::upsert_candidates, batches).affected_rows() > 0;
  transaction.exec_params(sql::insert_candidates, batches);
  return false;
}

core::Status CheckCollisions(pqxx::work& transaction) {
  const auto collision = transaction.exec(sql::find_collision);
  if (collision.empty()) return core::Ok();
  return core::Error{"key_collision",
                     "two keys share one hash: " + collision[0][0].as<std::string>()};
}

void FindAllAccused(pqxx::work& transaction, Members& members) {
  for (Member& it : members) FindAccused(transaction, *it.request, it.outcome);
}

void PlanAllDoubts(pqxx::work& transaction, Members& members) {
  for (Member& it : members) PlanDoubts(transaction, *it.request, it.outcome);
}

// The candidates of the accused and otherwise touched keys, from all their rows. Notes which of the
// batches' rows other times of their keys show to be implausible.
void Rebuild(pqxx::work& transaction, bool chooses, bool touched, Members& members) {
  const bool accused = chooses && AnyRow(members, MayAccuse);
  if (accused) transaction.exec(sql::touch_accused);
  if (!accused && !touched) return;
  for (const auto& row : transaction.exec(sql::rebuild_candidates)) {
    const auto id = row[0].as<std::int64_t>();
    for (Member& member : members) {
      if (id >> kBatchIdShift != member.outcome.batch) continue;
      member.outcome.out_of_line.push_back(
          static_cast<std::size_t>(id - member.outcome.first_id()));
    }
  }
}

// Chooses the winners of the touched keys. Rows that an import brings back count as won by it.
void Choose(pqxx::work& transaction, const Imported* imported, Members& members) {
  const auto of = [](const Member& it) { return it.outcome.batch; };
  const BatchOutcome& first = std::ranges::min_element(members, {}, of)->outcome;
  const std::vector<std::int64_t> none;
  Add(ChooseForTouched(transaction, first.batch, first.first_id(),
                       imported == nullptr ? none : imported->known.back),
      members);
}

}  // namespace

core::Status Compete(pqxx::work& transaction, StagedBatch& staged, Members& members, bool active,
                     const Imported* imported) {
  const bool all_new = EnterNewKeys(transaction, active, members);
  const bool plain = all_new && !AnyRow(members, IsRelative);
  const bool choose = active && (!plain || AnyRow(members, HasRivals));
  // The import may take rows of its source away or bring rows back.
  const bool moved = imported != nullptr && (imported->source.head || imported->known.rows > 0);
  if (choose || moved) transaction.exec(sql::choice_tables);
  if (active && !all_new) FindAllAccused(transaction, members);
  const bool disputed = active && EnterCandidates(transaction, plain, members);
  if (!all_new) {
    staged.Analyse();
    if (auto status = CheckCollisions(transaction); !status.ok()) return status;
  }
  if (imported != nullptr) MoveHead(transaction, imported->name);
  if (moved) TouchMoved(transaction, imported->source, members.front().outcome.run);
  Rebuild(transaction, choose, moved || disputed, members);
  if (choose) {
    staged.Analyse();
    transaction.exec(sql::touch_contested);
  }
  if (active) PlanAllDoubts(transaction, members);
  if (choose || moved) Choose(transaction, imported, members);
  return core::Ok();
}

}  // namespace tunehub::server
