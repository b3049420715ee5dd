// The family files and targets.json that the database knows. A change may alter standings, order or
// columns, so every measurement is judged again.
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
  bool missing = false;  // the database has none
};

// How to treat a family file or targets.json that differs from the database's.
enum class OtherFile {
  kRefused,
  kOlderServes,  // a file that was in force before stays out of force; its server reads only
  kTaken,
};

// Every call may throw Unavailable; calls are safe from any thread.
class DefinitionStore {
 public:
  explicit DefinitionStore(ConnectionPool& pool) : pool_(pool) {}

  // Records the family files and targets.json; adds new families. Error definitions_changed: a
  // known one differs and `other` forbids that. For accepted files it judges every measurement
  // again in one revision, and answers its number. It all happens or nothing. Errors:
  // keys_would_change (a stored row would get another key and lose its history),
  // stored_line_unreadable.
  core::Result<std::optional<std::int64_t>> SyncDefinitions(const core::Families& families,
                                                            const core::Targets& targets,
                                                            OtherFile other);
  // Only reads.
  std::vector<OtherDefinition> Differences(const core::Families& families,
                                           const core::Targets& targets);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
