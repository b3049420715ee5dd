#include "server/service/tuned_tables.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/sha256.h"
#include "server/service/past_rows.h"
#include "server/service/table_narrowing.h"

namespace tunehub::service {
namespace {

// How long a reader waits for a commit of this server to reach the snapshot.
constexpr std::chrono::milliseconds kCatchUp{2'000};

// Family, point in time, encoding, query.
std::string CacheKey(const core::Family& family, const TunedQuery& query, std::int64_t version,
                     Encoding encoding) {
  std::string key = family.name;
  key.push_back('\x1e');
  key += std::to_string(version);
  key.push_back(static_cast<char>('0' + static_cast<int>(encoding)));
  key += query.allow_empty ? "+" : "-";
  key += query.canonical;
  return key;
}

}  // namespace

TunedTables::TunedTables(const Definitions& definitions, store::Store& store, Snapshots& snapshots,
                         FamilyVersions& versions, TunedTablesOptions options)
    : definitions_(definitions),
      store_(store),
      snapshots_(snapshots),
      versions_(versions),
      cache_(options.cache_bytes),
      side_cache_(options.side_cache_bytes) {}

std::optional<Served> TunedTables::Find(const core::Family& family, const TunedQuery& query,
                                        Encoding encoding) {
  if (query.chooses() || query.revision) return std::nullopt;
  const auto set = snapshots_.Current();
  const bool stale = snapshots_.stale();
  if (!stale && !snapshots_.UpToDate()) return std::nullopt;
  const auto& snapshot = set->families.at(definitions_.Id(family));
  auto table = cache_.Find(CacheKey(family, query, snapshot->revision, encoding));
  if (table == nullptr) return std::nullopt;
  return Served{std::move(table), set->revision, false, stale};
}

core::Result<Served> TunedTables::Get(const core::Family& family, const TunedQuery& query,
                                      Encoding encoding) {
  if (!snapshots_.stale()) snapshots_.WaitUpToDate(kCatchUp);
  const auto set = snapshots_.Current();
  const auto snapshot = set->families.at(definitions_.Id(family));
  const bool side = query.chooses() || query.revision.has_value();
  TableCache& cache = side ? side_cache_ : cache_;
  const std::int64_t version = query.revision    ? *query.revision
                               : query.chooses() ? Evidence(*set)
                                                 : snapshot->revision;
  const auto make = [&]() {
    return query.revision ? MakePast(family, query) : Make(family, query, *snapshot);
  };
  auto table = cache.Get(CacheKey(family, query, version, Encoding::kIdentity), make);
  if (table.ok() && encoding != Encoding::kIdentity) {
    const TableBytes& identity = **table;
    table = cache.Get(CacheKey(family, query, version, encoding),
                      [&]() -> core::Result<TableBytes> { return Encode(identity, encoding); });
  }
  if (!table.ok()) return table.error();
  return Served{*table, query.revision.value_or(set->revision), query.revision.has_value(),
                !query.revision && snapshots_.stale()};
}

core::Result<TableBytes> TunedTables::Make(const core::Family& family, const TunedQuery& query,
                                           const FamilySnapshot& snapshot) {
  const RowSet set = query.chooses() ? Choose(family, query) : RowSet{&family, snapshot.rows};
  return MakeNarrowed(set, query);
}

core::Result<TableBytes> TunedTables::MakeNarrowed(const RowSet& set, const TunedQuery& query) {
  if (!query.narrows()) return MakeTable(set, query);
  RowSet selected = Select(set, query);
  // The whole set has the targets that an empty answer names.
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
  if (table.ok()) table->pruned = narrowed->pruned;
  return table;
}

core::Result<TableBytes> TunedTables::MakePast(const core::Family& family,
                                               const TunedQuery& query) {
  const std::int16_t id = definitions_.Id(family);
  const auto past = store_.ReadPast(id, *query.revision);
  if (!past.ok()) return past.error();
  const auto version = versions_.Get(id, past->family_version);
  const RowSet set = PastRows(*version, id, *past, versions_, definitions_.targets);
  if (const core::Status status = CheckDigest(id, *past, set); !status.ok()) return status.error();
  return MakeNarrowed(set, query);
}

// A revision's bytes are for ever: their digest is kept from the first time they are rendered, and
// whatever would be served later under the same number must match it.
core::Status TunedTables::CheckDigest(std::int16_t family, const store::PastTable& past,
                                      const RowSet& set) {
  if (past.family_revision == 0) return core::Ok();
  TunedQuery everything;
  everything.allow_empty = true;
  const auto whole = MakeTable(set, everything);
  if (!whole.ok()) return whole.error();
  const std::string digest = core::Sha256Hex(*whole->body);
  if (past.body_sha256.empty()) {
    store_.StoreBodyDigest(family, past.family_revision, digest);
    return core::Ok();
  }
  if (past.body_sha256 == digest) return core::Ok();
  spdlog::error("revision {} of {} renders as {}, it was {}", past.family_revision,
                set.family->name, digest, past.body_sha256);
  return core::Error{"revision_damaged", "revision " + std::to_string(past.family_revision) +
                                             " of " + set.family->name +
                                             " no longer renders to the bytes it had"};
}

// What a choosing answer is of. Candidates grow without a revision to wait for, so the database is
// asked; while it is gone, the last answers stand.
std::int64_t TunedTables::Evidence(const SnapshotSet& set) {
  if (snapshots_.stale()) return set.evidence;
  try {
    return store_.ReadHeads().evidence;
  } catch (const store::Unavailable&) {
    return set.evidence;
  }
}

RowSet TunedTables::Choose(const core::Family& family, const TunedQuery& query) {
  const std::int16_t id = definitions_.Id(family);
  const auto allowed = [&](const core::Cells& cells) {
    return std::find(query.libtypes.begin(), query.libtypes.end(), cells[family.libtype]) !=
           query.libtypes.end();
  };
  return ChosenRows(family, id, store_.ReadCandidates(id), allowed, versions_,
                    definitions_.targets);
}

}  // namespace tunehub::service
