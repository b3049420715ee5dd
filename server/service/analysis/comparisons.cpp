#include "server/service/analysis/comparisons.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/hash128.h"
#include "server/service/analysis/side_reader.h"
#include "server/store/analysis/times.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kComparisonBytes = 24 * 1024 * 1024;  // of some 150,000 keys

std::vector<std::int64_t> IdsOf(const std::vector<store::RunRecord>& runs) {
  std::vector<std::int64_t> ids;
  for (const auto& run : runs) ids.push_back(run.id);
  return ids;
}

// Two comparisons of one key have the same answer. `state` says which runs, and what they have.
std::string KeyOf(const std::string& state, const ComparedFamilies& families,
                  const core::Target& target, const analysis::CompareLimits& limits) {
  std::string key = state + "\n";
  for (const core::Family* family : families) key += family->name + " ";
  key += fmt::format("\n{}:{} {} {} {} {}", target.gfx, target.cu_num, limits.ignore_below_us,
                     limits.ratio, limits.slack_us, limits.spread);
  return core::HashOf(key).Uuid();
}

}  // namespace

// What follows from the key alone, and takes as long to find out as a comparison, is kept, too.
Comparisons::Comparisons(const Definitions& definitions, store::Store& store,
                         FamilyVersions& versions)
    : definitions_(definitions),
      store_(store),
      versions_(versions),
      kept_(kComparisonBytes, {"no_common_key", "too_many_compared"}) {}

core::Result<analysis::Side> Comparisons::ReadSide(const Runs& runs, const CompareQuery& query) {
  analysis::Side side;
  AddEnvironment(runs, side);
  SideReader reader(definitions_, versions_, query.families, query.target, side);
  store_.measurements().VisitRunTimes(reader.Families(), IdsOf(runs),
                                      [&](const store::RunTimeRecord& record) {
                                        reader.Add(record);
                                        return side.timings().size() <= kMostCompared;
                                      });
  if (side.timings().size() <= kMostCompared) return side;
  return core::Error{
      "too_many_compared",
      fmt::format("a side has more than {} candidates on their keys: name a family, a target, or "
                  "fewer runs",
                  kMostCompared)};
}

core::Result<analysis::Comparison> Comparisons::Make(const Runs& base, const Runs& head,
                                                     const CompareQuery& query) {
  const auto first = ReadSide(base, query);
  if (!first.ok()) return first.error();
  if (IdsOf(base) == IdsOf(head)) return analysis::Compare(*first, *first, query.limits);
  const auto second = ReadSide(head, query);
  if (!second.ok()) return second.error();
  return analysis::Compare(*first, *second, query.limits);
}

std::string Comparisons::StateOf(const Runs& base, const Runs& head) {
  std::string state;
  std::vector<std::int64_t> ids;
  for (const Runs* runs : {&base, &head}) {
    for (const auto& run : *runs) {
      ids.push_back(run.id);
      state += fmt::format("{} {} {} {}\n", run.id, run.hash.Uuid(), run.rows, run.provenance);
    }
    state += "\n";
  }
  return state + store_.measurements().RunStamp(ids);
}

Comparisons::Comparison Comparisons::FindWhole(const std::string& state,
                                               const CompareQuery& query) {
  const auto is_among = [&](const core::Family* family) {
    return std::ranges::find(query.among, family) != query.among.end();
  };
  if (!std::ranges::all_of(query.families, is_among)) return nullptr;
  const analysis::CompareLimits limits{.spread = query.limits.spread};
  return kept_.Find(KeyOf(state, query.among, {}, limits));
}

core::Result<Comparisons::Comparison> Comparisons::Get(const CompareQuery& query) {
  const auto base = FindRuns(store_, query.base);
  if (!base.ok()) return base.error();
  const auto head = FindRuns(store_, query.head);
  if (!head.ok()) return head.error();
  const std::string state = StateOf(*base, *head);
  const std::string key = KeyOf(state, query.families, query.target, query.limits);
  bool is_made = false;
  auto answer = kept_.Get(key, [&] {
    is_made = true;
    const auto whole = FindWhole(state, query);
    if (!whole) return Make(*base, *head, query);
    const auto wanted = [&](std::string_view target) {
      return NarrowedTarget(target, query.among, query.families, query.target);
    };
    return analysis::Narrowed(*whole, wanted, query.limits);
  });
  // It may be of rows that came meanwhile. Were those lost in a failover, the key would come again.
  if (is_made && StateOf(*base, *head) != state) kept_.Forget(key);
  return answer;
}

}  // namespace tunehub::service
