#include "server/service/tables/past_rows.h"

#include <map>

#include "core/row/cell.h"
#include "core/row/winner.h"
#include "core/table/table_writer.h"
#include "server/service/registry/stored_rows.h"

namespace tunehub::service {

RowSet PastRows(const core::Family& family, std::int16_t id, std::vector<store::PastRow> past,
                FamilyVersions& versions, const core::Targets& targets) {
  return {&family, RowsOfPast(family, id, std::move(past), versions, targets)};
}

RowSet ChosenRows(const core::Family& family, std::int16_t id,
                  std::vector<store::CandidateRecord> candidates,
                  const std::function<bool(const core::Cells&)>& allowed, FamilyVersions& versions,
                  const core::Targets& targets) {
  std::map<std::pair<core::Hash128, registry::Provider>, store::CandidateRecord*> best;
  std::string scratch;
  for (store::CandidateRecord& candidate : candidates) {
    const auto version = versions.Get(id, candidate.family_version);
    if (version->source != family.source) {
      auto row = Reread(*version, family, targets, candidate.line);
      if (!row) continue;
      candidate.line = std::move(row->line);
    }
    if (!allowed(core::SplitLine(candidate.line, scratch))) continue;
    store::CandidateRecord*& held = best[{candidate.key, candidate.provider}];
    if (held == nullptr || core::Beats(candidate.contender, held->contender)) held = &candidate;
  }
  RowSet set{&family, {}};
  for (const auto& [key, candidate] : best) {
    auto row = RowOfLine(family, targets, std::move(candidate->line), scratch);
    if (!row) continue;
    row->key = candidate->key;
    row->provider = candidate->provider;
    row->standing = candidate->contender.standing;
    set.rows.push_back(std::move(row));
  }
  SortRows(set.rows);
  return set;
}

}  // namespace tunehub::service
