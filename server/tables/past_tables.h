// Reads rows of old revisions. If the family has not changed since, its rows come from memory. For
// a few shape keys, the database looks up their rows by an index. For more keys, the hub builds the
// whole table once and caches it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/revision_records.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// The most shape keys that the database looks up by index.
inline constexpr std::size_t kMostKeysByIndex = 1'000;

struct PastSet {
  std::shared_ptr<const core::Family> version;  // the rows' old version; null: the current one
  RowSet rows;
};
std::size_t SizeOf(const PastSet& set);

struct FoundPast {
  PastHead head;
  std::shared_ptr<const PastSet> set;
  // True if Check is not needed, because the digest was already compared or the set is only a part
  // of the table.
  bool checked = false;
};

class PastTables {
 public:
  // `budget_bytes`: the limit of the whole tables in memory.
  PastTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
             FamilyVersions& versions, std::size_t budget_bytes)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        versions_(versions),
        whole_(budget_bytes) {}

  using Found = core::Result<FoundPast>;

  // Returns all rows that `query` selects, and perhaps more, in the revision's own columns. Errors:
  // unknown_revision, revision_gone, revision_damaged (the table's bytes differ from the bytes that
  // the hub served). Throws Unavailable. Precondition: query.revision.
  Found Rows(const core::Family& family, const TunedQuery& query);

  // The first call stores the digest of a revision's whole table. Each later call compares this
  // digest. Errors: revision_damaged. If the database does not respond, checks nothing.
  core::Status Check(const core::Family& family, const FoundPast& found, const std::string& digest);

  KeptCounters counters() const { return whole_.counters(); }

 private:
  static std::optional<FoundPast> InMemory(const SnapshotSet& set, const FamilySnapshot& snapshot,
                                           const core::Pin& revision);
  core::Result<std::optional<FoundPast>> ByIndex(const core::Family& family,
                                                 const FamilySnapshot& snapshot,
                                                 const TunedQuery& query, const PastHead& head);
  Found Built(const core::Family& family, const PastHead& head, int era);
  PastSet SetOf(const core::Family& family, PastTable past);
  core::Status CheckDigest(const core::Family& family, const PastHead& head,
                           const std::string& digest);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  Snapshots& snapshots_;
  FamilyVersions& versions_;
  Kept<PastSet> whole_;
};

// Returns the query with its filters converted to the columns of an older version of the family.
TunedQuery InColumnsOf(const core::Family& version, const core::Family& family, TunedQuery query);

}  // namespace tunehub::server
