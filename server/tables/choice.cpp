#include "server/tables/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/row/target.h"
#include "core/table/table_writer.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

void ChosenRows::Add(CandidateRecord candidate) {
  if (!versions_.Renew(family_, id_, candidate.family_version, targets_, candidate.line)) return;
  if (!allowed_(core::SplitLine(candidate.line, scratch_))) return;
  const std::pair place(candidate.key, candidate.provider);
  const auto held = best_.find(place);
  if (held == best_.end())
    best_.emplace(place, std::move(candidate));
  else if (core::Beats(candidate.contender, held->second.contender))
    held->second = std::move(candidate);
}

RowSet ChosenRows::Done() {
  RowSet set{&family_, {}};
  for (auto& [key, candidate] : best_) {
    auto row = RowOfLine(family_, targets_, std::move(candidate.line), scratch_);
    if (!row) continue;
    row->key = candidate.key;
    row->provider = candidate.provider;
    row->standing = candidate.contender.standing;
    row->trusted = candidate.contender.rank == 0;
    set.rows.push_back(std::move(row));
  }
  best_.clear();
  SortRows(set.rows);
  return set;
}

namespace {

// The runs of a query, by their provenance.
struct RunChoice {
  std::vector<std::int64_t> matching;        // runs that match the filter
  std::vector<std::int64_t> preferred;       // those of `matching` that the query prefers
  std::vector<std::int64_t> unknown, other;  // Provenance::kUnknown, Provenance::kOther
};

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

// Counts candidates that pass the query's row filters. Keeps the shape keys of those that a
// requested device may have measured.
class SelectedCounter {
 public:
  SelectedCounter(const core::Family& family, const TunedQuery& query,
                  const Definitions& definitions, FamilyVersions& versions)
      : family_(family),
        id_(definitions.Id(family)),
        targets_(definitions.targets),
        versions_(versions),
        query_(query) {}

  void Add(const CandidateRecord& candidate) {
    std::string line = candidate.line;
    if (!versions_.Renew(family_, id_, candidate.family_version, targets_, line)) return;
    const auto row = RowOfLine(family_, targets_, std::move(line), scratch_);
    if (row == nullptr) return;
    row->provider = candidate.provider;
    row->standing = candidate.contender.standing;
    if (!IsSelected(*row, query_, scratch_)) return;
    ++count_;
    if (MayBeOfAsked(*row)) keys_.emplace(candidate.key, candidate.provider);
  }
  std::size_t count() const { return count_; }
  const std::set<KeyOfProvider>& keys() const { return keys_; }

 private:
  // True if the row's target is the target of a requested device.
  bool MayBeOfAsked(const TunedRow& row) const {
    return std::ranges::any_of(query_.runs.devices, [&](const std::string& name) {
      const core::Device* const device = targets_.FindDevice(name);
      return device != nullptr &&
             core::Target{device->gfx, device->cu_num}.Includes(row.gfx, row.cu_num);
    });
  }

  const core::Family& family_;
  const std::int16_t id_;
  const core::Targets& targets_;
  FamilyVersions& versions_;
  const TunedQuery& query_;
  std::string scratch_;
  std::size_t count_ = 0;
  std::set<KeyOfProvider> keys_;
};

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

// The candidates of a choice: all, or those of the chosen runs. If preferred runs measured a shape
// key, only their candidates of that key.
class Among {
 public:
  Among(ConnectionPool& pool, std::int16_t family, const TunedQuery& query,
        std::optional<RunChoice> runs)
      : pool_(pool), id_(family), max_err_(query.max_err), runs_(std::move(runs)) {}

  // `of_matching` gets each candidate of the matching runs, chosen or not.
  void Visit(const VisitCandidate& take, const VisitCandidate& of_matching) {
    MeasurementStore measurements(pool_);
    const VisitCandidate visit = RightEnough(take);
    if (!runs_) return measurements.VisitCandidates(id_, visit);
    measurements.VisitCandidates(id_, runs_->preferred, [&](CandidateRecord& candidate) {
      if (IsWrong(candidate)) return;
      preferred_.emplace(candidate.key, candidate.provider);
      take(candidate);
    });
    measurements.VisitCandidates(id_, runs_->matching, [&](CandidateRecord& candidate) {
      of_matching(candidate);
      if (!preferred_.contains({candidate.key, candidate.provider})) visit(candidate);
    });
  }

  // Visits, at a later time, the chosen candidates of some shape keys.
  ReadCandidates OfKeys() const {
    return [self = *this](const auto& keys, const auto& visit) mutable {
      if (!self.runs_) {
        return MeasurementStore(self.pool_).VisitCandidates(keys, self.RightEnough(visit));
      }
      const std::set<core::Hash128> wanted(keys.begin(), keys.end());
      const auto of_wanted = [&](CandidateRecord& candidate) {
        if (wanted.contains(candidate.key)) visit(candidate);
      };
      self.Visit(of_wanted, [](const auto&) {});
    };
  }

  const std::set<KeyOfProvider>& preferred() const { return preferred_; }

 private:
  // A candidate without an error passes: nobody has compared it with a reference.
  bool IsWrong(const CandidateRecord& candidate) const {
    return max_err_ && candidate.contender.error > *max_err_;
  }
  VisitCandidate RightEnough(const VisitCandidate& visit) const {
    return [this, &visit](CandidateRecord& candidate) {
      if (!IsWrong(candidate)) visit(candidate);
    };
  }

  ConnectionPool& pool_;
  std::int16_t id_;
  std::optional<double> max_err_;
  std::optional<RunChoice> runs_;
  std::set<KeyOfProvider> preferred_;
};

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

core::Result<ChosenSet> Choose(const core::Family& family, const TunedQuery& query,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions) {
  const std::int16_t id = definitions.Id(family);
  std::optional<RunChoice> runs;
  if (query.of_runs()) {
    auto chosen = ChooseRuns(query, pool, definitions.targets.devices());
    if (!chosen.ok()) return chosen.error();
    runs = *std::move(chosen);
  }
  Among among(pool, id, query, runs);
  ChosenRows chosen(family, definitions, versions,
                    [&](const core::Cells& cells) { return IsAskedLibtype(family, query, cells); });
  SelectedCounter took(family, query, definitions, versions);
  among.Visit([&](CandidateRecord& candidate) { chosen.Add(std::move(candidate)); },
              [&](const CandidateRecord& candidate) {
                if (!query.runs.empty()) took.Add(candidate);
              });
  ChosenSet choice{chosen.Done(), among.OfKeys()};
  if (!query.runs.empty()) {
    SelectedCounter unknown(family, query, definitions, versions), other = unknown;
    MeasurementStore store(pool);
    store.VisitCandidates(id, runs->unknown, [&](const auto& it) { unknown.Add(it); });
    store.VisitCandidates(id, runs->other, [&](const auto& it) { other.Add(it); });
    NoteDemand(took.count(), unknown.count(), other.count(), choice.rows.notes);
    const auto said = CheckDevice(family, query, unknown.keys(), choice.rows);
    if (!said.ok()) return said.error();
  }
  if (!query.preferred.empty()) NotePreferred(among.preferred(), query, choice.rows);
  return choice;
}

}  // namespace tunehub::server
