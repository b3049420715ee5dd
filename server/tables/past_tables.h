// The rows of old revisions: from memory where nothing changed since, a few of them by the indexes
// of the database, else the whole table, which is built once and kept for a while.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/revision_records.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/measurement_store.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Of each key and provider the best candidate whose cells are `allowed`, of those that come one
// after the other.
class ChosenRows {
 public:
  ChosenRows(const core::Family& family, const Definitions& definitions, FamilyVersions& versions,
             std::function<bool(const core::Cells&)> allowed)
      : family_(family),
        id_(definitions.Id(family)),
        targets_(definitions.targets),
        versions_(versions),
        allowed_(std::move(allowed)) {}

  void Add(CandidateRecord candidate);
  // Once, at the end.
  RowSet Done();

 private:
  const core::Family& family_;
  const std::int16_t id_;
  const core::Targets& targets_;
  FamilyVersions& versions_;
  const std::function<bool(const core::Cells&)> allowed_;
  std::map<std::pair<core::Hash128, Provider>, CandidateRecord> best_;
  std::string scratch_;
};

// Rows that are found key by key; of more, the whole table is built.
inline constexpr std::size_t kMostKeysByIndex = 1'000;

struct PastSet {
  std::shared_ptr<const core::Family> version;  // that the rows refer to, where it is an old one
  RowSet rows;
};
std::size_t SizeOf(const PastSet& set);

struct FoundPast {
  PastHead head;
  std::shared_ptr<const PastSet> set;
  bool checked = false;  // against the digest
};

class PastTables {
 public:
  // `budget_bytes`: for whole tables.
  PastTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
             FamilyVersions& versions, std::size_t budget_bytes)
      : definitions_(definitions),
        pool_(pool),
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
