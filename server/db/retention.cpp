#include "server/db/retention.h"

#include <algorithm>
#include <cstdint>

#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {

bool DeleteOld(ConnectionPool& pool, std::size_t days) {
  return InTransaction(pool, [&](pqxx::work& transaction) {
    if (transaction.exec("SELECT FROM retention FOR UPDATE SKIP LOCKED").empty()) return false;
    transaction.exec0(sql::delete_old_agents);
    transaction.exec0(sql::delete_old_usage);
    std::size_t most = 0;
    for (const auto* statement :
         {sql::delete_finished_jobs, sql::delete_old_audit, sql::delete_old_receipts}) {
      if (days == 0) break;
      const auto deleted = transaction.exec_params(statement, static_cast<std::int64_t>(days),
                                                   static_cast<std::int64_t>(kMostDeleted));
      most = std::max(most, static_cast<std::size_t>(deleted.affected_rows()));
    }
    return most == kMostDeleted;
  });
}

}  // namespace tunehub::server
