#include "server/service/analysis/differences.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "core/analysis/samples.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kDifferenceBytes = 64 * 1024 * 1024;  // of some 100,000 keys
constexpr int kListedTimes = 8;                             // in the picture beside a key

bool IsWithin(const KeyDifference& key, const core::Target& target) {
  return (target.gfx.empty() || target.gfx == key.gfx) &&
         (target.cu_num == 0 || key.cu_num == 0 || target.cu_num == key.cu_num);
}

bool IsWithin(const KeyDifference& key, const std::vector<core::Target>& targets) {
  return targets.empty() ||
         std::ranges::any_of(targets, [&](const auto& it) { return IsWithin(key, it); });
}

// Keys come by family and mostly by target: what is known of a target is looked up when it changes.
class Weighing {
 public:
  Weighing(const DifferenceQuery& query, Speedups& speedups, DemandCounts& demand)
      : query_(query), speedups_(speedups), demand_(demand) {}

  bool Asks(const KeyDifference& key) {
    if (query_.model.empty()) return true;
    auto& models = models_[{key.family, key.gfx}];
    if (models == nullptr) models = speedups_.ModelsOf(*key.family, std::string(key.gfx));
    const auto asked =
        models->names.find(analysis::GroupOf(*key.family, core::SplitLine(key.line, scratch_)));
    return asked != models->names.end() && NamesModel(&asked->second, query_.model, query_.tp);
  }

  std::int64_t Demand(const KeyDifference& key) {
    auto& counts = counts_[{key.family, key.gfx, key.cu_num}];
    if (counts == nullptr) counts = demand_.Of(*key.family, {std::string(key.gfx), key.cu_num});
    if (counts->empty()) return 0;
    const auto count = counts->find(std::string(key.shape));
    return count == counts->end() ? 0 : count->second;
  }

 private:
  const DifferenceQuery& query_;
  Speedups& speedups_;
  DemandCounts& demand_;
  std::map<std::pair<const core::Family*, std::string_view>, Speedups::Models> models_;
  std::map<std::tuple<const core::Family*, std::string_view, int>,
           std::shared_ptr<const DemandCounts::Counts>>
      counts_;
  std::string scratch_;
};

}  // namespace

Differences::Differences(const Definitions& definitions, store::Store& store,
                         const Snapshots& snapshots, FamilyVersions& versions, Speedups& speedups)
    : definitions_(definitions),
      store_(store),
      snapshots_(snapshots),
      versions_(versions),
      speedups_(speedups),
      demand_(definitions, store),
      families_(kDifferenceBytes) {}

SinceRevision Differences::DaysAgo(int days) const {
  auto found = store_.revisions().FindBefore(days);
  if (!found) return {{}, "", true};
  return {std::move(found->revision), std::move(found->created), found->is_first};
}

core::Result<SinceRevision> Differences::At(const core::Pin& revision) const {
  auto found = store_.revisions().Find(revision);
  if (!found.ok()) return found.error();
  SinceRevision since{*std::move(found), "", false};
  const auto listed = store_.revisions().List(since.revision.number + 1, 1);
  if (!listed.empty() && listed.front().revision.number == since.revision.number)
    since.created = listed.front().created;
  return since;
}

std::shared_ptr<const FamilyDifferences> Differences::Find(const core::Family& family,
                                                           const core::Pin& since) {
  const auto snapshot = snapshots_.Current(family);
  if (snapshot->revision.number <= since.number && !snapshot->is_behind()) return nullptr;
  const std::string key = fmt::format("{} {} {} {}", family.name, since.Text(),
                                      snapshot->revision.Text(), snapshot->era);
  return *families_.Get(key, [&]() -> core::Result<FamilyDifferences> {
    return ReadFamilyDifferences(family, definitions_, store_, versions_, since.number);
  });
}

DifferenceAnswer Differences::Get(const DifferenceQuery& query) {
  DifferenceAnswer answer;
  Weighing weighing(query, speedups_, demand_);
  std::unordered_set<core::Hash128, core::Hash128Hasher> seen;
  // Only where a lock file has several tables of one family may a key come twice.
  std::map<const core::Family*, int> tables;
  for (const LockedRevision& table : query.tables) ++tables[table.family];
  for (const LockedRevision& table : query.tables) {
    if (!snapshots_.Reads(*table.family)) continue;
    const auto found = Find(*table.family, table.revision);
    if (found == nullptr) continue;
    for (const KeyDifference& key : found->keys) {
      if (!IsWithin(key, query.target) || !IsWithin(key, table.targets) || !weighing.Asks(key))
        continue;
      if (tables[table.family] > 1 && !seen.insert(key.key).second) continue;
      answer.differences.push_back({&key, weighing.Demand(key)});
    }
    answer.held.push_back(found);
  }
  return answer;
}

Differences::Times Differences::LatestTimes(const std::vector<WeighedDifference>& listed,
                                            std::size_t begin, std::size_t end) const {
  std::vector<store::RevisionStore::KeyOfProvider> keys;
  for (std::size_t i = begin; i < end; ++i)
    keys.emplace_back(listed[i].key->key, listed[i].key->provider);
  Times times(keys.size());
  for (const store::WinnerTime& time : store_.revisions().ReadWinnerTimes(keys, kListedTimes))
    times[time.place].push_back(time);
  return times;
}

}  // namespace tunehub::service
