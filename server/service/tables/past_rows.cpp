#include "server/service/tables/past_rows.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "core/row/winner.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

void SortRows(RowSet& set) {
  std::sort(set.rows.begin(), set.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a->order, a->provider) < std::tie(b->order, b->provider);
  });
}

std::shared_ptr<TunedRow> ToTunedRow(core::Row row) {
  auto tuned = std::make_shared<TunedRow>();
  tuned->key = row.key;
  tuned->order = std::move(row.order);
  tuned->line = std::move(row.line);
  tuned->gfx = std::move(row.gfx);
  tuned->cu_num = row.cu_num;
  tuned->us = row.us;
  return tuned;
}

// Reads the lines of one version at once: a table of them has the version's own header.
std::vector<core::Row> ReadLines(const core::Family& from, const core::Family& to,
                                 const core::Targets& targets,
                                 const std::vector<const store::PastRow*>& past) {
  std::string table = from.Header(true) + "\n";
  for (const store::PastRow* row : past) table.append(row->line).push_back('\n');
  auto read = core::ReadTunedTable(to, targets, table,
                                   {.max_rows = past.size(), .error_limit = {}, .warnings = false});
  if (!read.ok()) throw std::runtime_error(read.error().detail);
  if (read->rows.size() != past.size()) {
    throw std::runtime_error(to.name + ": a stored line does not fit its family");
  }
  return std::move(read->rows);
}

}  // namespace

RowSet PastRows(const core::Family& family, std::int16_t id, const store::PastTable& past,
                FamilyVersions& versions, const core::Targets& targets) {
  std::map<int, std::vector<const store::PastRow*>> by_version;
  for (const store::PastRow& row : past.rows) by_version[row.family_version].push_back(&row);
  RowSet set{&family, {}};
  for (const auto& [version, rows] : by_version) {
    std::vector<core::Row> read = ReadLines(*versions.Get(id, version), family, targets, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto tuned = ToTunedRow(std::move(read[i]));
      tuned->provider = rows[i]->provider;
      tuned->standing = rows[i]->standing;
      tuned->baseline = rows[i]->baseline;
      set.rows.push_back(std::move(tuned));
    }
  }
  SortRows(set);
  return set;
}

RowSet ChosenRows(const core::Family& family, std::int16_t id,
                  std::vector<store::CandidateRecord> candidates,
                  const std::function<bool(const core::Cells&)>& allowed, FamilyVersions& versions,
                  const core::Targets& targets) {
  std::map<std::pair<core::Hash128, registry::Provider>, const store::CandidateRecord*> best;
  std::string scratch;
  for (store::CandidateRecord& candidate : candidates) {
    const auto version = versions.Get(id, candidate.family_version);
    if (version->source != family.source) {
      if (auto row = Reread(*version, family, targets, candidate.line)) candidate.line = row->line;
    }
    if (!allowed(core::SplitLine(candidate.line, scratch))) continue;
    const store::CandidateRecord*& held = best[{candidate.key, candidate.provider}];
    if (held == nullptr || core::Beats(candidate.contender, held->contender)) held = &candidate;
  }
  RowSet set{&family, {}};
  for (const auto& [key, candidate] : best) {
    auto row = Reread(family, family, targets, candidate->line);
    if (!row) continue;
    auto tuned = ToTunedRow(*std::move(row));
    tuned->provider = candidate->provider;
    tuned->standing = candidate->contender.standing;
    set.rows.push_back(std::move(tuned));
  }
  SortRows(set);
  return set;
}

}  // namespace tunehub::service
