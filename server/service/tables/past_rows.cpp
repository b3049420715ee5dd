#include "server/service/tables/past_rows.h"

#include "core/row/cell.h"
#include "core/row/winner.h"
#include "core/table/table_writer.h"
#include "server/service/registry/stored_rows.h"

namespace tunehub::service {

RowSet PastRows(const core::Family& family, std::int16_t id, std::vector<store::PastRow> past,
                FamilyVersions& versions, const core::Targets& targets) {
  return {&family, RowsOfPast(family, id, std::move(past), versions, targets)};
}

void ChosenRows::Add(store::CandidateRecord candidate) {
  const auto version = versions_.Get(id_, candidate.family_version);
  if (version->source != family_.source) {
    auto row = Reread(*version, family_, targets_, candidate.line);
    if (!row) return;
    candidate.line = std::move(row->line);
  }
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

}  // namespace tunehub::service
