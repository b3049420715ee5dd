// The schema's version: migrations/V00N__why.sql, forward only, each in its own transaction.
#include "server/db/schema.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "migrations.h"
#include "server/db/transaction.h"
#include "sql.h"

namespace tunehub::server {
namespace {

constexpr int kMigrationLock = 7410;

// "V003__queue" -> 3
int VersionOf(std::string_view name) {
  int version = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), version);
  return version;
}

std::vector<std::string> Applied(pqxx::transaction_base& transaction) {
  std::vector<std::string> names;
  const auto exists = transaction.exec1("SELECT to_regclass('schema_version') IS NOT NULL");
  if (!exists[0].as<bool>()) return names;
  for (const auto& row : transaction.exec("SELECT name FROM schema_version ORDER BY version"))
    names.push_back(row[0].as<std::string>());
  return names;
}

// Errors: newer_schema, earlier_schema.
core::Status CheckApplied(const std::vector<std::string>& applied,
                          const std::vector<Migration>& files) {
  const auto [theirs, ours] = std::ranges::mismatch(applied, files, {}, {}, &Migration::name);
  if (theirs == applied.end()) return core::Ok();
  if (ours == files.end()) {
    return core::Error{"newer_schema",
                       fmt::format("the database has schema version {}, but this program knows "
                                   "versions up to {}; run a newer tunehub-server",
                                   VersionOf(applied.back()), VersionOf(files.back().name))};
  }
  return core::Error{
      "earlier_schema",
      fmt::format("the database has the migration {}, but this program has {} instead, so an "
                  "earlier development version made the database. Nothing was changed. Export the "
                  "tables with that version (tunehub-server export --static), and import them into "
                  "a new data folder or database",
                  *theirs, ours->name)};
}

}  // namespace

std::vector<Migration> ShippedMigrations() {
  return core::Mapped(migrations::kAll, [](const migrations::Named& it) {
    return Migration{it.name, it.text};
  });
}

core::Result<int> Schema::Migrate(const std::vector<Migration>& files) {
  return pool_.With([&](pqxx::connection& connection) -> core::Result<int> {
    int count = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      pqxx::work transaction(connection);
      transaction.exec(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock));
      const auto applied = Applied(transaction);
      if (auto known = CheckApplied(applied, files); !known.ok()) return known.error();
      if (i < applied.size()) continue;
      spdlog::info("applying migration {}", files[i].name);
      if (applied.empty()) {
        transaction.exec(
            "CREATE TABLE schema_version (version integer PRIMARY KEY, name text NOT NULL,"
            " applied timestamptz NOT NULL DEFAULT now())");
      }
      transaction.exec(std::string(files[i].text));
      transaction.exec_params0("INSERT INTO schema_version (version, name) VALUES ($1, $2)",
                               VersionOf(files[i].name), std::string(files[i].name));
      transaction.commit();
      ++count;
    }
    return count;
  });
}

core::Status Schema::Check(const std::vector<Migration>& files) {
  return pool_.With([&](pqxx::connection& connection) -> core::Status {
    pqxx::nontransaction transaction(connection);
    const auto applied = Applied(transaction);
    if (auto known = CheckApplied(applied, files); !known.ok()) return known;
    if (applied.size() < files.size()) {
      return core::Error{"older_schema",
                         fmt::format("the database has schema version {}, but this program needs "
                                     "{}; run 'tunehub-server migrate'",
                                     applied.size(), files.size())};
    }
    return core::Ok();
  });
}

std::vector<FamilyRecord> Schema::Families() {
  return core::Mapped(Query(pool_, sql::list_families), [](const pqxx::row& row) {
    return FamilyRecord{row[0].as<std::int16_t>(), row[1].as<std::string>()};
  });
}

std::string Schema::FamilyDefinition(std::int16_t family, int version) {
  const auto found = Query(pool_, sql::family_definition, family, version);
  return found.empty() ? std::string() : found[0][0].as<std::string>();
}

std::vector<int> Schema::VersionsOf(std::int16_t family) {
  return core::Mapped(Query(pool_, sql::list_family_versions, family),
                      [](const pqxx::row& row) { return row[0].as<int>(); });
}

}  // namespace tunehub::server
