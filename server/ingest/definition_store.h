// The database's family files and targets.json. A changed file may change standings, order or
// columns, so the hub judges every measurement again.
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
  std::string name;      // of the family; "targets.json"
  bool older = false;    // it was in force before
  bool missing = false;  // the database has no such file
};

// The treatment of a family file or targets.json that differs from the database's.
enum class OtherFile {
  kRefused,
  kOlderServes,  // accepts a file that was in force before, without effect; the server only reads
  kTaken,
};

// Every call may throw Unavailable; calls are safe from any thread.
class DefinitionStore {
 public:
  explicit DefinitionStore(ConnectionPool& pool) : pool_(pool) {}

  // Records the family files and targets.json, and adds new families, all in one transaction. If a
  // known file changed, judges every measurement of its family again in one revision, and returns
  // the revision's number. Errors:
  // - definitions_changed: a known file differs and `other` forbids that
  // - keys_would_change: a stored row would get another shape key and lose its history
  // - stored_line_unreadable
  core::Result<std::optional<std::int64_t>> SyncDefinitions(const core::Families& families,
                                                            const core::Targets& targets,
                                                            OtherFile other);
  // Judges the shape keys that several owners measured by the setting confirm_factor, if the server
  // before this one had another value.
  void ApplyConfirmFactor(int factor);
  // The given definitions that differ from the database's.
  std::vector<OtherDefinition> Differences(const core::Families& families,
                                           const core::Targets& targets);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
