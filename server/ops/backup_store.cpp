#include "server/ops/backup_store.h"

#include <algorithm>

#include "core/base/text.h"
#include "migrations.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

using StateTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

OpenState ReadState(StateTransaction& transaction) {
  const auto row = transaction.exec1(sql::read_state);
  OpenState state;
  state.snapshot = row["snapshot"].as<std::string>();
  state.major = row["major"].as<int>();
  state.hub.postgresql = row["postgresql"].as<std::string>();
  state.hub.schema = row["version"].as<int>();
  state.hub.migration = row["name"].as<std::string>();
  state.hub.revision = ReadPin(row["revision"], row["token"]);
  state.hub.measurements = row["measurements"].as<std::int64_t>();
  return state;
}

}  // namespace

core::Status BackupStore::WithState(const std::function<core::Status(const OpenState&)>& use) {
  return pool_.With([&](pqxx::connection& connection) {
    StateTransaction transaction(connection);
    // The transaction is idle while pg_dump runs, which takes longer for more data.
    transaction.exec("SET LOCAL idle_in_transaction_session_timeout = 0");
    return use(ReadState(transaction));
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
    content.now = row[4].as<std::string>();
    return content;
  });
}

std::vector<KeyName> BackupStore::RevokedAt(const std::string& time) {
  return core::Mapped(Query(pool_, sql::list_revoked_at, time), [](const pqxx::row& row) {
    return KeyName{row[0].as<std::int64_t>(), row[1].as<std::string>(), row[2].as<std::string>()};
  });
}

bool BackupStore::Knows(const HubState& hub) {
  const auto& ours = migrations::kAll;
  return std::ranges::find(ours, hub.migration, &migrations::Named::name) != ours.end();
}

}  // namespace tunehub::server
