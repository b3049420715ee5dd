#include "server/ingest/guard_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "server/db/transaction.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

Objection ReadObjection(const pqxx::row& row, const BatchOutcome& outcome) {
  return {static_cast<std::size_t>(row[0].as<std::int64_t>() - outcome.first_id()),
          ReadDouble(row[1]), row[2].as<std::int64_t>()};
}

// Checks the rows in memory first, because few batches have a matching row and need the join.
template <typename Predicate>
bool Any(const BatchRequest& request, const Predicate& predicate) {
  return std::any_of(request.rows->begin(), request.rows->end(),
                     [&](const StagedRow& staged) { return predicate(staged.row); });
}

bool SpeaksAgainst(const core::Row& row) {
  return row.standing == core::Standing::kWrong || row.standing == core::Standing::kFailed ||
         std::isinf(row.us);
}

void PlanDoubtsOf(pqxx::work& transaction, const BatchRequest& request, BatchOutcome& outcome) {
  std::map<std::pair<std::string, int>, std::vector<const StagedRow*>> targets;
  for (const auto& row : transaction.exec_params(sql::find_objections, outcome.run, true)) {
    outcome.in_doubt.push_back(ReadObjection(row, outcome));
    std::erase_if(outcome.withdrawn,
                  [&](const Objection& it) { return it.row == outcome.in_doubt.back().row; });
    if (row[3].as<bool>()) continue;
    const StagedRow& staged = (*request.rows)[outcome.in_doubt.back().row];
    targets[{staged.row.gfx, staged.row.cu_num}].push_back(&staged);
  }
  if (targets.empty()) return;
  std::vector<std::int16_t> families;
  for (const auto& [family, sha256] : request.families) families.push_back(family);
  const auto planned = transaction.exec_params1(sql::count_doubt_jobs, request.write.owner)[0];
  auto left = kMostDoubtJobs - std::min(kMostDoubtJobs, planned.as<std::size_t>());
  for (const auto& [target, rows] : targets) {
    const auto open = LockOpenJobs(transaction, {target.first, target.second}, families);
    auto jobs = request.verify(rows, open);
    if (jobs.size() > left) jobs.resize(left);
    left -= jobs.size();
    for (const std::int64_t id : InsertJobs(transaction, jobs, request.write)) {
      outcome.verify_jobs.push_back(id);
    }
  }
}

}  // namespace

void FindAccused(pqxx::work& transaction, Members& members) {
  const auto wrong = [](const core::Row& row) { return row.standing == core::Standing::kWrong; };
  for (Member& it : members) {
    if (!Any(*it.request, wrong)) continue;
    for (const auto& row : transaction.exec_params(sql::find_objections, it.outcome.run, false))
      it.outcome.withdrawn.push_back(ReadObjection(row, it.outcome));
  }
}

void PlanDoubts(pqxx::work& transaction, Members& members) {
  for (Member& it : members) {
    if (Any(*it.request, SpeaksAgainst)) PlanDoubtsOf(transaction, *it.request, it.outcome);
  }
}

std::optional<Loss> FindLoss(pqxx::work& transaction, const Writer& by, std::int64_t batch,
                             const FamilyOutcomes& families) {
  for (const auto& [family, outcome] : families) {
    if (outcome.lost == 0) continue;
    const auto day = transaction.exec_params1(
        sql::note_loss, by.owner, family, static_cast<std::int64_t>(outcome.lost),
        static_cast<std::int64_t>(outcome.emptied), batch, by.admin);
    for (const int place : {1, 3, 5}) {  // all rows, other owners' rows, trusted rows
      const auto held = day[place].as<std::size_t>(), lost = day[place + 1].as<std::size_t>();
      if (lost > kFewKeys && lost * kShrinkShare > held)
        return Loss{day[0].as<std::string>(), place == 5 ? "all owners" : by.owner, held, lost};
    }
  }
  return std::nullopt;
}

core::Error LossError(const Loss& loss) {
  return {"would_shrink",
          fmt::format("nothing was stored: {} serves {} shape keys, and with this write {} of them "
                      "(more than a tenth) would lose their row or its time within a day, by "
                      "writes of {}. If you want that, use a key of scope admin and allow_shrink=1",
                      loss.family, loss.held, loss.lost, loss.owner)};
}

}  // namespace tunehub::server
