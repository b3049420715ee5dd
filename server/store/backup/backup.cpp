#include "server/store/backup/backup.h"

#include <charconv>

#include "migrations.h"
#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {
namespace {

using StateTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

}  // namespace

core::Status BackupStore::WithState(const std::function<core::Status(const StateRecord&)>& use) {
  return pool_.With([&](pqxx::connection& connection) {
    StateTransaction transaction(connection);
    // It waits for another program, which takes as long as there is data.
    transaction.exec("SET LOCAL idle_in_transaction_session_timeout = 0");
    const auto row = transaction.exec1(sql::read_state);
    return use({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<int>(),
                row[3].as<int>(), row[4].as<std::string>(), row[5].as<std::int64_t>(),
                row[6].as<std::int64_t>()});
  });
}

ContentRecord BackupStore::Content() {
  return pool_.With([&](pqxx::connection& connection) {
    StateTransaction transaction(connection);
    const auto row = transaction.exec1(sql::read_content);
    ContentRecord content;
    content.major = row[0].as<int>();
    content.tables = row[1].as<std::int64_t>();
    content.some = row[2].as<std::string>();
    content.hub = row[3].as<bool>();
    return content;
  });
}

int BackupStore::NewestSchema() {
  const std::string_view name = migrations::kAll.back().name;
  int version = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), version);
  return version;
}

}  // namespace tunehub::store
