#include "server/tables/tuned_tables.h"

#include <fmt/core.h>

#include "core/base/encoding.h"
#include "server/snapshots/revision_store.h"
#include "server/tables/choice.h"
#include "server/tables/heuristics.h"
#include "server/tables/table_narrowing.h"
#include "server/tables/tuned_options.h"

namespace tunehub::server {
namespace {

// The size of the cache for answers to queries that choose among candidates. Clients can send many
// different queries. The cache has room for several tables of the largest families, so that a new
// answer does not evict an answer that other clients read.
constexpr std::size_t kSideCacheBytes = 64 * 1024 * 1024;
// For old revisions: the limit of rows, and the limit of answers.
constexpr std::size_t kPastBytes = 32 * 1024 * 1024;

// Errors that stay the same until the data changes.
std::vector<std::string_view> KeptErrors() {
  return {"no_rows", "legacy_ambiguous", "legacy_unsupported", "device_not_said"};
}

// The cache key: family, `version` (revision or writes, with token), encoding, query. It includes
// allow_empty, which decides between a table and an error. query.canonical leaves allow_empty out,
// because it changes no byte of a table.
std::string CacheKey(const core::Family& family, const TunedQuery& query, std::string_view version,
                     Encoding encoding) {
  std::string key = family.name;
  key.push_back('\x1e');
  key += version;
  key.push_back(static_cast<char>('0' + static_cast<int>(encoding)));
  key += query.allow_empty ? "+" : "-";
  key += query.canonical;
  return key;
}

// Contains both revisions, because the rows in memory may be older than the evidence if another
// server has just committed.
std::string VersionOfChoice(const core::Pin& evidence, const FamilySnapshot& snapshot) {
  return evidence.Text() + " " + snapshot.revision.Text();
}

// The revision of an answer from memory: the newest, unless the family is behind.
const core::Pin& RevisionOf(const SnapshotSet& set, const FamilySnapshot& snapshot) {
  return snapshot.is_behind() ? snapshot.revision : set.revision;
}

Served ServedOf(std::shared_ptr<const TableBytes> table, const TunedQuery& query,
                const SnapshotSet& set, const FamilySnapshot& snapshot, bool stale) {
  core::Pin revision = table->past.value_or(RevisionOf(set, snapshot));
  return {std::move(table), std::move(revision), query.revision && query.revision->has_token(),
          !query.revision && (stale || snapshot.is_behind())};
}

}  // namespace

TunedTables::TunedTables(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots,
                         FamilyVersions& versions, std::size_t cache_bytes, Heuristics* heuristics,
                         core::SecretKey signing_key)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      versions_(versions),
      builds_(definitions.families, pool),
      queries_(definitions),
      heuristics_(heuristics),
      signing_key_(std::move(signing_key)),
      cache_(cache_bytes, KeptErrors()),
      side_cache_(kSideCacheBytes, KeptErrors()),
      past_cache_(kPastBytes, KeptErrors()),
      pasts_(definitions, pool, snapshots, versions, kPastBytes) {}

TableCache& TunedTables::CacheOf(const TunedQuery& query) {
  if (query.revision) return past_cache_;
  return query.chooses() ? side_cache_ : cache_;
}

// The version in the cache key. It includes the era, because a bare number may name another
// revision after a restore. Choices among candidates change without a revision, so the family's
// evidence is their version. If the database does not respond, the last answers stay valid.
std::string TunedTables::VersionOf(const TunedQuery& query, const SnapshotSet& set,
                                   const FamilySnapshot& snapshot) {
  if (query.revision) return fmt::format("{}@{}", query.revision->Text(), set.era);
  return query.chooses() ? VersionOfChoice(snapshots_.Evidence(snapshot.id), snapshot)
                         : snapshot.revision.Text();
}

std::optional<core::Result<Served>> TunedTables::Find(const core::Family& family,
                                                      const TunedQuery& query, Encoding encoding) {
  const bool stale = snapshots_.stale();
  if (query.build || (query.chooses() && !stale && !snapshots_.KnowsEvidence()))
    return std::nullopt;
  const auto set = snapshots_.Current();
  if (!query.revision && !stale && !snapshots_.IsUpToDate(*set)) return std::nullopt;
  const auto& snapshot = set->families.at(definitions_.Id(family));
  const std::string version = query.chooses()
                                  ? VersionOfChoice(set->EvidenceOf(snapshot->id), *snapshot)
                                  : VersionOf(query, *set, *snapshot);
  TableCache& cache = CacheOf(query);
  auto made = cache.FindMade(CacheKey(family, query, version, encoding));
  // The cache contains each error once, with the encoding kIdentity.
  if (!made && encoding != Encoding::kIdentity) {
    made = cache.FindMade(CacheKey(family, query, version, Encoding::kIdentity));
    if (made && made->ok()) return std::nullopt;
  }
  if (!made) return std::nullopt;
  if (!made->ok()) {
    // This server may have committed rows that it has not read back yet.
    if (!query.revision && !snapshots_.IsUpToDate(*set)) return std::nullopt;
    return made->error();
  }
  return ServedOf(**made, query, *set, *snapshot, stale);
}

std::size_t TunedTables::Cost(const core::Family& family, const TunedQuery& query) {
  const auto set = snapshots_.Current();
  const auto& snapshot = set->families.at(definitions_.Id(family));
  const core::Pin evidence = set->EvidenceOf(snapshot->id);
  const std::string version =
      query.chooses() ? VersionOfChoice(evidence, *snapshot) : snapshot->revision.Text();
  const std::string key = CacheKey(family, query, version, Encoding::kIdentity);
  if (!query.build && !query.revision && CacheOf(query).FindMade(key)) return 0;
  if (query.among_candidates() || query.fill) return static_cast<std::size_t>(evidence.number);
  return query.revision ? snapshot->rows.size() : 0;
}

core::Result<PutBuild> TunedTables::Put(std::string_view name, std::string_view manifest,
                                        bool allow_shrink, const Writer& by,
                                        std::vector<core::RowIssue>& issues) {
  snapshots_.WaitUpToDate();
  const auto set = snapshots_.Current();
  const ManifestGuard guard = [&](const auto& before, const auto& after) {
    return CheckBuildShrinkage(definitions_, *set, std::string(name), before, after);
  };
  return builds_.Put(name, manifest, by, issues,
                     allow_shrink && by.admin ? ManifestGuard() : guard);
}

core::Result<std::shared_ptr<const Build>> TunedTables::BuildOf(const TunedQuery& query) {
  if (!query.build) return std::shared_ptr<const Build>();
  return builds_.Find(*query.build);
}

core::Result<Served> TunedTables::Get(const core::Family& family, const TunedQuery& query,
                                      Encoding encoding) {
  snapshots_.WaitUpToDate();
  const auto set = snapshots_.Current();
  const auto snapshot = set->families.at(definitions_.Id(family));
  if (snapshot->is_unreadable() && !query.revision) {
    return core::Error{
        "definitions_changed",
        family.name + ": the family file in the database differs from this server's"};
  }
  const auto found = BuildOf(query);
  if (!found.ok()) return found.error();
  const Build* const build = found->get();
  TableCache& cache = CacheOf(query);
  const std::string version = VersionOf(query, *set, *snapshot);
  // The cache key contains the digest, because the name may get another manifest.
  const std::string of_build = build == nullptr ? "" : build->name.sha256;
  const auto key = [&](Encoding it) { return CacheKey(family, query, version, it) + of_build; };
  const auto make = [&]() {
    return query.revision ? MakePast(family, query, build)
                          : MakeCurrent(family, query, build, *snapshot);
  };
  auto table = cache.Get(key(Encoding::kIdentity), make);
  // This server may have committed rows that it has not read back yet.
  if (!table.ok() && table.error().code == "no_rows" && !query.revision &&
      !snapshots_.IsUpToDate(*set)) {
    throw Unavailable("this server has not yet read its own last write");
  }
  if (table.ok() && encoding != Encoding::kIdentity) {
    const TableBytes& identity = **table;
    table = cache.Get(key(encoding),
                      [&]() -> core::Result<TableBytes> { return Encode(identity, encoding); });
  }
  if (!table.ok()) return table.error();
  return ServedOf(*table, query, *set, *snapshot, snapshots_.MayLack(*set));
}

core::Result<FoundRows> TunedTables::Rows(const core::Family& family, const TunedQuery& query) {
  snapshots_.WaitUpToDate();
  const auto set = snapshots_.Current();
  const auto& snapshot = set->families.at(definitions_.Id(family));
  auto build = BuildOf(query);
  if (!build.ok()) return build.error();
  FoundRows found;
  found.build = *std::move(build);
  found.revision = RevisionOf(*set, *snapshot);
  RowSet all{&family, snapshot->rows};
  TunedQuery then = query;
  ReadBest others = BestOthers(query, *snapshot, definitions_, pool_, versions_);
  if (query.revision) {
    const auto past = pasts_.Rows(family, query);
    if (!past.ok()) return past.error();
    found.past = past->set;
    found.revision = past->head.revision;
    all = past->set->rows;
    then = InColumnsOf(*all.family, family, query);
    others = {};
  }
  then.allow_empty = true;
  found.selected = found.fitted = Select(all, then);
  if (found.build == nullptr) return found;
  versions_.Learn(definitions_.Id(family));
  auto fitted = FitRows(all, then, *found.build, others);
  if (!fitted.ok()) return fitted.error();
  found.fitted = *std::move(fitted);
  return found;
}

core::Result<TableBytes> TunedTables::MakeCurrent(const core::Family& family, TunedQuery query,
                                                  const Build* build,
                                                  const FamilySnapshot& snapshot) {
  query.at = snapshot.revision;
  if (query.among_candidates() || build != nullptr) versions_.Learn(snapshot.id);
  if (!query.among_candidates())
    return MakeFitted({&family, snapshot.rows}, query, build,
                      BestOthers(query, snapshot, definitions_, pool_, versions_));
  const auto choice = Choose(query, snapshot, definitions_, pool_, versions_);
  if (!choice.ok()) return choice.error();
  return MakeFitted(choice->rows, query, build, choice->others);
}

core::Result<TableBytes> TunedTables::MakePast(const core::Family& family, const TunedQuery& query,
                                               const Build* build) {
  const auto past = pasts_.Rows(family, query);
  if (!past.ok()) return past.error();
  const RowSet& set = past->set->rows;
  TunedQuery then = InColumnsOf(*set.family, family, query);
  then.at = past->head.revision;
  auto table = MakeFitted(set, then, build, {});
  if (!table.ok()) return table;
  // Only the whole table of a revision has a stored digest to check.
  TunedQuery everything;
  everything.revision = query.revision;
  everything.asked = query.asked;
  if (query.canonical == CanonicalText(everything)) {
    if (const core::Status status = pasts_.Check(family, *past, table->sha256); !status.ok())
      return status.error();
  }
  table->past = past->head.revision;
  if (signing_key_.any() && !query.asked.empty() && query.revision->has_token()) {
    table->headers.emplace_back(
        "Tunehub-Signature",
        core::Base64(SignAnswer(signing_key_, *query.revision, query.asked, *table->body)));
  }
  return table;
}

core::Result<TableBytes> TunedTables::MakeFitted(const RowSet& set, const TunedQuery& query,
                                                 const Build* build, const ReadBest& others) {
  std::optional<RowSet> fitted;
  if (build != nullptr) {
    auto rows = FitRows(set, query, *build, others);
    if (!rows.ok()) return rows.error();
    fitted = *std::move(rows);
  }
  auto table = MakeNarrowed(fitted ? *fitted : set, query, build);
  if (!query.measured_only || !table.ok()) return table;
  table->headers.emplace_back("Tunehub-Unmeasured-Left-Out",
                              std::to_string(CountUnmeasured(set, query)));
  return table;
}

core::Result<TableBytes> TunedTables::MakeNarrowed(const RowSet& set, const TunedQuery& query,
                                                   const Build* build) {
  if (query.form) return MakeFiles(set, query, signing_key_);
  if (!query.narrows()) return MakeTable(set, query);
  RowSet selected = Select(set, query);
  Filled filled;
  if (query.fill) {
    const auto added = Fill(selected, query, definitions_, heuristics_,
                            build == nullptr ? nullptr : &build->manifest);
    if (!added.ok()) return added.error();
    filled = *added;
  }
  // Uses the whole set, because the error lists all targets with rows.
  if (selected.rows.empty() && !query.allow_empty && query.require == Require::kNothing) {
    return MakeTable(set, query);
  }
  const auto narrowed = Narrow(std::move(selected), query, definitions_);
  if (!narrowed.ok()) return narrowed.error();
  if (narrowed->uncovered != nullptr) {
    TableBytes refused;
    refused.body = std::make_shared<const std::string>();
    refused.uncovered = narrowed->uncovered;
    return refused;
  }
  auto table = MakeTable(narrowed->set, query);
  if (table.ok()) {
    table->pruned = narrowed->pruned;
    if (query.fill) table->filled = filled.rows;
    table->unfilled = filled.left_out;
  }
  return table;
}

}  // namespace tunehub::server
