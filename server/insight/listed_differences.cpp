#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/row/key.h"
#include "core/table/table_writer.h"
#include "server/db/provider.h"
#include "server/insight/comparisons.h"
#include "server/insight/differences.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

std::optional<double> Believed(double us, core::Standing standing) {
  if (standing != core::Standing::kMeasured || !std::isfinite(us)) return std::nullopt;
  return us;
}

analysis::Difference DifferenceOf(const KeyDifference& it, bool same_code) {
  return analysis::DifferenceOf({it.was_there && !it.was_baseline, it.before_us()},
                                {it.is_there && !it.row->baseline, it.now_us()}, same_code);
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
    const auto before = RowOf(record, record.before), now = RowOf(record, record.now);
    if ((record.before && !before) || (record.now && !now)) return;
    KeyDifference it;
    it.row = now ? rows_.Find(now) : before;
    it.is_there = now != nullptr;
    it.change = &made_.changes.try_emplace(record.change.revision, record.change).first->second;
    if (now) it.now_run = record.now->run;
    if (before) {
      it.was_there = true;
      it.was_baseline = before->baseline;
      it.before = Believed(before->us, before->standing).value_or(it.before);
      it.before_kernel =
          made_.texts.Once(KernelOf(family_, core::SplitLine(before->line, scratch_)));
      it.before_run = record.before->run;
    }
    if (it.row == now || !now)
      made_.row_bytes += sizeof *it.row + it.row->line.capacity() + it.row->order.capacity();
    it.difference = DifferenceOf(it, false);
    if (it.difference == analysis::Difference::kSlower && Candidate(*before) == Candidate(*now))
      same_.push_back(made_.keys.size());
    made_.keys.push_back(std::move(it));
  }

  // A candidate that became slower was measured again where its runs give the same facts.
  void Excuse(ConnectionPool& pool) {
    std::set<std::int64_t> runs;
    for (std::size_t place : same_) {
      runs.insert(made_.keys[place].before_run);
      runs.insert(made_.keys[place].now_run);
    }
    std::map<std::int64_t, analysis::Environment> said;
    for (const auto& run : MeasurementStore(pool).ReadProvenance({runs.begin(), runs.end()}))
      said[run.run] = EnvironmentOf(run.provenance);
    for (std::size_t place : same_) {
      KeyDifference& it = made_.keys[place];
      const auto both = analysis::CompareEnvironments(said[it.before_run], said[it.now_run]);
      it.difference = DifferenceOf(it, both.is_repetition);
    }
  }

 private:
  // In the family's columns; null where there is none, or its line does not fit the family.
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
  std::vector<std::size_t> same_;  // slower keys of the same candidate
  std::string scratch_;
};

}  // namespace

std::optional<double> KeyDifference::before_us() const {
  return std::isnan(before) ? std::nullopt : std::optional(before);
}

std::optional<double> KeyDifference::now_us() const {
  return is_there ? Believed(row->us, row->standing) : std::nullopt;
}

DifferenceSide KeyDifference::Before() const {
  if (!was_there) return {};
  return {true, was_baseline, before_us(), std::string(before_kernel), before_run};
}

DifferenceSide KeyDifference::Now(const core::Family& family) const {
  if (!is_there) return {};
  std::string scratch;
  return {true, row->baseline, now_us(), KernelOf(family, core::SplitLine(row->line, scratch)),
          now_run};
}

std::size_t SizeOf(const FamilyDifferences& differences) {
  return differences.keys.capacity() * sizeof(KeyDifference) + differences.texts.bytes() +
         differences.row_bytes;
}

FamilyDifferences ReadFamilyDifferences(const FamilySnapshot& snapshot,
                                        const Definitions& definitions, ConnectionPool& pool,
                                        FamilyVersions& versions, std::int64_t since) {
  FamilyDifferences made;
  Maker maker(snapshot, definitions, versions, made);
  versions.Learn(snapshot.id);  // what is read by turns must ask for nothing between
  RevisionStore(pool).VisitDifferences(snapshot.id, since,
                                       [&](DifferenceRecord& record) { maker.Add(record); });
  maker.Excuse(pool);
  made.keys.shrink_to_fit();
  return made;
}

namespace {

using analysis::Difference;

bool IsListed(Difference difference) {
  return static_cast<std::size_t>(difference) < analysis::kDifferences;
}

// What is lost counts as much as what was won.
std::optional<double> ValueOf(const WeighedDifference& it, DifferenceSort sort) {
  const KeyDifference& key = *it.key;
  switch (sort) {
    case DifferenceSort::kLost:
      return it.lost_us() ? std::optional(std::abs(*it.lost_us())) : std::nullopt;
    case DifferenceSort::kRatio:
      return key.before_us() && key.now_us() ? std::optional(*key.now_us() / *key.before_us())
                                             : std::nullopt;
    case DifferenceSort::kBefore:
      return key.before_us();
    case DifferenceSort::kNow:
      return key.now_us();
    case DifferenceSort::kDemand:
      return static_cast<double>(it.demand);
    default:
      return static_cast<double>(key.change->revision);
  }
}

bool IsBefore(const WeighedDifference& a, const WeighedDifference& b, DifferenceSort sort,
              bool descending) {
  const auto less = [&](const auto& x, const auto& y) { return descending ? y < x : x < y; };
  if (sort == DifferenceSort::kFamily) return less(a.family->name, b.family->name);
  if (sort == DifferenceSort::kTarget)
    return less(std::tie(a.key->row->gfx, a.key->row->cu_num),
                std::tie(b.key->row->gfx, b.key->row->cu_num));
  const auto left = ValueOf(a, sort), right = ValueOf(b, sort);
  if (!left || !right) return left && !right;
  return less(*left, *right);
}

}  // namespace

DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<Difference> kind) {
  DifferenceTotals totals;
  for (const WeighedDifference& it : differences) {
    const Difference difference = it.key->difference;
    if (difference == Difference::kWithinNoise) ++totals.within_noise;
    if (!IsListed(difference)) continue;
    const auto place = static_cast<std::size_t>(difference);
    ++totals.keys[place];
    totals.lost_us[place] += it.lost_us().value_or(0);
    if (kind && difference != *kind) continue;
    RevisionShare& share = totals.revisions[it.key->change->revision];
    share = {it.key->change, share.keys + 1};
  }
  return totals;
}

std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice) {
  std::vector<WeighedDifference> listed;
  for (const WeighedDifference& it : differences) {
    if (IsListed(it.key->difference) && (!choice.kind || it.key->difference == *choice.kind))
      listed.push_back(it);
  }
  const auto by = [&](DifferenceSort sort, bool descending) {
    std::ranges::stable_sort(
        listed, [=](const auto& a, const auto& b) { return IsBefore(a, b, sort, descending); });
  };
  if (choice.order != DifferenceSort::kLost) by(DifferenceSort::kLost, true);
  by(choice.order, choice.descending);
  return listed;
}

}  // namespace tunehub::server
