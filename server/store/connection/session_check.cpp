#include "server/store/connection/session_check.h"

#include <fmt/core.h>

#include <exception>
#include <string>

#include "server/store/connection/connection_pool.h"
#include "server/store/connection/errors.h"
#include "sql.h"

namespace tunehub::store {
namespace {

// A pooler that others use, too, may lend the same session twice by chance.
constexpr int kRounds = 8;

int SessionOf(pqxx::transaction_base& transaction) {
  return transaction.exec1("SELECT pg_backend_pid()")[0].as<int>();
}

int SessionOf(pqxx::connection& connection) {
  pqxx::nontransaction statement(connection);
  return SessionOf(statement);
}

// Two connections that both live never have one session, and each keeps its own: outside of a
// transaction, where a pooler of single statements is found, which refuses one, and while the other
// is in one.
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
      fmt::format("the database '{}' has the encoding {}, and a hub needs UTF8: make another one "
                  "(CREATE DATABASE hub ENCODING 'UTF8' TEMPLATE template0)",
                  row[0].as<std::string>(), encoding)};
}

}  // namespace

core::Status CheckSessions(ConnectionPool& pool) {
  try {
    const auto first = pool.Open();
    const auto second = pool.Open();
    if (AreSessions(*first, *second)) return CheckEncoding(*first);
  } catch (const std::exception& error) {
    throw Unavailable(std::string("the database cannot be asked: ") + error.what());
  }
  return core::Error{
      "pooled_database",
      "the database is behind a pooler that lends a session for one transaction at a time "
      "(PgBouncer: pool_mode = transaction or statement), where settings, temporary tables and "
      "LISTEN are lost: name PostgreSQL itself, or a pool with pool_mode = session"};
}

}  // namespace tunehub::store
