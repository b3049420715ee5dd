#include "server/ingest/competition_store.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/db/transaction.h"
#include "server/ingest/guard_store.h"
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
    family.tied = row[6].as<std::size_t>();
    family.likely = row[7].as<std::size_t>();
    family.sure = row[8].as<std::size_t>();
  }
  return batches;
}

void AddTouched(pqxx::work& transaction, FamilyOutcomes& families) {
  for (const auto& row :
       transaction.exec("SELECT DISTINCT family FROM touched JOIN tuned USING (key, provider)"))
    families[row[0].as<std::int16_t>()];
}

std::map<std::int64_t, core::Pin> TakeRevisions(pqxx::work& transaction,
                                                const BatchChanges& batches,
                                                const std::string& kind, const std::string& cause,
                                                bool unchanged_too) {
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::int64_t> changing;
  for (const auto& [batch, families] : batches) {
    if (SumOf(families).changed > 0) changing.push_back(batch);
    for (const auto& [family, counts] : families) {
      list.push_back({{"batch", batch},
                      {"family", family},
                      {"changed", counts.changed},
                      {"stored", counts.stored},
                      {"revised", counts.changed > 0 || unchanged_too}});
    }
  }
  if (!changing.empty())
    transaction.exec_params0(sql::settle_demand, fmt::format("{{{}}}", fmt::join(changing, ",")));
  std::map<std::int64_t, core::Pin> revisions;
  for (const auto& row : transaction.exec_params(sql::take_revisions, list.dump(), kind, cause))
    revisions[row[0].as<std::int64_t>()] = ReadPin(row[1], row[2]);
  return revisions;
}

void NotifyChange(pqxx::work& transaction) {
  transaction.exec("NOTIFY tunehub");
}

namespace {

bool AnyRow(const Members& members, bool (*holds)(const StagedRow&)) {
  return std::ranges::any_of(
      members, [&](const Member& it) { return std::ranges::any_of(*it.request->rows, holds); });
}

// True for the best of several rows that compete for one shape key.
bool HasRivals(const StagedRow& it) {
  return it.best && !it.alone && core::Competes(it.row.standing);
}

// True if no roofline is known for the time. The hub then compares the time with other times.
bool IsRelative(const StagedRow& it) {
  return it.row.relative;
}

// True for a wrong row. Also true for an unmeasured or declared row, whose candidate may already be
// wrong.
bool MayAccuse(const StagedRow& it) {
  return it.row.standing > core::Standing::kMeasured && it.row.standing <= core::Standing::kWrong;
}

void Add(const BatchChanges& changes, Members& members) {
  for (Member& member : members) {
    const auto found = changes.find(member.outcome.batch);
    if (found == changes.end()) continue;
    for (const auto& [family, more] : found->second) member.outcome.families[family] += more;
  }
}

// Inserts the winners of new shape keys. Returns true if all shape keys of the batches are new.
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

// Inserts the staged rows as candidates. `plain`: true if all shape keys are new and no time is
// relative. Returns true if the candidates of a touched key need a rebuild.
bool EnterCandidates(pqxx::work& transaction, bool plain, const StagedBatch& staged) {
  if (!plain)
    return transaction.exec_params(sql::upsert_candidates, staged.Runs()).affected_rows() > 0;
  transaction.exec_params0(sql::insert_candidates, staged.Runs());
  return false;
}

core::Status CheckCollisions(pqxx::work& transaction) {
  const auto collision = transaction.exec(sql::find_collision);
  if (collision.empty()) return core::Ok();
  return core::Error{"key_collision",
                     "two shape keys have the same hash: " + collision[0][0].as<std::string>()};
}

// Rebuilds the candidates of all touched shape keys from all rows of these keys. Adds to the
// outcomes the rows that are implausible or unconfirmed compared with other times of their keys.
void Rebuild(pqxx::work& transaction, bool chooses, bool touched, Members& members) {
  const bool accused = chooses && AnyRow(members, MayAccuse);
  if (accused) transaction.exec(sql::touch_accused);
  if (!accused && !touched) return;
  for (const auto& row : transaction.exec(sql::rebuild_candidates)) {
    const auto id = row[0].as<std::int64_t>();
    const auto standing = static_cast<core::Standing>(row[1].as<int>());
    for (Member& member : members) {
      if (id >> kBatchIdShift != member.outcome.batch) continue;
      auto& rows = standing == core::Standing::kUnconfirmed ? member.outcome.unconfirmed
                                                            : member.outcome.out_of_line;
      rows.push_back(static_cast<std::size_t>(id - member.outcome.first_id()));
    }
  }
}

// Chooses the winners of the touched shape keys. A row that the import brings back counts as won.
void Choose(pqxx::work& transaction, const Imported* imported, Members& members) {
  const auto of = [](const Member& it) { return it.outcome.batch; };
  const BatchOutcome& first = std::ranges::min_element(members, {}, of)->outcome;
  Add(ChooseForTouched(transaction, first.batch, first.first_id(),
                       imported == nullptr ? std::vector<std::int64_t>() : imported->back),
      members);
}

}  // namespace

core::Status Compete(pqxx::work& transaction, StagedBatch& staged, bool active,
                     const Imported* imported) {
  Members& members = staged.members;
  const bool all_new = EnterNewKeys(transaction, active, members);
  const bool plain = all_new && !AnyRow(members, IsRelative);
  const bool choose = active && (!plain || AnyRow(members, HasRivals));
  // The import may withdraw rows of its source or bring rows back.
  const bool moved = imported != nullptr && (imported->source.head || imported->rows > 0);
  const bool chooses = choose || moved;
  if (chooses) transaction.exec(sql::choice_tables);
  if (active && !all_new) FindAccused(transaction, members);
  const bool disputed = active && EnterCandidates(transaction, plain, staged);
  if (!all_new) {
    staged.Analyse();
    if (auto status = CheckCollisions(transaction); !status.ok()) return status;
  }
  if (imported != nullptr) MoveHead(transaction, imported->source.name);
  if (moved) TouchMoved(transaction, imported->source, members.front().outcome.run);
  Rebuild(transaction, choose, moved || disputed, members);
  if (choose) {
    staged.Analyse();
    transaction.exec(sql::touch_contested);
  }
  if (active) PlanDoubts(transaction, members);
  if (chooses) Choose(transaction, imported, members);
  if (moved) AddTouched(transaction, members.front().outcome.families);
  return core::Ok();
}

}  // namespace tunehub::server
