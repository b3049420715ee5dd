#include "server/store/ingest/shrinkage.h"

#include <fmt/core.h>

#include "server/store/ingest/permission.h"
#include "sql.h"

namespace tunehub::store {
namespace {

Shrinkage ReadShrinkage(pqxx::work& transaction, std::size_t held) {
  Shrinkage shrinkage;
  shrinkage.held = held;
  for (const auto& row :
       transaction.exec_params(sql::list_going, static_cast<std::int64_t>(kGoingListed))) {
    shrinkage.keys.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<int>(),
                              row[3].as<std::string>()});
    shrinkage.going = row[4].as<std::size_t>();
  }
  return shrinkage;
}

}  // namespace

core::Result<std::optional<Shrinkage>> FindShrinkage(pqxx::work& transaction,
                                                     const WriteRequest& write,
                                                     const Source& source) {
  const bool limited = write.limits && write.limits->any();
  if (!source.head || (write.allow_shrink && !limited)) return std::optional<Shrinkage>();
  if (limited) {
    const auto within =
        CheckTargets(write, transaction.exec_params(sql::targets_going, source.id, *source.head));
    if (!within.ok()) return within.error();
  }
  if (write.allow_shrink) return std::optional<Shrinkage>();
  const auto held =
      transaction.exec_params1(sql::find_going, source.id, *source.head)[0].as<std::size_t>();
  Shrinkage shrinkage = ReadShrinkage(transaction, held);
  if (shrinkage.going * kShrinkShare <= held) return std::optional<Shrinkage>();
  return std::optional(std::move(shrinkage));
}

std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families) {
  for (const auto& [family, outcome] : families) {
    if (outcome.lost == 0) continue;
    const auto day = transaction.exec_params1(
        sql::note_loss, by.owner, family, static_cast<std::int64_t>(outcome.lost),
        static_cast<std::int64_t>(outcome.emptied), batch, by.admin);
    for (const int place : {1, 3, 5}) {  // of all rows, of other owners', of upstream's
      const auto held = day[place].as<std::size_t>(), lost = day[place + 1].as<std::size_t>();
      if (lost > kFewKeys && lost * kShrinkShare > held)
        return Loss{day[0].as<std::string>(), place == 5 ? "all owners" : by.owner, held, lost};
    }
  }
  return std::nullopt;
}

core::Error LossError(const Loss& loss) {
  return {"would_shrink",
          fmt::format("{} serves {} keys, and with this write {} would have lost their row or its "
                      "time by writes of {} within a day, more than a tenth; nothing was stored; "
                      "where that is meant, an admin's key says allow_shrink=1",
                      loss.family, loss.held, loss.lost, loss.owner)};
}

}  // namespace tunehub::store
