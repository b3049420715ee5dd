// The rows of old revisions: from memory where nothing changed since, a few of them by the indexes
// of the database, else the whole table, which is built once and kept for a while.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/kept.h"
#include "server/service/registry/lines.h"
#include "server/service/registry/snapshots.h"
#include "server/service/tables/table_bytes.h"
#include "server/service/tables/tuned_query.h"
#include "server/store/store.h"

namespace tunehub::service {

// Rows that are found key by key; of more, the whole table is built.
inline constexpr std::size_t kMostKeysByIndex = 1'000;

struct PastSet {
  std::shared_ptr<const core::Family> version;  // that the rows refer to, where it is an old one
  RowSet rows;
};
std::size_t SizeOf(const PastSet& set);

struct FoundPast {
  store::PastHead head;
  std::shared_ptr<const PastSet> set;
  bool checked = false;  // against the digest
};

class PastTables {
 public:
  // `budget_bytes`: for whole tables.
  PastTables(const Definitions& definitions, store::Store& store, Snapshots& snapshots,
             FamilyVersions& versions, std::size_t budget_bytes)
      : definitions_(definitions),
        store_(store),
        snapshots_(snapshots),
        versions_(versions),
        whole_(budget_bytes) {}

  using Found = core::Result<FoundPast>;

  // All rows that `query` selects, and perhaps others, in the columns that the family had then.
  // Errors: unknown_revision, revision_gone, revision_damaged (a table that was built no longer has
  // the bytes that were served of it). Throws Unavailable. Precondition: query.revision.
  Found Rows(const core::Family& family, const TunedQuery& query);

  // The digest of a revision's whole table is stored when it is first made, and what is made later
  // must have it. Error revision_damaged. While the database is gone, nothing is known of it.
  core::Status Check(const core::Family& family, const FoundPast& found, const std::string& digest);

  KeptCounters counters() const { return whole_.counters(); }

 private:
  std::optional<FoundPast> InMemory(const core::Family& family, const SnapshotSet& set,
                                    const core::Pin& revision) const;
  std::optional<FoundPast> Unchanged(const core::Family& family, const SnapshotSet& set,
                                     const store::PastHead& head);
  core::Result<std::optional<FoundPast>> ByIndex(const core::Family& family,
                                                 const FamilySnapshot& snapshot,
                                                 const TunedQuery& query,
                                                 const store::PastHead& head);
  Found Built(const core::Family& family, const store::PastHead& head, int era);
  PastSet SetOf(const core::Family& family, store::PastTable past);
  core::Status CheckDigest(const core::Family& family, const store::PastHead& head,
                           const std::string& digest);

  const Definitions& definitions_;
  store::Store& store_;
  Snapshots& snapshots_;
  FamilyVersions& versions_;
  Kept<PastSet> whole_;
};

// The same filters in the columns of an older version of the family.
TunedQuery InColumnsOf(const core::Family& version, const core::Family& family, TunedQuery query);

}  // namespace tunehub::service
