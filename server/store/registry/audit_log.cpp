#include "server/store/registry/audit_log.h"

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {

std::vector<AuditRecord> AuditStore::List(std::int64_t before_id, std::size_t limit) {
  std::vector<AuditRecord> records;
  for (const auto& row :
       Query(pool_, sql::list_audit, before_id, static_cast<std::int64_t>(limit))) {
    const auto text = [&](const char* column) { return row[column].as<std::string>(""); };
    records.push_back({row["id"].as<std::int64_t>(), row["api_key"].as<std::int64_t>(0),
                       ReadTime(row["at"]), text("owner"), text("action"), text("detail"),
                       text("request")});
  }
  return records;
}

}  // namespace tunehub::store
