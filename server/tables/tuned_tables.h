// The tuned tables: from a query to bytes, by way of the snapshots, the history and the caches.
#pragma once

#include <memory>
#include <optional>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/build_rows.h"
#include "server/tables/builds.h"
#include "server/tables/file_query.h"
#include "server/tables/past_tables.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Made tables by (family, query, revision, encoding).
using TableCache = Kept<TableBytes>;

class Heuristics;

struct Served {
  std::shared_ptr<const TableBytes> table;
  core::Pin revision;      // the registry's, that the table is of
  bool immutable = false;  // a past revision: these bytes for ever
  bool stale = false;      // the last snapshot: the database is gone, or not read yet
};

// The rows that a table is made of, before it is narrowed and written.
struct FoundRows {
  RowSet selected;  // what the query selects
  RowSet fitted;    // the same as its build can have them; without a build the same
  std::shared_ptr<const Build> build;   // null: none was named
  std::shared_ptr<const PastSet> past;  // of an old revision: holds the family of that time
  core::Pin revision;                   // the registry's, that the rows are of
};

class TunedTables {
 public:
  // `heuristics`: what fill= writes rows by; null: it cannot be asked for.
  TunedTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
              FamilyVersions& versions, std::size_t cache_bytes, Heuristics* heuristics);

  // From memory or not at all: for the reactor. Errors that are kept, too.
  std::optional<core::Result<Served>> Find(const core::Family& family, const TunedQuery& query,
                                           Encoding encoding);

  // May ask the database. Errors: those of MakeTable, Narrow and Fill, unknown_build,
  // unknown_revision, and revision_damaged where an old revision no longer has the bytes that were
  // served of it. Throws Unavailable, also where there seem to be no rows and an own commit has not
  // been read back yet.
  core::Result<Served> Get(const core::Family& family, const TunedQuery& query, Encoding encoding);

  // What Get makes its table of, never an error no_rows where there are none. Errors as of Get.
  // Precondition: the query chooses by its build alone, if at all.
  core::Result<FoundRows> Rows(const core::Family& family, const TunedQuery& query);

  // What a query's `build` may name.
  Builds& builds() { return builds_; }
  // A manifest under a name, unless the name would be served much less by it; `allow_shrink`: also
  // then, where an admin says so. Errors: those of Builds::Put, would_shrink.
  core::Result<PutBuild> Put(std::string_view name, std::string_view manifest, bool allow_shrink,
                             const Writer& by, std::vector<core::RowIssue>& issues);
  ParsedQueries& queries() { return queries_; }

  KeptCounters counters() const { return cache_.counters(); }
  KeptCounters past_counters() const { return past_cache_.counters(); }
  KeptCounters past_row_counters() const { return pasts_.counters(); }

 private:
  // Null where the query names none, as everywhere below.
  core::Result<std::shared_ptr<const Build>> BuildOf(const TunedQuery& query);
  std::string VersionOf(const TunedQuery& query, const SnapshotSet& set,
                        const FamilySnapshot& snapshot);
  TableCache& CacheOf(const TunedQuery& query);
  core::Result<TableBytes> MakeCurrent(const core::Family& family, const TunedQuery& query,
                                       const Build* build, const FamilySnapshot& snapshot);
  core::Result<TableBytes> MakePast(const core::Family& family, const TunedQuery& query,
                                    const Build* build);
  // Of the rows to select from; `candidates`: what competes for their keys.
  core::Result<TableBytes> MakeFitted(const RowSet& set, const TunedQuery& query,
                                      const Build* build, const ReadCandidates& candidates);
  core::Result<TableBytes> MakeNarrowed(const RowSet& set, const TunedQuery& query,
                                        const Build* build);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  Snapshots& snapshots_;
  FamilyVersions& versions_;
  Builds builds_;
  ParsedQueries queries_;
  Heuristics* const heuristics_;
  TableCache cache_;
  TableCache side_cache_;
  TableCache past_cache_;
  PastTables pasts_;
};

}  // namespace tunehub::server
