// Two runs, or the runs of two environments, key by key: read once, and kept for whoever looks at
// other keys of the same comparison, or at these by other limits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/service/analysis/compared_runs.h"
#include "server/service/analysis/compared_targets.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/kept.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

// Candidates of a side, each on its key: more than these are no answer for anybody to look at.
inline constexpr std::size_t kMostCompared = 250'000;

struct CompareQuery {
  SideQuery base, head;
  ComparedFamilies families;
  core::Target target;  // all where it says nothing
  analysis::CompareLimits limits;
  // Every family that a comparison without a filter has: where that one is kept, it has the answer.
  ComparedFamilies among = {};
};

class Comparisons {
 public:
  using Comparison = std::shared_ptr<const analysis::Comparison>;

  Comparisons(const Definitions& definitions, store::Store& store, FamilyVersions& versions);

  // Of what the runs have now. Errors: unknown_run, no_runs, too_many_runs, too_many_compared (more
  // than kMostCompared), no_common_key. Throws Unavailable.
  core::Result<Comparison> Get(const CompareQuery& query);

 private:
  using Runs = std::vector<store::RunRecord>;

  // Which runs, and what they have: equal for two calls only if nothing changed between them.
  std::string StateOf(const Runs& base, const Runs& head);
  // The comparison of these runs that is kept without a filter: every family and target, the usual
  // limits but for the spread. Null: there is none.
  Comparison FindWhole(const std::string& state, const CompareQuery& query);
  core::Result<analysis::Comparison> Make(const Runs& base, const Runs& head,
                                          const CompareQuery& query);
  core::Result<analysis::Side> ReadSide(const Runs& runs, const CompareQuery& query);

  const Definitions& definitions_;
  store::Store& store_;
  FamilyVersions& versions_;
  Kept<analysis::Comparison> kept_;
};

}  // namespace tunehub::service
