#include "server/service/tables/choice.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/row/cell.h"
#include "core/row/row_target.h"
#include "core/table/table_writer.h"
#include "server/service/tables/past_rows.h"

namespace tunehub::service {
namespace {

struct Runs {
  std::vector<std::int64_t> matching, unknown;
};

Runs ReadRuns(const registry::ProvenanceFilter& filter, store::Store& store) {
  Runs runs;
  for (const store::ProvenanceRecord& run : store.measurements().ReadProvenance()) {
    const registry::Provenance verdict = registry::Judge(filter, run.provenance, run.started);
    if (verdict == registry::Provenance::kMatches) runs.matching.push_back(run.run);
    if (verdict == registry::Provenance::kUnknown) runs.unknown.push_back(run.run);
  }
  return runs;
}

// The runs that the query takes measurements of. Error unknown_source.
core::Result<Runs> RunsOf(const TunedQuery& query, store::Store& store) {
  Runs runs = ReadRuns(query.runs, store);
  if (query.source.empty()) return runs;
  const auto in_force = store.runs().FindSource(query.source);
  if (!in_force.ok()) return in_force.error();
  const auto others = [&](std::int64_t run) { return run != *in_force; };
  std::erase_if(runs.matching, others);
  std::erase_if(runs.unknown, others);
  return runs;
}

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

Notes NotesOf(std::size_t unknown) {
  Notes notes;
  notes.headers.emplace_back("Tunehub-Unknown-Provenance", std::to_string(unknown));
  notes.AddMember("unknown_provenance", unknown);
  return notes;
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
  if (!query.of_runs()) {
    choice.candidates = context.store.measurements().ReadCandidates(context.family_id);
  } else {
    const auto runs = RunsOf(query, context.store);
    if (!runs.ok()) return runs.error();
    choice.candidates =
        context.store.measurements().ReadCandidates(context.family_id, runs->matching);
    if (!query.runs.empty()) {
      const auto unknown =
          context.store.measurements().ReadCandidates(context.family_id, runs->unknown);
      notes = NotesOf(CountSelected(family, query, unknown, context));
    }
  }
  const auto allowed = [&](const core::Cells& cells) {
    return query.libtypes.empty() ||
           std::ranges::find(query.libtypes, cells[family.libtype]) != query.libtypes.end();
  };
  choice.rows = ChosenRows(family, context.family_id, choice.candidates, allowed, context.versions,
                           context.targets);
  choice.rows.notes = std::move(notes);
  return choice;
}

}  // namespace tunehub::service
