#include "server/service/tables/run_choice.h"

namespace tunehub::service {
namespace {

using registry::Provenance;

RunChoice Sorted(const TunedQuery& query, store::Store& store, const core::Devices& devices) {
  RunChoice choice;
  for (const store::ProvenanceRecord& run : store.measurements().ReadProvenance()) {
    const auto judge = [&](const registry::ProvenanceFilter& filter) {
      return registry::Judge(filter, run.provenance, run.started, devices);
    };
    const Provenance verdict = judge(query.runs);
    if (verdict == Provenance::kUnknown) choice.unknown.push_back(run.run);
    if (verdict == Provenance::kOther) choice.other.push_back(run.run);
    if (verdict != Provenance::kMatches) continue;
    choice.matching.push_back(run.run);
    if (judge(query.preferred) == Provenance::kMatches) choice.preferred.push_back(run.run);
  }
  return choice;
}

}  // namespace

core::Result<RunChoice> ChooseRuns(const TunedQuery& query, store::Store& store,
                                   const core::Devices& devices) {
  RunChoice choice = Sorted(query, store, devices);
  if (query.source.empty()) return choice;
  const auto in_force = store.runs().FindSource(query.source);
  if (!in_force.ok()) return in_force.error();
  for (auto* runs : {&choice.matching, &choice.preferred, &choice.unknown, &choice.other})
    std::erase_if(*runs, [&](std::int64_t run) { return run != *in_force; });
  return choice;
}

}  // namespace tunehub::service
