#include "server/db/retention.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kTrafficDays = 90;  // demand influences coverage for this long

}  // namespace

bool DeleteOld(ConnectionPool& pool, std::size_t days) {
  return InTransaction(pool, [&](pqxx::work& transaction) {
    if (transaction.exec("SELECT FROM retention FOR UPDATE SKIP LOCKED").empty()) return false;
    transaction.exec0(sql::delete_old_agents);
    transaction.exec0(sql::delete_old_usage);
    transaction.exec0(sql::reopen_demand);
    const std::pair<const char*, std::size_t> kinds[] = {{sql::delete_old_demand, kTrafficDays},
                                                         {sql::delete_finished_jobs, days},
                                                         {sql::delete_old_audit, days},
                                                         {sql::delete_old_drift, days},
                                                         {sql::delete_old_receipts, days}};
    std::size_t most = 0;
    for (const auto& [statement, age] : kinds) {
      if (age == 0) continue;
      const auto deleted = transaction.exec_params(statement, static_cast<std::int64_t>(age),
                                                   static_cast<std::int64_t>(kMostDeleted));
      most = std::max(most, static_cast<std::size_t>(deleted.affected_rows()));
    }
    return most >= kMostDeleted;
  });
}

}  // namespace tunehub::server
