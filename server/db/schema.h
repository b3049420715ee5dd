// Brings the database's schema up to date. Every call may throw Unavailable. Calls are safe from
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

class ConnectionPool;

struct Migration {
  std::string_view name;  // "V001__schema"
  std::string_view text;
};

std::vector<Migration> ShippedMigrations();

struct FamilyRecord {
  std::int16_t id = 0;
  std::string name;
};

class Schema {
 public:
  explicit Schema(ConnectionPool& pool) : pool_(pool) {}

  // Applies the missing migrations, under an advisory lock. Returns their number. After an error
  // nothing has changed. Errors:
  // - newer_schema: the database is newer than this program
  // - earlier_schema: the database has other migrations than this program
  core::Result<int> Migrate(const std::vector<Migration>& files = ShippedMigrations());
  // Like Migrate, but changes nothing. Errors: also older_schema if a migration is missing.
  core::Status Check(const std::vector<Migration>& files = ShippedMigrations());
  std::vector<FamilyRecord> Families();
  std::string FamilyDefinition(std::int16_t family, int version);
  std::vector<int> VersionsOf(std::int16_t family);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
