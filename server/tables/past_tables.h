// Rows of old revisions: from memory if nothing changed since; a few by the database's indexes;
// else from the whole table, built once and cached.
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

// The most rows that are found key by key; for more, the whole table is built.
inline constexpr std::size_t kMostKeysByIndex = 1'000;

struct PastSet {
  std::shared_ptr<const core::Family> version;  // old, of the rows; null: the current one
  RowSet rows;
};
std::size_t SizeOf(const PastSet& set);

struct FoundPast {
  PastHead head;
  std::shared_ptr<const PastSet> set;
  bool checked = false;  // compared with the digest
};

class PastTables {
 public:
  // `budget_bytes`: limit of whole tables in memory.
  PastTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
             FamilyVersions& versions, std::size_t budget_bytes)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        versions_(versions),
        whole_(budget_bytes) {}

  using Found = core::Result<FoundPast>;

  // All rows that `query` selects, and perhaps more, in the columns of that time. Errors:
  // unknown_revision, revision_gone, revision_damaged (the table's bytes differ from those that
  // were served). Throws Unavailable. Precondition: query.revision.
  Found Rows(const core::Family& family, const TunedQuery& query);

  // Stores the digest of a revision's whole table the first time, and compares it every later time.
  // Error revision_damaged. Without the database it checks nothing.
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

// The same filters in the columns of an older version of the family.
TunedQuery InColumnsOf(const core::Family& version, const core::Family& family, TunedQuery query);

}  // namespace tunehub::server
