#include "server/insight/differences.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_set>

#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"
#include "server/db/provider.h"
#include "server/insight/comparisons.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

std::optional<double> Believed(double us, core::Standing standing) {
  if (standing != core::Standing::kMeasured || !std::isfinite(us)) return std::nullopt;
  return us;
}

analysis::Difference DifferenceOf(const KeyDifference& it, bool same_code) {
  return analysis::DifferenceOf({it.was_there && !it.was_baseline, it.before_us()},
                                {it.is_there && !it.row->baseline, it.after_us()}, same_code);
}

class Maker {
 public:
  Maker(const FamilySnapshot& snapshot, const Definitions& definitions, FamilyVersions& versions,
        FamilyDifferences& made)
      : family_(*snapshot.family),
        id_(snapshot.id),
        definitions_(definitions),
        versions_(versions),
        rows_(snapshot),
        made_(made) {}

  void Add(DifferenceRecord& record) {
    const bool engine_says = family_.engine != core::kNoColumn;
    if (!engine_says && record.provider != DefaultProvider(record.gfx)) return;
    const auto before = RowOf(record, record.before), after = RowOf(record, record.after);
    if ((record.before && !before) || (record.after && !after)) return;
    KeyDifference it;
    it.row = after ? rows_.Find(after) : before;
    it.is_there = after != nullptr;
    it.change = &made_.changes.try_emplace(record.change.revision, record.change).first->second;
    if (after) it.after_run = record.after->run;
    if (before) {
      it.was_there = true;
      it.was_baseline = before->baseline;
      it.before = Believed(before->us, before->standing).value_or(it.before);
      it.before_kernel =
          made_.texts.Once(KernelOf(family_, core::SplitLine(before->line, scratch_)));
      it.before_run = record.before->run;
    }
    if (it.row == after || !after)
      made_.row_bytes += sizeof *it.row + it.row->line.capacity() + it.row->order.capacity();
    it.difference = DifferenceOf(it, false);
    if (it.difference == analysis::Difference::kSlower && Candidate(*before) == Candidate(*after))
      same_.push_back(made_.keys.size());
    made_.keys.push_back(std::move(it));
  }

  // Marks a difference as a repetition if the same candidate became slower between two runs with
  // equal facts.
  void Excuse(ConnectionPool& pool) {
    std::set<std::int64_t> runs;
    for (std::size_t place : same_) {
      runs.insert(made_.keys[place].before_run);
      runs.insert(made_.keys[place].after_run);
    }
    std::map<std::int64_t, analysis::Environment> said;
    for (const auto& run : MeasurementStore(pool).ReadProvenance({runs.begin(), runs.end()}))
      said[run.run] = EnvironmentOf(run.provenance);
    for (std::size_t place : same_) {
      KeyDifference& it = made_.keys[place];
      const auto both = analysis::CompareEnvironments(said[it.before_run], said[it.after_run]);
      it.difference = DifferenceOf(it, both.is_repetition);
    }
  }

 private:
  // The row in the family's columns; null: no row, or its line does not fit.
  std::shared_ptr<const TunedRow> RowOf(const DifferenceRecord& record,
                                        std::optional<StateRow>& state) {
    const bool fits = state && versions_.Renew(family_, id_, state->family_version,
                                               definitions_.targets, state->line);
    if (!fits) return nullptr;
    auto row = RowOfLine(family_, definitions_.targets, std::move(state->line), scratch_);
    if (row == nullptr) return nullptr;
    row->key = record.key;
    row->provider = record.provider;
    row->gfx = record.gfx;
    row->cu_num = record.cu_num;
    row->standing = state->standing;
    row->baseline = state->baseline;
    row->trusted = state->trusted;
    row->us = state->us;
    return row;
  }

  std::string Candidate(const TunedRow& row) {
    std::string text;
    core::AppendCandidateText(text, family_, core::SplitLine(row.line, scratch_));
    return text;
  }

  const core::Family& family_;
  const std::int16_t id_;
  const Definitions& definitions_;
  FamilyVersions& versions_;
  SharedRows rows_;
  FamilyDifferences& made_;
  std::vector<std::size_t> same_;  // slower keys with an unchanged candidate
  std::string scratch_;
};

}  // namespace

std::optional<double> KeyDifference::before_us() const {
  return std::isnan(before) ? std::nullopt : std::optional(before);
}

std::optional<double> KeyDifference::after_us() const {
  return is_there ? Believed(row->us, row->standing) : std::nullopt;
}

DifferenceSide KeyDifference::Before() const {
  if (!was_there) return {};
  return {true, was_baseline, before_us(), std::string(before_kernel), before_run};
}

DifferenceSide KeyDifference::After(const core::Family& family) const {
  if (!is_there) return {};
  std::string scratch;
  return {true, row->baseline, after_us(), KernelOf(family, core::SplitLine(row->line, scratch)),
          after_run};
}

std::size_t SizeOf(const FamilyDifferences& differences) {
  return differences.keys.capacity() * sizeof(KeyDifference) + differences.texts.bytes() +
         differences.row_bytes;
}

namespace {

constexpr std::size_t kDifferenceBytes = 64 * 1024 * 1024;  // room for some 100,000 keys
constexpr int kListedTimes = 8;                             // in the chart beside a key

bool IsWithin(const TunedRow& row, const std::vector<core::Target>& targets) {
  return targets.empty() || std::ranges::any_of(targets, [&](const auto& it) {
           return it.Includes(row.gfx, row.cu_num);
         });
}

// The demand of shape keys. Looks up the counts of each target once.
class KeyDemand {
 public:
  explicit KeyDemand(DemandCounts& demand) : demand_(demand) {}

  std::int64_t Of(const core::Family& family, const TunedRow& row) {
    auto& counts = counts_[{&family, row.gfx, row.cu_num}];
    if (counts == nullptr) counts = demand_.Of(family, {row.gfx, row.cu_num});
    if (counts->empty()) return 0;
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    core::FamilyShape shape;
    shape.cells.resize(family.columns.size());
    for (std::size_t i : core::ShapeColumns(family)) shape.cells[i] = std::string(cells[i]);
    const auto count = counts->find(core::OrderKeyOf(family, shape, "", 0));
    return count == counts->end() ? 0 : count->second;
  }

 private:
  DemandCounts& demand_;
  std::map<std::tuple<const core::Family*, std::string_view, int>,
           std::shared_ptr<const DemandCounts::Counts>>
      counts_;
  std::string scratch_;
};

}  // namespace

Differences::Differences(const Definitions& definitions, ConnectionPool& pool,
                         const Snapshots& snapshots, FamilyVersions& versions, Speedups& speedups)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      versions_(versions),
      speedups_(speedups),
      demand_(definitions, pool),
      families_(kDifferenceBytes) {}

std::shared_ptr<const FamilyDifferences> Differences::Find(const core::Family& family,
                                                           core::Pin from, core::Pin to) {
  const auto snapshot = snapshots_.Current(family);
  const core::Pin& last = snapshot->revision;
  if (std::min(from.number, to.number) >= last.number && !snapshot->is_behind()) return nullptr;
  // Revisions after the family's newest one share a cached answer.
  for (core::Pin* const end : {&from, &to}) {
    if (end->number > last.number && end->number != kPresent && !snapshot->is_behind()) *end = last;
  }
  const std::string front = family.name + " ";
  const std::string newest =
      fmt::format("{}{} {} ", front, snapshot->revision.Text(), snapshot->era);
  return *families_.Get(
      newest + from.Text() + " " + to.Text(), [&]() -> core::Result<FamilyDifferences> {
        FamilyDifferences made;
        Maker maker(*snapshot, definitions_, versions_, made);
        versions_.Learn(snapshot->id);  // a query during the visit would need a second connection
        RevisionStore(pool_).VisitDifferences(snapshot->id, from.number, to.number,
                                              [&](DifferenceRecord& record) { maker.Add(record); });
        maker.Excuse(pool_);
        made.keys.shrink_to_fit();
        // Drops differences of an older snapshot, because they own rows and nobody requests them
        // again.
        families_.ForgetOlder(front, newest);
        return made;
      });
}

DifferenceAnswer Differences::Get(const DifferenceQuery& query) {
  DifferenceAnswer answer;
  KeyDemand demand(demand_);
  std::unordered_set<core::Hash128, core::Hash128Hasher> seen;
  // A key can occur twice only if a lock file has several tables of one family.
  std::map<const core::Family*, int> tables;
  for (const LockedRevision& table : query.tables) ++tables[table.family];
  for (const LockedRevision& table : query.tables) {
    if (!snapshots_.Reads(*table.family)) continue;
    const auto found = Find(*table.family, table.revision, query.to);
    if (found == nullptr) continue;
    for (const KeyDifference& key : found->keys) {
      const TunedRow& row = *key.row;
      if (!query.target.Includes(row.gfx, row.cu_num) || !IsWithin(row, table.targets) ||
          !speedups_.AsksFor(query.model, query.tp, *table.family, row)) {
        continue;
      }
      if (tables[table.family] > 1 && !seen.insert(row.key).second) continue;
      answer.differences.push_back({table.family, &key, demand.Of(*table.family, row)});
    }
    answer.held.push_back(found);
  }
  return answer;
}

Differences::Times Differences::LatestTimes(std::span<const WeighedDifference> page) const {
  std::vector<RevisionStore::KeyOfProvider> keys;
  for (const WeighedDifference& it : page)
    keys.emplace_back(it.key->row->key, it.key->row->provider);
  Times times(keys.size());
  for (const WinnerTime& time : RevisionStore(pool_).ReadWinnerTimes(keys, kListedTimes))
    times[time.place].push_back(time);
  return times;
}

}  // namespace tunehub::server
