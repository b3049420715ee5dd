#include "server/tables/choice.h"

#include <fmt/core.h>

#include <algorithm>
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

// Error unknown_source. Throws Unavailable.
core::Result<RunChoice> ChooseRuns(const TunedQuery& query, ConnectionPool& pool,
                                   const core::Devices& devices) {
  RunChoice choice;
  for (const ProvenanceRecord& run : MeasurementStore(pool).ReadProvenance()) {
    const auto judge = [&](const ProvenanceFilter& filter) {
      return Judge(filter, run.provenance, run.started, devices);
    };
    const Provenance verdict = judge(query.runs);
    if (verdict == Provenance::kUnknown) choice.unknown.push_back(run.run);
    if (verdict == Provenance::kOther) choice.other.push_back(run.run);
    if (verdict != Provenance::kMatches) continue;
    choice.matching.push_back(run.run);
    if (query.preferred.empty()) continue;
    if (judge(query.preferred) == Provenance::kMatches) choice.preferred.push_back(run.run);
  }
  if (query.source.empty()) return choice;
  const auto in_force = MeasurementStore(pool).FindSource(query.source);
  if (!in_force.ok()) return in_force.error();
  for (auto* runs : {&choice.matching, &choice.preferred, &choice.unknown, &choice.other})
    std::erase_if(*runs, [&](std::int64_t run) { return run != *in_force; });
  return choice;
}

using KeyOfProvider = std::pair<core::Hash128, Provider>;

// The rows of the answer, of winners as the database says and of served rows in memory.
class BestRows {
 public:
  BestRows(const core::Family& family, const TunedQuery& query, const FamilySnapshot& snapshot,
           const Definitions& definitions, FamilyVersions& versions)
      : family_(family),
        query_(query),
        id_(snapshot.id),
        targets_(definitions.targets),
        versions_(versions) {
    for (const auto& row : snapshot.rows) served_.emplace(std::pair(row->key, row->provider), row);
  }

  void Add(BestRecord& best) {
    auto row = best.line ? RowOf(best) : Served(best);
    if (row == nullptr) return;
    row->key = best.key;
    row->provider = best.provider;
    row->standing = best.standing;
    row->trusted = best.rank == 0;
    rows_.push_back(std::move(row));
  }
  // The candidates, if the query selects their key; else 0.
  std::size_t CountOf(const BestRecord& best) {
    const auto row = Served(best);
    return row != nullptr && IsSelected(*row, query_, scratch_) ? best.count : 0;
  }
  // True if the key is one of a requested device's target.
  bool MayBeOfAsked(const BestRecord& best) const {
    const auto row = Served(best);
    return row != nullptr && std::ranges::any_of(query_.runs.devices, [&](const std::string& name) {
             const core::Device* const device = targets_.FindDevice(name);
             return device != nullptr &&
                    core::Target{device->gfx, device->cu_num}.Includes(row->gfx, row->cu_num);
           });
  }
  RowSet Done() {
    RowSet set{&family_, std::move(rows_)};
    SortRows(set.rows);
    return set;
  }

 private:
  std::shared_ptr<TunedRow> RowOf(BestRecord& best) {
    if (!versions_.Renew(family_, id_, best.family_version, targets_, *best.line)) return nullptr;
    return RowOfLine(family_, targets_, *std::move(best.line), scratch_);
  }
  // A copy: as one of some candidates it is no baseline. Null: the key is not served.
  std::shared_ptr<TunedRow> Served(const BestRecord& best) const {
    const auto found = served_.find({best.key, best.provider});
    if (found == served_.end()) return nullptr;
    auto row = std::make_shared<TunedRow>(*found->second);
    row->standing = core::Standing::kMeasured;
    row->baseline = false;
    return row;
  }

  const core::Family& family_;
  const TunedQuery& query_;
  const std::int16_t id_;
  const core::Targets& targets_;
  FamilyVersions& versions_;
  std::map<KeyOfProvider, std::shared_ptr<const TunedRow>> served_;
  std::vector<std::shared_ptr<const TunedRow>> rows_;
  std::string scratch_;
};

// More keys are read with all others.
constexpr std::size_t kNarrowKeys = 1'000;

BestWanted WantedOf(const core::Family& family, const TunedQuery& query,
                    const FamilySnapshot& snapshot, const Definitions& definitions,
                    ConnectionPool& pool, FamilyVersions& versions, const AllowCells& allowed) {
  BestWanted wanted{{}, query.max_err, {}, snapshot.change, query.measured_only};
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

// Refuses a table that would lack shape keys because their runs, such as imports of AITER's tables,
// name no device: the build would be untuned silently.
core::Status CheckDevice(const core::Family& family, const TunedQuery& query,
                         std::set<KeyOfProvider> unknown, const RowSet& rows) {
  if (query.runs.devices.empty() || query.allow_empty || query.fill) return core::Ok();
  for (const auto& row : rows.rows) unknown.erase({row->key, row->provider});
  if (unknown.empty()) return core::Ok();
  return core::Error{
      "device_not_said",
      fmt::format("device: {} keys of {} were measured by runs alone that name no device, and the "
                  "table would lack them; prefer=device={} takes their rows where nothing was "
                  "measured on it, and allow_empty=1 leaves them out",
                  unknown.size(), family.name, query.runs.devices.front())};
}

// Adds to the notes how many candidates matched, and how many the query left out for unknown or
// other provenance.
void NoteDemand(std::size_t took, std::size_t unknown, std::size_t other, Notes& notes) {
  notes.headers.emplace_back("Tunehub-Unknown-Provenance", std::to_string(unknown));
  notes.headers.emplace_back(
      "Tunehub-Provenance", fmt::format("matching={}, unknown={}, other={}", took, unknown, other));
  notes.AddMember("unknown_provenance", unknown);
  notes.AddMember("provenance", {{"matching", took}, {"unknown", unknown}, {"other", other}});
}

struct FoundBest {
  RowSet rows;
  std::set<KeyOfProvider> preferred;  // keys that preferred runs measured
  std::size_t took = 0;               // candidates of the matching runs
};

// Null `runs`: of all. On a key that preferred runs measured, only their candidates count.
FoundBest FindBest(MeasurementStore store, std::int16_t family, const BestWanted& wanted,
                   const RunChoice* runs, BestRows& rows) {
  FoundBest found;
  if (runs == nullptr) {
    store.VisitBest(family, wanted, [&](BestRecord& best) { rows.Add(best); });
  } else {
    store.VisitBest(family, runs->preferred, wanted, [&](BestRecord& best) {
      if (best.is_right) found.preferred.emplace(best.key, best.provider);
      if (best.fits) rows.Add(best);
    });
    store.VisitBest(family, runs->matching, wanted, [&](BestRecord& best) {
      found.took += rows.CountOf(best);
      if (best.fits && !found.preferred.contains({best.key, best.provider})) rows.Add(best);
    });
  }
  found.rows = rows.Done();
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
                    std::optional<RunChoice> runs) {
  return [&, runs = std::move(runs)](const auto& keys, const AllowCells& allowed) {
    const core::Family& family = *snapshot.family;
    BestWanted wanted = WantedOf(family, query, snapshot, definitions, pool, versions, allowed);
    wanted.keys = keys;
    BestRows rows(family, query, snapshot, definitions, versions);
    return FindBest(MeasurementStore(pool), snapshot.id, wanted, runs ? &*runs : nullptr, rows)
        .rows;
  };
}

core::Result<ChosenSet> Choose(const TunedQuery& query, const FamilySnapshot& snapshot,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions) {
  const core::Family& family = *snapshot.family;
  std::optional<RunChoice> runs;
  if (query.of_runs()) {
    auto chosen = ChooseRuns(query, pool, definitions.targets.devices());
    if (!chosen.ok()) return chosen.error();
    runs = *std::move(chosen);
  }
  const BestWanted wanted = WantedOf(family, query, snapshot, definitions, pool, versions,
                                     [](const auto&) { return true; });
  BestRows rows(family, query, snapshot, definitions, versions);
  MeasurementStore store(pool);
  FoundBest found = FindBest(store, snapshot.id, wanted, runs ? &*runs : nullptr, rows);
  ChosenSet choice{std::move(found.rows),
                   BestOthers(query, snapshot, definitions, pool, versions, runs)};
  if (!query.runs.empty()) {
    std::size_t unknown = 0, other = 0;
    std::set<KeyOfProvider> unknown_keys;
    store.VisitBest(snapshot.id, runs->unknown, wanted, [&](const BestRecord& best) {
      const std::size_t count = rows.CountOf(best);
      unknown += count;
      if (count > 0 && rows.MayBeOfAsked(best)) unknown_keys.emplace(best.key, best.provider);
    });
    store.VisitBest(snapshot.id, runs->other, wanted,
                    [&](const BestRecord& best) { other += rows.CountOf(best); });
    NoteDemand(found.took, unknown, other, choice.rows.notes);
    const auto said = CheckDevice(family, query, std::move(unknown_keys), choice.rows);
    if (!said.ok()) return said.error();
  }
  if (!query.preferred.empty()) NotePreferred(found.preferred, query, choice.rows);
  return choice;
}

}  // namespace tunehub::server
