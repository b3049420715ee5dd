// Runs transactions with libpqxx, and reads single values of their answers.
#pragma once

#include <limits>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

// The result of a transaction's work, and whether to commit. A dry run, a replay or an error does
// not commit. This is a value and not an exception, because the pool drops a connection after an
// exception.
template <typename T>
struct Ending {
  Ending(T value) : answer(std::move(value)) {}
  Ending(core::Error error) : answer(std::move(error)), keep(false) {}
  static Ending Dropped(T value) {
    Ending ending(std::move(value));
    ending.keep = false;
    return ending;
  }

  core::Result<T> answer;
  bool keep = true;
};

// The most attempts for a transaction that loses against a concurrent one.
inline constexpr int kAttempts = 4;

template <typename T>
T Settle(pqxx::work& transaction, T answer) {
  transaction.commit();
  return answer;
}
// Work that may fail must return an Ending.
template <typename T>
core::Result<T> Settle(pqxx::work& transaction, core::Result<T> answer) = delete;
template <typename T>
core::Result<T> Settle(pqxx::work& transaction, Ending<T> ending) {
  if (ending.keep) transaction.commit();
  return std::move(ending.answer);
}

// Runs `work(transaction)` and commits, unless `work` returns an Ending with keep = false. After a
// serialization failure or a deadlock, runs `work` again in a new transaction.
template <typename Work>
auto InTransaction(ConnectionPool& pool, Work work) {
  for (int attempt = 1;; ++attempt) {
    try {
      return pool.With([&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        return Settle(transaction, work(transaction));
      });
    } catch (const pqxx::serialization_failure&) {
      if (attempt == kAttempts) throw;
    } catch (const pqxx::deadlock_detected&) {
      if (attempt == kAttempts) throw;
    }
  }
}

// Runs one SELECT without the round trips of BEGIN and COMMIT.
template <typename... Parameters>
pqxx::result Query(ConnectionPool& pool, std::string_view statement, Parameters... parameters) {
  return pool.With([&](pqxx::connection& connection) {
    pqxx::nontransaction transaction(connection);
    return transaction.exec_params(std::string(statement), parameters...);
  });
}

// The number of rows of a streamed answer in memory at one time. They take less than a megabyte,
// even if some contain JSON.
inline constexpr int kRowsAtOnce = 2'000;

// Runs one SELECT whose answer may be too large for memory. Calls `see(row)` for each row until
// `see` returns false.
template <typename See, typename... Parameters>
void Stream(ConnectionPool& pool, std::string_view statement, See see, Parameters... parameters) {
  pool.With([&](pqxx::connection& connection) {
    pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> transaction(connection);
    // The caller reads all rows. By default PostgreSQL would plan for the first few rows, which is
    // slower for all rows.
    transaction.exec("SET LOCAL cursor_tuple_fraction = 1");
    transaction.exec_params("DECLARE streamed NO SCROLL CURSOR FOR " + std::string(statement),
                            parameters...);
    const std::string fetch = "FETCH " + std::to_string(kRowsAtOnce) + " FROM streamed";
    for (bool more = true; more;) {
      const pqxx::result rows = transaction.exec(fetch);
      more = rows.size() == static_cast<pqxx::result::size_type>(kRowsAtOnce);
      for (const auto& row : rows) {
        if (!see(row)) return;
      }
    }
  });
}

// Debian's libpqxx cannot read std::optional.
template <typename T>
std::optional<T> ReadOptional(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<T>();
}

inline double ReadDouble(const pqxx::field& field) {
  return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.as<double>();
}

// Converts PostgreSQL's timestamptz in UTC, "2026-01-31 12:00:00.25+00", to RFC 3339. Returns ""
// for null.
std::string ReadTime(const pqxx::field& field);

// Reads a random uuid, such as a revision's token. Returns "" for null.
std::string ReadToken(const pqxx::field& field);
core::Pin ReadPin(const pqxx::field& number, const pqxx::field& token);

// Decodes bytea from PostgreSQL's hex form.
std::string ReadBytes(const pqxx::field& field);

}  // namespace tunehub::server
