// Every family's table as of one revision.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "server/service/analysis/dispatch_tables.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

struct RegistryState {
  core::Pin revision;
  // Of the families in their order; each says the revision that changed it last.
  std::vector<std::shared_ptr<const DispatchTable>> tables;
};

class RegistryStates {
 public:
  // `tables`: what is served now; null: all is read from the history.
  RegistryStates(const Definitions& definitions, store::Store& store, FamilyVersions& versions,
                 DispatchTables* tables)
      : definitions_(definitions), store_(store), versions_(versions), tables_(tables) {}

  // Without families that this server cannot read. Precondition: there are tables.
  RegistryState Now(const core::Pin& revision);
  // Errors: unknown_revision, revision_gone; unread_lines, where a row of then does not fit the
  // family's columns of now. Throws Unavailable. From one thread at a time.
  core::Result<RegistryState> At(const core::Pin& revision);
  // The tables that were read are kept for the next revision until then.
  void Forget() { read_.clear(); }

 private:
  using Table = std::shared_ptr<const DispatchTable>;
  core::Result<Table> Read(const core::Family& family, const core::Pin& revision,
                           const core::Pin& family_revision, const Table& now);

  const Definitions& definitions_;
  store::Store& store_;
  FamilyVersions& versions_;
  DispatchTables* tables_;
  std::map<std::int16_t, Table> read_;
};

}  // namespace tunehub::service
