#include "server/store/ingest/competition.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/store/ingest/choice.h"
#include "server/store/ingest/objections.h"
#include "server/store/ingest/steps.h"
#include "sql.h"

namespace tunehub::store {
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
  return std::ranges::any_of(*request.rows, [](const registry::StagedRow& it) {
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
  const auto keys = std::ranges::count_if(*request.rows, &registry::StagedRow::best);
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

}  // namespace tunehub::store
