#include "server/store/ingest/choice.h"

#include <fmt/format.h>

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {

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

}  // namespace tunehub::store
