#include "server/store/ingest/objections.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "server/store/connection/transaction.h"
#include "server/store/queue/jobs.h"
#include "sql.h"

namespace tunehub::store {
namespace {

Objection ReadObjection(const pqxx::row& row, const Objector& objector) {
  return {static_cast<std::size_t>(row[0].as<std::int64_t>() - objector.first_id),
          ReadDouble(row[1]), row[2].as<std::int64_t>()};
}

// Nearly every batch has none, and is not to pay for a join.
template <typename Predicate>
bool Any(const BatchRequest& request, const Predicate& predicate) {
  return std::any_of(request.rows->begin(), request.rows->end(),
                     [&](const registry::StagedRow& staged) { return predicate(staged.row); });
}

bool SpeaksAgainst(const core::Row& row) {
  return row.standing == core::Standing::kWrong || row.standing == core::Standing::kFailed ||
         std::isinf(row.us);
}

std::size_t CountDoubtJobs(pqxx::work& transaction, const Writer& by) {
  return transaction.exec_params1(sql::count_doubt_jobs, by.owner)[0].as<std::size_t>();
}

}  // namespace

void FindAccused(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                 BatchOutcome& outcome) {
  const auto wrong = [](const core::Row& row) { return row.standing == core::Standing::kWrong; };
  if (!Any(request, wrong)) return;
  for (const auto& row : transaction.exec(sql::find_withdrawn)) {
    outcome.withdrawn.push_back(ReadObjection(row, objector));
  }
}

void PlanDoubts(pqxx::work& transaction, const BatchRequest& request, const Objector& objector,
                BatchOutcome& outcome) {
  if (!Any(request, SpeaksAgainst)) return;
  std::map<std::pair<std::string, int>, std::vector<const registry::StagedRow*>> targets;
  for (const auto& row : transaction.exec_params(sql::find_doubted, objector.run)) {
    outcome.in_doubt.push_back(ReadObjection(row, objector));
    std::erase_if(outcome.withdrawn,
                  [&](const Objection& it) { return it.row == outcome.in_doubt.back().row; });
    if (row[3].as<bool>()) continue;
    const registry::StagedRow& staged = (*request.rows)[outcome.in_doubt.back().row];
    targets[{staged.row.gfx, staged.row.cu_num}].push_back(&staged);
  }
  if (targets.empty()) return;
  auto left = kMostDoubtJobs - std::min(kMostDoubtJobs, CountDoubtJobs(transaction, request.write));
  for (const auto& [target, rows] : targets) {
    const auto open = LockOpenJobs(transaction, target.first, target.second, false);
    auto jobs = request.measure_again(rows, open);
    if (jobs.size() > left) jobs.resize(left);
    left -= jobs.size();
    for (const std::int64_t id : InsertJobs(transaction, jobs, request.write)) {
      outcome.measure_jobs.push_back(id);
    }
  }
}

}  // namespace tunehub::store
