// The tuned rows of one family in memory, as of one revision: immutable once published, so that any
// number of threads read it while the next one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "core/base/pin.h"
#include "core/family/family.h"
#include "core/row/standing.h"
#include "server/registry/provider.h"
#include "server/store/tables/revision_records.h"

namespace tunehub::service {

struct TunedRow {
  core::Hash128 key;
  std::string order;
  std::string line;  // in the columns of the family version in force
  std::string gfx;
  int cu_num = 0;
  registry::Provider provider = registry::Provider::kAiter;
  core::Standing standing = core::Standing::kMeasured;
  double us = 0;             // NaN: none
  bool baseline = false;     // nothing but what runs untuned was measured: served, and not tuned
  bool trusted = true;       // upstream's or an admin's
  bool engine_says = false;  // the family's key names the engine, which is the provider

  // It is served where nobody asks for a provider.
  bool by_default() const { return engine_says || provider == registry::DefaultProvider(gfx); }
};

struct FamilySnapshot {
  const core::Family* family = nullptr;  // lives as long as the Definitions
  std::int16_t id = 0;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // by order, then provider
  core::Pin revision;       // the last one that changed this family; 0: never
  std::int64_t change = 0;  // newest batch in it
  int version = 0;          // of the family, in force
  int era = 0;              // SnapshotSet
  // The newest revision of the family, where it has another family file than this server, which
  // goes on with the last that it could read. No number: there is none.
  core::Pin beyond;

  bool is_behind() const { return beyond.number != 0; }
  // There are rows, and none that this server could ever read.
  bool is_unreadable() const { return is_behind() && version == 0; }
};

// The snapshot after a delta: rows of the same key and provider are replaced, unserved ones go.
std::shared_ptr<const FamilySnapshot> Advance(const FamilySnapshot& old,
                                              const store::SnapshotDelta& delta,
                                              std::vector<std::shared_ptr<const TunedRow>> changed);

}  // namespace tunehub::service
