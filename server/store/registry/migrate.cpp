// The schema's version: migrations/V00N__why.sql, forward only, each in a transaction of its own.
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <charconv>

#include "migrations.h"
#include "server/store/connection/transaction.h"
#include "server/store/registry/schema.h"

namespace tunehub::store {
namespace {

constexpr int kMigrationLock = 7410;

// "V003__queue" -> 3
int VersionOf(std::string_view name) {
  int version = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), version);
  return version;
}

int Newest() {
  return VersionOf(migrations::kAll.back().name);
}

int Applied(pqxx::transaction_base& transaction) {
  const auto exists = transaction.exec1("SELECT to_regclass('schema_version') IS NOT NULL");
  if (!exists[0].as<bool>()) return 0;
  return transaction.exec1("SELECT coalesce(max(version), 0) FROM schema_version")[0].as<int>();
}

core::Error NewerSchema(int applied) {
  return {"newer_schema", fmt::format("the database has schema version {}, this program knows up "
                                      "to {}: run the newer tunehub-server",
                                      applied, Newest())};
}

}  // namespace

core::Result<int> Schema::Migrate() {
  return pool_.With([&](pqxx::connection& connection) -> core::Result<int> {
    int count = 0;
    for (const migrations::Named& migration : migrations::kAll) {
      pqxx::work transaction(connection);
      transaction.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock));
      const int applied = Applied(transaction);
      if (applied > Newest()) return NewerSchema(applied);
      const int version = VersionOf(migration.name);
      if (version <= applied) continue;
      spdlog::info("applying migration {}", migration.name);
      if (applied == 0) {
        transaction.exec(
            "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL,"
            " applied timestamptz NOT NULL DEFAULT now())");
      }
      transaction.exec(std::string(migration.text));
      transaction.exec_params0("INSERT INTO schema_version (version, name) VALUES ($1, $2)",
                               version, std::string(migration.name));
      transaction.commit();
      ++count;
    }
    return count;
  });
}

core::Status Schema::Check() {
  return pool_.With([&](pqxx::connection& connection) -> core::Status {
    pqxx::nontransaction transaction(connection);
    const int applied = Applied(transaction);
    if (applied > Newest()) return NewerSchema(applied);
    if (applied < Newest()) {
      return core::Error{"older_schema",
                         fmt::format("the database has schema version {}, this program needs {}: "
                                     "run 'tunehub-server migrate'",
                                     applied, Newest())};
    }
    return core::Ok();
  });
}

}  // namespace tunehub::store
