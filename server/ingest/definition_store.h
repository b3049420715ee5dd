// What the database knows of the family files and of targets.json. Where one has changed,
// standings, order or columns may differ, and every measurement is judged again.
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

// Every call may throw Unavailable; calls are safe from any thread.
class DefinitionStore {
 public:
  explicit DefinitionStore(ConnectionPool& pool) : pool_(pool) {}

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

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
