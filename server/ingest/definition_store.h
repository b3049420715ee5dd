// Stores the family files and targets.json in the database. A changed file may change standings,
// order or columns. So after a change the hub judges every measurement again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::server {

class ConnectionPool;

// A definition of this program that differs from the database's.
struct OtherDefinition {
  std::string name;      // the family's name, or "targets.json"
  bool older = false;    // true: the definition was in force before
  bool missing = false;  // the database has no such file
};

// What to do with a family file or targets.json that differs from the database's file.
enum class OtherFile {
  kRefused,
  // for a server that only reads: accepts a file that was in force before, without storing it
  kOlderServes,
  kTaken,
};

// Every call may throw Unavailable; calls are safe from any thread.
class DefinitionStore {
 public:
  explicit DefinitionStore(ConnectionPool& pool) : pool_(pool) {}

  // Stores the family files and targets.json, and adds new families, all in one transaction. If a
  // known file has changed, judges every measurement of its family again, in one new revision. Then
  // returns the revision's number. Errors:
  // - definitions_changed: a known file differs and `other` forbids that
  // - keys_would_change: a stored row would get another shape key and lose its history
  // - stored_line_unreadable
  core::Result<std::optional<std::int64_t>> SyncDefinitions(const core::Families& families,
                                                            const core::Targets& targets,
                                                            OtherFile other);
  // Applies the setting confirm_factor to the shape keys that several owners measured, if the
  // previous server had another value.
  void ApplyConfirmFactor(int factor);
  // Returns the given definitions that differ from the database's.
  std::vector<OtherDefinition> Differences(const core::Families& families,
                                           const core::Targets& targets);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
