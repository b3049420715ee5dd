#include "server/tables/past_tables.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/row/row.h"
#include "server/snapshots/revision_store.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

namespace {

constexpr std::size_t kRowBytes = sizeof(TunedRow) + 64;  // without texts; 64: pointers, heap

// True if `asked`, a pin or a bare number, is the revision `known`.
bool IsAsked(const core::Pin& asked, const core::Pin& known) {
  if (known.number == 0 || !known.has_token()) return false;
  return asked == known || (!asked.has_token() && asked.number == known.number);
}

// Returns the only shape key that the query selects. Returns nothing if the query does not filter
// every key column.
std::optional<core::Hash128> WholeKey(const core::Family& family, const TunedQuery& query) {
  if (query.targets.size() != 1) return std::nullopt;
  const core::Target& target = query.targets.front();
  const std::string cus = std::to_string(target.cu_num);
  core::Cells cells(family.columns.size());
  std::size_t open = family.key_columns.size();
  const auto fill = [&](std::size_t column, std::string_view cell) {
    cells[column] = cell;
    --open;
  };
  if (!target.gfx.empty() && family.gfx != core::kNoColumn) fill(family.gfx, target.gfx);
  if (target.cu_num > 0 && family.cu_num != core::kNoColumn) fill(family.cu_num, cus);
  for (const ColumnFilter& filter : query.columns) {
    if (filter.values.size() != 1) return std::nullopt;
    fill(filter.column, filter.values.front());
  }
  if (open != 0) return std::nullopt;
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

// The shape keys in memory that the query may select. Absent: too many keys, or the query filters
// no column.
std::optional<std::vector<core::Hash128>> KeysOf(const FamilySnapshot& snapshot,
                                                 const TunedQuery& query) {
  if (query.columns.empty() || snapshot.version == 0 || snapshot.is_behind()) return std::nullopt;
  if (const auto key = WholeKey(*snapshot.family, query)) return std::vector{*key};
  std::vector<core::Hash128> keys;
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    if (!HasKeyOf(*snapshot.family, *row, query, scratch)) continue;
    if (keys.size() == kMostKeysByIndex) return std::nullopt;
    keys.push_back(row->key);
  }
  return keys;
}

std::shared_ptr<const PastSet> InFamily(const FamilySnapshot& snapshot) {
  return std::make_shared<const PastSet>(PastSet{nullptr, {snapshot.family, snapshot.rows}});
}

}  // namespace

std::size_t SizeOf(const PastSet& set) {
  std::size_t bytes = 0;
  for (const auto& row : set.rows.rows) {
    bytes += kRowBytes + row->line.capacity() + row->order.capacity();
  }
  return bytes;
}

TunedQuery InColumnsOf(const core::Family& version, const core::Family& family, TunedQuery query) {
  if (version.source == family.source) return query;
  std::vector<ColumnFilter> columns;
  for (ColumnFilter& filter : query.columns) {
    const core::Column& column = family.columns[filter.column];
    filter.column = version.Find(column.name);
    // A row that is older than the column counts as having the column's default.
    const bool lacks = filter.column == core::kNoColumn;
    if (lacks && std::ranges::find(filter.values, column.DefaultCell()) != filter.values.end())
      continue;
    if (lacks) filter = {0, {}};  // no row matches
    columns.push_back(std::move(filter));
  }
  query.columns = std::move(columns);
  return query;
}

PastTables::Found PastTables::Rows(const core::Family& family, const TunedQuery& query) {
  const auto set = snapshots_.Current();
  const FamilySnapshot& snapshot = *set->families.at(definitions_.Id(family));
  if (auto found = InMemory(*set, snapshot, *query.revision)) return *std::move(found);
  auto head = RevisionStore(pool_).ReadPastHead(definitions_.Id(family), *query.revision);
  if (!head.ok()) return head.error();
  snapshots_.Saw(head->revision);  // the answer is cached under the revision's number
  // True if neither the family's rows nor its columns have changed since that revision.
  const bool unchanged = head->family_revision.number != 0 &&
                         head->family_revision == snapshot.revision &&
                         versions_.Get(snapshot.id, head->family_version)->source == family.source;
  if (unchanged) return FoundPast{*std::move(head), InFamily(snapshot)};
  auto few = ByIndex(family, snapshot, query, *head);
  if (!few.ok()) return few.error();
  if (*few) return **std::move(few);
  return Built(family, *head, set->era);
}

// Answers without the database if the revision is the newest of the registry or of the family.
std::optional<FoundPast> PastTables::InMemory(const SnapshotSet& set,
                                              const FamilySnapshot& snapshot,
                                              const core::Pin& revision) {
  if (snapshot.version == 0 || snapshot.revision.number == 0) return std::nullopt;
  PastHead head;
  if (IsAsked(revision, set.revision) && !snapshot.is_behind())
    head.revision = set.revision;
  else if (IsAsked(revision, snapshot.revision))
    head.revision = snapshot.revision;
  else
    return std::nullopt;
  head.family_revision = snapshot.revision;
  head.family_version = snapshot.version;
  return FoundPast{std::move(head), InFamily(snapshot)};
}

core::Result<std::optional<FoundPast>> PastTables::ByIndex(const core::Family& family,
                                                           const FamilySnapshot& snapshot,
                                                           const TunedQuery& query,
                                                           const PastHead& head) {
  using Few = std::optional<FoundPast>;
  if (query.form) return Few();  // a file may borrow rows of other shape keys
  auto keys = KeysOf(snapshot, query);
  if (!keys) return Few();
  auto past = RevisionStore(pool_).ReadPast(
      snapshot.id, head.revision,
      {*std::move(keys), snapshot.revision, snapshot.change, kMostKeysByIndex});
  if (!past.ok()) return past.error();
  if (!*past) return Few();
  PastSet set = SetOf(family, **std::move(past));
  set.rows.part = true;
  return Few({head, std::make_shared<const PastSet>(std::move(set)), true});
}

PastTables::Found PastTables::Built(const core::Family& family, const PastHead& head, int era) {
  const std::string key = fmt::format("{} {} {} {}", family.name, head.family_revision.Text(),
                                      head.family_version, era);
  auto whole = whole_.Get(key, [&]() -> core::Result<PastSet> {
    auto past = RevisionStore(pool_).ReadPast(definitions_.Id(family), head.revision);
    if (!past.ok()) return past.error();
    const PastHead read = *past;
    PastSet set = SetOf(family, *std::move(past));
    TunedQuery everything;
    everything.allow_empty = true;
    const auto table = MakeTable(set.rows, everything);
    if (!table.ok()) return table.error();
    if (const auto status = CheckDigest(family, read, table->sha256); !status.ok())
      return status.error();
    return set;
  });
  if (!whole.ok()) return whole.error();
  return FoundPast{head, *std::move(whole), true};
}

PastSet PastTables::SetOf(const core::Family& family, PastTable past) {
  const std::int16_t id = definitions_.Id(family);
  PastSet set;
  set.version = versions_.Get(id, past.family_version);
  set.rows = {set.version.get(),
              RowsOfPast(*set.version, id, std::move(past.rows), versions_, definitions_.targets)};
  return set;
}

core::Status PastTables::Check(const core::Family& family, const FoundPast& found,
                               const std::string& digest) {
  if (found.checked) return core::Ok();
  try {
    const auto head =
        RevisionStore(pool_).ReadPastHead(definitions_.Id(family), found.head.family_revision);
    // If the revision is missing, the history was replaced, and the snapshots will read everything
    // again.
    return head.ok() ? CheckDigest(family, *head, digest) : core::Ok();
  } catch (const Unavailable& error) {
    spdlog::debug("the digest of revision {} was not checked: {}", found.head.revision.number,
                  error.what());
    return core::Ok();
  }
}

core::Status PastTables::CheckDigest(const core::Family& family, const PastHead& head,
                                     const std::string& digest) {
  if (head.family_revision.number == 0) return core::Ok();
  if (head.body_sha256.empty()) {
    RevisionStore(pool_).StoreBodyDigest(definitions_.Id(family), head.family_revision, digest);
    return core::Ok();
  }
  if (head.body_sha256 == digest) return core::Ok();
  spdlog::error("the table of revision {} of {} now has the digest {}, but its first digest was {}",
                head.family_revision.Text(), family.name, digest, head.body_sha256);
  return core::Error{"revision_damaged",
                     fmt::format("the table of revision {} of {} no longer has its first bytes",
                                 head.family_revision.number, family.name)};
}

}  // namespace tunehub::server
