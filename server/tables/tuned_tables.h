// Makes tuned tables: converts a query to bytes, with snapshots, history and caches.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/signature.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/build_rows.h"
#include "server/tables/builds.h"
#include "server/tables/parsed_queries.h"
#include "server/tables/past_tables.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Rendered tables by (family, query, revision, encoding).
using TableCache = Kept<TableBytes>;

class Heuristics;

struct Served {
  std::shared_ptr<const TableBytes> table;
  core::Pin revision;      // the registry's revision of the table
  bool immutable = false;  // true: a past revision, whose bytes never change
  bool stale = false;      // the table may lack changes that this server has not read yet
};

// The rows of a table before narrowing and rendering.
struct FoundRows {
  RowSet selected;  // the rows that the query selects
  // `selected`, changed so that the build can run it; without a build, equal to `selected`
  RowSet fitted;
  std::shared_ptr<const Build> build;   // null: the query names none
  std::shared_ptr<const PastSet> past;  // set for an old revision: owns its family
  core::Pin revision;                   // the registry's revision of the rows
};

class TunedTables {
 public:
  // `heuristics` makes the rows of fill=. If it is null, Get refuses fill=. `signing_key`: by
  // default, the hub signs nothing.
  TunedTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
              FamilyVersions& versions, std::size_t cache_bytes, Heuristics* heuristics,
              core::SecretKey signing_key = {});

  // Answers from memory only, so the reactor may call it. May answer with a cached error.
  std::optional<core::Result<Served>> Find(const core::Family& family, const TunedQuery& query,
                                           Encoding encoding);

  // Estimates from memory how many rows Get would read; 0: the answer is ready.
  std::size_t Cost(const core::Family& family, const TunedQuery& query);

  // May query the database. Errors: those of MakeTable, Narrow and Fill, unknown_build,
  // unknown_revision, revision_damaged (an old revision's bytes differ from those served). Throws
  // Unavailable, also if it finds no row while the server has not yet read its own last commit.
  core::Result<Served> Get(const core::Family& family, const TunedQuery& query, Encoding encoding);

  // Returns the rows from which Get makes its table. Returns empty rows instead of the error
  // no_rows. Other errors: those of Get. Precondition: the query does not choose among candidates,
  // except by its build.
  core::Result<FoundRows> Rows(const core::Family& family, const TunedQuery& query);

  // The builds that a query may name.
  Builds& builds() { return builds_; }
  // Stores a manifest under a name. Errors: would_shrink (the build would lose many rows, and no
  // admin has set `allow_shrink`); those of Builds::Put.
  core::Result<PutBuild> Put(std::string_view name, std::string_view manifest, bool allow_shrink,
                             const Writer& by, std::vector<core::RowIssue>& issues);
  ParsedQueries& queries() { return queries_; }
  const core::SecretKey& signing_key() const { return signing_key_; }

  KeptCounters counters() const { return cache_.counters(); }
  KeptCounters past_counters() const { return past_cache_.counters(); }
  KeptCounters past_row_counters() const { return pasts_.counters(); }

 private:
  // Returns null if the query names no build.
  core::Result<std::shared_ptr<const Build>> BuildOf(const TunedQuery& query);
  std::string VersionOf(const TunedQuery& query, const SnapshotSet& set,
                        const FamilySnapshot& snapshot);
  TableCache& CacheOf(const TunedQuery& query);
  core::Result<TableBytes> MakeCurrent(const core::Family& family, TunedQuery query,
                                       const Build* build, const FamilySnapshot& snapshot);
  core::Result<TableBytes> MakePast(const core::Family& family, const TunedQuery& query,
                                    const Build* build);
  // Makes a table of the set's rows. `others`: reads the best other rows of their keys.
  core::Result<TableBytes> MakeFitted(const RowSet& set, const TunedQuery& query,
                                      const Build* build, const ReadBest& others);
  core::Result<TableBytes> MakeNarrowed(const RowSet& set, const TunedQuery& query,
                                        const Build* build);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  Snapshots& snapshots_;
  FamilyVersions& versions_;
  Builds builds_;
  ParsedQueries queries_;
  Heuristics* const heuristics_;
  const core::SecretKey signing_key_;
  TableCache cache_;
  TableCache side_cache_;
  TableCache past_cache_;
  PastTables pasts_;
};

}  // namespace tunehub::server
