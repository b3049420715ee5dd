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

std::optional<Loss> FindLoss(pqxx::work& transaction, const FamilyOutcomes& families) {
  for (const auto& [family, outcome] : families) {
    if (outcome.lost <= kFewKeys) continue;
    const auto served = transaction.exec_params1(sql::count_served, family);
    const std::size_t held = served[1].as<std::size_t>() + outcome.emptied;
    if (outcome.lost * kShrinkShare > held)
      return Loss{served[0].as<std::string>(), held, outcome.lost};
  }
  return std::nullopt;
}

core::Error LossError(const Loss& loss) {
  return {"would_shrink",
          fmt::format("{} serves {} keys, and {} of them would lose their row or its time, more "
                      "than a tenth; nothing was stored; where that is meant, an admin's key says "
                      "allow_shrink=1",
                      loss.family, loss.held, loss.lost)};
}

}  // namespace tunehub::store
