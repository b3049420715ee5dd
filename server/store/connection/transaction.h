// Helpers over libpqxx that every file of this folder uses.
#pragma once

#include <limits>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/store/connection/connection_pool.h"

namespace tunehub::store {

// Leaves a transaction without a commit, carrying the answer out.
struct Refused {
  core::Error error;
};

// A statement that lost against another one is tried again, as often as this.
inline constexpr int kAttempts = 4;

// Runs `work(transaction)` and commits; again from the start on a serialization failure or
// deadlock.
template <typename Work>
auto InTransaction(ConnectionPool& pool, Work work) {
  for (int attempt = 1;; ++attempt) {
    try {
      return pool.With([&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        auto result = work(transaction);
        transaction.commit();
        return result;
      });
    } catch (const pqxx::serialization_failure&) {
      if (attempt == kAttempts) throw;
    } catch (const pqxx::deadlock_detected&) {
      if (attempt == kAttempts) throw;
    }
  }
}

// One SELECT, without the round trips of BEGIN and COMMIT.
template <typename... Parameters>
pqxx::result Query(ConnectionPool& pool, std::string_view statement, Parameters... parameters) {
  return pool.With([&](pqxx::connection& connection) {
    pqxx::nontransaction transaction(connection);
    return transaction.exec_params(std::string(statement), parameters...);
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

// timestamptz as PostgreSQL writes it in UTC, "2026-01-31 12:00:00.25+00", as RFC 3339; "" for
// null.
std::string ReadTime(const pqxx::field& field);

// bytea in hex form, as PostgreSQL sends it.
std::string ReadBytes(const pqxx::field& field);

}  // namespace tunehub::store
