#include "server/service/tables/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/row/cell.h"
#include "core/row/row_target.h"
#include "core/table/table_writer.h"
#include "server/service/tables/past_rows.h"
#include "server/service/tables/run_choice.h"

namespace tunehub::service {
namespace {

// What the query's row filters look at.
TunedRow FilterRow(const store::CandidateRecord& candidate, const core::Family& family,
                   const core::Targets& targets, std::string& scratch) {
  const core::Cells cells = core::SplitLine(candidate.line, scratch);
  TunedRow row;
  row.line = candidate.line;
  core::Target target = core::TargetOf(family, targets, cells);
  row.gfx = std::move(target.gfx);
  row.cu_num = target.cu_num;
  row.engine_says = family.engine != core::kNoColumn;
  row.provider = candidate.provider;
  row.standing = candidate.contender.standing;
  return row;
}

std::size_t CountSelected(const core::Family& family, const TunedQuery& query,
                          const std::vector<store::CandidateRecord>& candidates,
                          const ChoiceContext& context) {
  std::string scratch, filter_scratch;
  const auto selected = [&](const store::CandidateRecord& candidate) {
    const auto version = context.versions.Get(context.family_id, candidate.family_version);
    if (version->source == family.source) {
      return IsSelected(FilterRow(candidate, family, context.targets, scratch), query,
                        filter_scratch);
    }
    store::CandidateRecord current = candidate;
    const auto row = Reread(*version, family, context.targets, candidate.line);
    if (!row) return false;
    current.line = row->line;
    return IsSelected(FilterRow(current, family, context.targets, scratch), query, filter_scratch);
  };
  return static_cast<std::size_t>(std::ranges::count_if(candidates, selected));
}

// Counts what the runs that the query leaves aside say of the keys that it selects, and what it
// chose among.
void NoteDemand(const core::Family& family, const TunedQuery& query, const RunChoice& runs,
                const std::vector<store::CandidateRecord>& matching, const ChoiceContext& context,
                Notes& notes) {
  store::MeasurementStore& measurements = context.store.measurements();
  const auto count = [&](const std::vector<store::CandidateRecord>& candidates) {
    return CountSelected(family, query, candidates, context);
  };
  const std::size_t unknown = count(measurements.ReadCandidates(context.family_id, runs.unknown));
  const std::size_t other = count(measurements.ReadCandidates(context.family_id, runs.other));
  const std::size_t took = count(matching);
  notes.headers.emplace_back("Tunehub-Unknown-Provenance", std::to_string(unknown));
  notes.headers.emplace_back(
      "Tunehub-Provenance", fmt::format("matching={}, unknown={}, other={}", took, unknown, other));
  notes.AddMember("unknown_provenance", unknown);
  notes.AddMember("provenance", {{"matching", took}, {"unknown", unknown}, {"other", other}});
}

using KeyOfProvider = std::pair<core::Hash128, registry::Provider>;

// Where the preferred runs measured a key, all else of it goes.
std::set<KeyOfProvider> Prefer(const std::vector<std::int64_t>& preferred,
                               const ChoiceContext& context,
                               std::vector<store::CandidateRecord>& candidates) {
  auto first = context.store.measurements().ReadCandidates(context.family_id, preferred);
  std::set<KeyOfProvider> keys;
  for (const auto& candidate : first) keys.emplace(candidate.key, candidate.provider);
  std::erase_if(candidates, [&](const auto& candidate) {
    return keys.contains({candidate.key, candidate.provider});
  });
  std::ranges::move(first, std::back_inserter(candidates));
  return keys;
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

ReadCandidates ChosenSet::Others() const {
  return [this](const std::vector<core::Hash128>& keys) {
    const std::set<core::Hash128> wanted(keys.begin(), keys.end());
    std::vector<store::CandidateRecord> found;
    std::ranges::copy_if(candidates, std::back_inserter(found),
                         [&](const auto& candidate) { return wanted.contains(candidate.key); });
    return found;
  };
}

core::Result<ChosenSet> Choose(const core::Family& family, const TunedQuery& query,
                               const ChoiceContext& context) {
  ChosenSet choice;
  Notes notes;
  std::set<KeyOfProvider> preferred;
  if (!query.of_runs()) {
    choice.candidates = context.store.measurements().ReadCandidates(context.family_id);
  } else {
    const auto runs = ChooseRuns(query, context.store, context.targets.devices());
    if (!runs.ok()) return runs.error();
    choice.candidates =
        context.store.measurements().ReadCandidates(context.family_id, runs->matching);
    if (!query.runs.empty()) NoteDemand(family, query, *runs, choice.candidates, context, notes);
    if (!query.preferred.empty()) preferred = Prefer(runs->preferred, context, choice.candidates);
  }
  const auto allowed = [&](const core::Cells& cells) {
    return query.libtypes.empty() ||
           std::ranges::find(query.libtypes, cells[family.libtype]) != query.libtypes.end();
  };
  choice.rows = ChosenRows(family, context.family_id, choice.candidates, allowed, context.versions,
                           context.targets);
  choice.rows.notes = std::move(notes);
  if (!query.preferred.empty()) NotePreferred(preferred, query, choice.rows);
  return choice;
}

MeasuredConfigs ConfigsOf(const core::Family& family,
                          const std::vector<store::CandidateRecord>& candidates,
                          const ChoiceContext& context) {
  MeasuredConfigs configs;
  const std::size_t column = family.Find("config");
  std::string scratch;
  for (const store::CandidateRecord& candidate : candidates) {
    if (candidate.contender.standing != core::Standing::kMeasured) continue;
    const auto version = context.versions.Get(context.family_id, candidate.family_version);
    std::string line = candidate.line;
    if (version->source != family.source) {
      const auto row = Reread(*version, family, context.targets, candidate.line);
      if (!row) continue;
      line = row->line;
    }
    const core::Cells cells = core::SplitLine(line, scratch);
    configs[candidate.key].push_back({std::string(cells[column]), candidate.contender.us});
  }
  return configs;
}

}  // namespace tunehub::service
