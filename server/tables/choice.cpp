#include "server/tables/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/row/target.h"
#include "core/table/table_writer.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

// Errors: unknown_source. Throws Unavailable.
core::Result<RunClasses> ChooseRuns(const TunedQuery& query, ConnectionPool& pool,
                                    const core::Devices& devices) {
  RunClasses choice;
  for (const ProvenanceRecord& run : MeasurementStore(pool).ReadProvenance()) {
    const auto judge = [&](const ProvenanceFilter& filter) {
      return Judge(filter, run.provenance, run.started, devices);
    };
    const Provenance verdict = judge(query.runs);
    if (verdict == Provenance::kUnknown) choice[kUnknownRuns].push_back(run.run);
    if (verdict == Provenance::kOther) choice[kOtherRuns].push_back(run.run);
    if (verdict != Provenance::kMatches) continue;
    if (!query.any_run()) choice[kMatchingRuns].push_back(run.run);
    if (query.preferred.empty()) continue;
    if (judge(query.preferred) == Provenance::kMatches) choice[kPreferredRuns].push_back(run.run);
  }
  if (query.source.empty()) return choice;
  const auto in_force = MeasurementStore(pool).FindSource(query.source);
  if (!in_force.ok()) return in_force.error();
  for (auto& runs : choice) std::erase_if(runs, [&](std::int64_t run) { return run != *in_force; });
  return choice;
}

using KeyOfProvider = std::pair<core::Hash128, Provider>;

// Collects the rows of the answer: winners that the database returns, and served rows in memory.
class BestRows {
 public:
  BestRows(const core::Family& family, const TunedQuery& query, const FamilySnapshot& snapshot,
           const Definitions& definitions, FamilyVersions& versions)
      : family_(family),
        query_(query),
        id_(snapshot.id),
        targets_(definitions.targets),
        versions_(versions) {
    for (const auto& row : snapshot.rows)
      served_.emplace(std::pair(row->key, row->provider), row.get());
  }

  void Add(BestRecord& best) {
    const TunedRow* const served = best.line ? nullptr : Find(best);
    if (!best.line && served == nullptr) return;
    auto row = best.line ? RowOf(best) : AsCandidate(*served);
    if (row == nullptr) return;
    row->key = best.key;
    row->provider = best.provider;
    row->standing = best.standing;
    row->trusted = best.rank == 0;
    rows_.push_back(std::move(row));
  }
  // If the query allows the served row, this row is the best candidate that it allows.
  void Keep(const std::shared_ptr<const TunedRow>& served) {
    rows_.push_back(served->baseline ? AsCandidate(*served) : served);
  }
  // Returns the number of candidates if the query selects their key, else 0.
  std::size_t CountOf(const BestRecord& best) {
    const TunedRow* const row = Find(best);
    return row != nullptr && IsSelected(*row, query_, scratch_) ? best.count : 0;
  }
  // True if a requested device has the key's target.
  bool MayBeOfAsked(const BestRecord& best) const {
    const TunedRow* const row = Find(best);
    return row != nullptr && std::ranges::any_of(query_.runs.devices, [&](const std::string& name) {
             const core::Device* const device = targets_.FindDevice(name);
             return device != nullptr &&
                    core::Target{device->gfx, device->cu_num}.Includes(row->gfx, row->cu_num);
           });
  }
  RowSet Done() {
    RowSet set{&family_, std::move(rows_)};
    SortRows(set.rows);
    const auto same = [](const auto& a, const auto& b) {
      return a->key == b->key && a->provider == b->provider;
    };
    const auto [first, last] = std::ranges::unique(set.rows, same);
    set.rows.erase(first, last);
    return set;
  }

 private:
  std::shared_ptr<TunedRow> RowOf(BestRecord& best) {
    if (!versions_.Renew(family_, id_, best.family_version, targets_, *best.line)) return nullptr;
    return RowOfLine(family_, targets_, *std::move(best.line), scratch_);
  }
  // Returns a copy of the row that is not a baseline, because here the row is one of several
  // candidates.
  static std::shared_ptr<TunedRow> AsCandidate(const TunedRow& served) {
    auto row = std::make_shared<TunedRow>(served);
    row->baseline = false;
    return row;
  }
  // Null: the key is not served.
  const TunedRow* Find(const BestRecord& best) const {
    const auto found = served_.find({best.key, best.provider});
    return found == served_.end() ? nullptr : found->second;
  }

  const core::Family& family_;
  const TunedQuery& query_;
  const std::int16_t id_;
  const core::Targets& targets_;
  FamilyVersions& versions_;
  std::map<KeyOfProvider, const TunedRow*> served_;
  std::vector<std::shared_ptr<const TunedRow>> rows_;
  std::string scratch_;
};

// If a query selects more keys than this, the hub reads all keys.
constexpr std::size_t kNarrowKeys = 1'000;

BestWanted WantedOf(const core::Family& family, const TunedQuery& query,
                    const FamilySnapshot& snapshot, const Definitions& definitions,
                    ConnectionPool& pool, FamilyVersions& versions, const AllowCells& allowed) {
  // A snapshot that is behind has rows that are no longer served.
  const std::int64_t known = snapshot.is_behind() ? 0 : snapshot.change;
  BestWanted wanted{{}, query.max_err, {}, known, query.measured_only};
  std::string scratch;
  for (CandidateLine& it : MeasurementStore(pool).ReadCandidates(snapshot.id)) {
    if (!versions.Renew(family, snapshot.id, it.family_version, definitions.targets, it.line))
      continue;
    const core::Cells cells = core::SplitLine(it.line, scratch);
    if (IsAskedLibtype(family, query, cells) && allowed(cells))
      wanted.candidates.push_back(it.candidate);
  }
  if (query.columns.empty() && query.targets.empty()) return wanted;
  std::vector<core::Hash128> keys;
  for (const auto& row : snapshot.rows) {
    if (keys.size() <= kNarrowKeys && HasKeyOf(family, *row, query, scratch))
      keys.push_back(row->key);
  }
  if (keys.size() <= kNarrowKeys) wanted.keys = std::move(keys);
  return wanted;
}

// Refuses a table that would lack shape keys because their runs name no device (such as imports of
// AITER's tables). With the incomplete table, a build would lose tuned rows without a warning.
core::Status CheckDevice(const core::Family& family, const TunedQuery& query,
                         std::set<KeyOfProvider> unknown, const RowSet& rows) {
  if (query.runs.devices.empty() || query.allow_empty || query.fill) return core::Ok();
  for (const auto& row : rows.rows) unknown.erase({row->key, row->provider});
  if (unknown.empty()) return core::Ok();
  return core::Error{
      "device_not_said",
      fmt::format(
          "device: {} shape keys of {} were measured only by runs that name no device, so the "
          "table would lack these shape keys. To use their rows if nothing was measured on the "
          "device, pass prefer=device={}; to leave them out, pass allow_empty=1",
          unknown.size(), family.name, query.runs.devices.front())};
}

// Adds to the notes how many candidates matched, and how many the query left out for unknown or
// other provenance.
void NoteDemand(const std::array<std::size_t, kRunClasses>& counts, Notes& notes) {
  const std::size_t took = counts[kMatchingRuns], unknown = counts[kUnknownRuns];
  notes.headers.emplace_back("Tunehub-Unknown-Provenance", std::to_string(unknown));
  notes.headers.emplace_back("Tunehub-Provenance", fmt::format("matching={}, unknown={}, other={}",
                                                               took, unknown, counts[kOtherRuns]));
  notes.AddMember("unknown_provenance", unknown);
  notes.AddMember("provenance",
                  {{"matching", took}, {"unknown", unknown}, {"other", counts[kOtherRuns]}});
}

struct FoundBest {
  RowSet rows;
  std::set<KeyOfProvider> preferred;  // keys that preferred runs measured
  std::set<KeyOfProvider> unknown;    // keys of a requested device that unknown runs measured
  std::array<std::size_t, kRunClasses> counts{};  // candidates of the selected keys
};

// For a key that preferred runs measured, only the candidates of these runs count.
void AddBestOfRuns(BestByClass best, BestRows& rows, FoundBest& found) {
  for (BestRecord& it : best[kPreferredRuns]) {
    if (it.is_right) found.preferred.emplace(it.key, it.provider);
    if (it.fits) rows.Add(it);
  }
  for (std::size_t i = kMatchingRuns; i < kRunClasses; ++i) {
    for (BestRecord& it : best.at(i)) {
      const std::size_t count = rows.CountOf(it);
      found.counts.at(i) += count;
      if (i == kUnknownRuns && count > 0 && rows.MayBeOfAsked(it))
        found.unknown.emplace(it.key, it.provider);
      if (i == kMatchingRuns && it.fits && !found.preferred.contains({it.key, it.provider}))
        rows.Add(it);
    }
  }
}

// True if the row has a requested libtype, and no error of the row is above the query's limit.
bool IsAllowed(const core::Family& family, const TunedQuery& query, const TunedRow& row,
               std::string& scratch) {
  const core::Cells cells = core::SplitLine(row.line, scratch);
  return IsAskedLibtype(family, query, cells) &&
         (!query.max_err || std::ranges::all_of(family.error_columns, [&](std::size_t column) {
           const auto error = core::ParseNumber(cells[column]);
           return cells[column].empty() || (error && *error <= *query.max_err);
         }));
}

// Queries the database only for keys whose served row the query does not allow.
void AddBestOfAll(const FamilySnapshot& snapshot, const TunedQuery& query, BestWanted wanted,
                  MeasurementStore store, BestRows& rows, const FoundBest& found) {
  const auto is_preferred = [&](const auto& row) {
    return found.preferred.contains({row.key, row.provider});
  };
  if (!wanted.keys) {
    wanted.keys.emplace();
    std::string scratch;
    for (const auto& row : snapshot.rows) {
      if (is_preferred(*row)) continue;
      if (IsAllowed(*snapshot.family, query, *row, scratch))
        rows.Keep(row);
      else if (HasKeyOf(*snapshot.family, *row, query, scratch))
        wanted.keys->push_back(row->key);
    }
  }
  if (wanted.keys->empty()) return;
  for (BestRecord& it : store.ReadBest(snapshot.id, wanted)) {
    if (!is_preferred(it)) rows.Add(it);
  }
}

FoundBest FindBest(const FamilySnapshot& snapshot, const TunedQuery& query,
                   const BestWanted& wanted, const std::optional<RunClasses>& runs,
                   MeasurementStore store, BestRows& rows) {
  FoundBest found;
  if (runs) AddBestOfRuns(store.ReadBest(snapshot.id, wanted, *runs), rows, found);
  if (query.any_run()) AddBestOfAll(snapshot, query, wanted, store, rows, found);
  found.rows = rows.Done();
  found.rows.part = wanted.keys.has_value();
  return found;
}

void NotePreferred(const std::set<KeyOfProvider>& keys, const TunedQuery& query, RowSet& rows) {
  const RowSet selected = Select(rows, query);
  const auto from_preferred =
      static_cast<std::size_t>(std::ranges::count_if(selected.rows, [&](const auto& row) {
        return keys.contains({row->key, row->provider});
      }));
  const std::size_t others = selected.rows.size() - from_preferred;
  rows.notes.headers.emplace_back("Tunehub-Preferred",
                                  fmt::format("matching={}, others={}", from_preferred, others));
  rows.notes.AddMember("preferred", {{"matching", from_preferred}, {"others", others}});
}

}  // namespace

ReadBest BestOthers(const TunedQuery& query, const FamilySnapshot& snapshot,
                    const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                    std::optional<RunClasses> runs) {
  return [&, runs = std::move(runs)](const auto& keys, const AllowCells& allowed) {
    const core::Family& family = *snapshot.family;
    BestWanted wanted = WantedOf(family, query, snapshot, definitions, pool, versions, allowed);
    wanted.keys = keys;
    BestRows rows(family, query, snapshot, definitions, versions);
    return FindBest(snapshot, query, wanted, runs, MeasurementStore(pool), rows).rows;
  };
}

core::Result<ChosenSet> Choose(const TunedQuery& query, const FamilySnapshot& snapshot,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions) {
  const core::Family& family = *snapshot.family;
  std::optional<RunClasses> runs;
  if (query.of_runs()) {
    auto chosen = ChooseRuns(query, pool, definitions.targets.devices());
    if (!chosen.ok()) return chosen.error();
    runs = *std::move(chosen);
  }
  const BestWanted wanted = WantedOf(family, query, snapshot, definitions, pool, versions,
                                     [](const auto&) { return true; });
  BestRows rows(family, query, snapshot, definitions, versions);
  FoundBest found = FindBest(snapshot, query, wanted, runs, MeasurementStore(pool), rows);
  ChosenSet choice{std::move(found.rows),
                   BestOthers(query, snapshot, definitions, pool, versions, runs)};
  if (!query.runs.empty()) {
    NoteDemand(found.counts, choice.rows.notes);
    const auto said = CheckDevice(family, query, std::move(found.unknown), choice.rows);
    if (!said.ok()) return said.error();
  }
  if (!query.preferred.empty()) NotePreferred(found.preferred, query, choice.rows);
  return choice;
}

}  // namespace tunehub::server
