#include "server/store/connection/database_state.h"

#include "server/store/connection/transaction.h"
#include "sql.h"

namespace tunehub::store {

DatabaseState StateStore::Read() {
  DatabaseState state;
  const auto read = Query(pool_, sql::read_database_state);
  const auto& row = read[0];
  if (row["may_read"].as<bool>()) {
    state.replication = {row["synchronous"].as<std::int64_t>(),
                         row["asynchronous"].as<std::int64_t>(),
                         ReadOptional<std::int64_t>(row["lag_bytes"])};
  }
  if (row["archives"].as<bool>()) {
    state.archive = {row["archived"].as<std::int64_t>(), row["failed"].as<std::int64_t>(),
                     ReadOptional<double>(row["last_seconds"])};
  }
  return state;
}

std::optional<std::int64_t> StateStore::ReadBytes() {
  return ReadOptional<std::int64_t>(Query(pool_, sql::read_database_bytes)[0][0]);
}

}  // namespace tunehub::store
