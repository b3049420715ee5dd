#include "server/db/database_state.h"

#include <fmt/core.h>

#include <exception>

#include "core/base/text.h"
#include "server/db/connection_pool.h"
#include "server/db/connection_url.h"
#include "server/db/failures.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {

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
    state.archive = {row["archived"].as<std::int64_t>(), row["failed"].as<std::int64_t>()};
  }
  return state;
}

std::optional<std::int64_t> StateStore::ReadBytes() {
  return ReadOptional<std::int64_t>(Query(pool_, sql::read_database_bytes)[0][0]);
}

namespace {

// The number of checks. A pooler may by chance give a connection the same session twice, even if it
// has other clients.
constexpr int kRounds = 8;

int SessionOf(pqxx::transaction_base& transaction) {
  return transaction.exec1("SELECT pg_backend_pid()")[0].as<int>();
}

int SessionOf(pqxx::connection& connection) {
  pqxx::nontransaction statement(connection);
  return SessionOf(statement);
}

// True if both connections have their own sessions. Two live connections then never share a
// session, and each keeps the same session. The check runs outside of a transaction, since a pooler
// for single statements refuses transactions. It also runs while the other connection is in a
// transaction.
bool AreSessions(pqxx::connection& first, pqxx::connection& second) {
  const int own = SessionOf(first);
  for (int round = 0; round < kRounds; ++round) {
    if (SessionOf(first) != own || SessionOf(second) == own) return false;
    pqxx::work transaction(second);
    if (SessionOf(transaction) == own || SessionOf(first) != own) return false;
  }
  return true;
}

core::Status CheckEncoding(pqxx::connection& connection) {
  pqxx::nontransaction statement(connection);
  const auto row = statement.exec1(sql::read_encoding);
  const auto encoding = row[1].as<std::string>();
  if (encoding == "UTF8") return core::Ok();
  return core::Error{
      "database_encoding",
      fmt::format("the database '{}' has the encoding {}, but a hub needs UTF8. Create another "
                  "database: CREATE DATABASE hub ENCODING 'UTF8' TEMPLATE template0",
                  row[0].as<std::string>(), encoding)};
}

// A new connection gets an answer at once, unless its host has a problem.
HostHealth LookAtHost(const OneHost& host) {
  HostHealth health;
  health.name = host.name;
  health.url = host.url;
  try {
    Override(health.url, "target_session_attrs", "any");  // a standby is not down
    const ConnectionPool pool(health.url, {.size = 1});
    const auto connection = pool.Open();
    pqxx::nontransaction statement(*connection);
    const auto answer = statement.exec1("SELECT current_setting('transaction_read_only')");
    health.read_only = answer[0].as<std::string>() == "on";
  } catch (const std::exception& error) {
    health.reason = error.what();
    while (health.reason.ends_with('\n')) health.reason.pop_back();
  }
  return health;
}

}  // namespace

core::Status CheckSessions(ConnectionPool& pool) {
  try {
    const auto first = pool.Open();
    const auto second = pool.Open();
    if (AreSessions(*first, *second)) return CheckEncoding(*first);
  } catch (const std::exception& error) {
    throw Unavailable(std::string("the database does not answer: ") + error.what());
  }
  return core::Error{
      "pooled_database",
      "a pooler is between the server and the database, and lends sessions for one transaction "
      "(PgBouncer: pool_mode = transaction or statement). Then settings, temporary tables and "
      "LISTEN are lost. Use PostgreSQL's own address, or a pool with pool_mode = session"};
}

std::vector<HostHealth> LookAtHosts(const std::string& url) {
  return core::Mapped(HostsOf(url), LookAtHost);
}

}  // namespace tunehub::server
