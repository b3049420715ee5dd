// The tables, and what they know of the family files. Every call may throw Unavailable; calls are
// safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::store {

class ConnectionPool;

struct Migration {
  std::string_view name;  // "V001__schema"
  std::string_view text;
};

// Those that this program carries, in their order.
std::vector<Migration> ShippedMigrations();

struct FamilyRecord {
  std::int16_t id = 0;
  std::string name;
  int version = 0;
};

// A definition of this program's that is another one than the database's.
struct OtherDefinition {
  std::string name;      // of the family; "targets.json"
  bool older = false;    // it was in force before
  bool missing = false;  // the database has none
};

// What is to become of a family file, or a targets.json, that is another one than the database's.
enum class OtherFile {
  kRefused,
  kOlderServes,  // one that was in force before stays out of force: its server reads, and writes
                 // not
  kTaken,
};

class Schema {
 public:
  explicit Schema(ConnectionPool& pool) : pool_(pool) {}

  // Applies the migrations that are missing, under an advisory lock. Returns how many. Errors, of
  // which nothing changes: newer_schema (the database is ahead of this program), earlier_schema (it
  // has other migrations than this program).
  core::Result<int> Migrate(const std::vector<Migration>& files = ShippedMigrations());
  // Like Migrate, but changes nothing: error older_schema where a migration is missing.
  core::Status Check(const std::vector<Migration>& files = ShippedMigrations());
  // Makes the database know the family files and targets.json: new families are added. Error
  // definitions_changed where a known one has another content and `other` does not allow that. Of
  // those that are taken every measurement is judged again, in one revision, whose number it
  // answers, or nothing of it happens. Errors keys_would_change (the new file gives a stored row
  // another key, which would orphan its history), stored_line_unreadable.
  core::Result<std::optional<std::int64_t>> SyncDefinitions(const core::Families& families,
                                                            const core::Targets& targets,
                                                            OtherFile other);
  // Changes nothing.
  std::vector<OtherDefinition> Differences(const core::Families& families,
                                           const core::Targets& targets);
  std::vector<FamilyRecord> Families();
  std::string FamilyDefinition(std::int16_t family, int version);
  std::vector<int> VersionsOf(std::int16_t family);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store
