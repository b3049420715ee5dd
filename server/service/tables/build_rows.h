// The rows of an answer as one build can have them.
#pragma once

#include <functional>
#include <vector>

#include "core/base/hash128.h"
#include "core/family/targets.h"
#include "server/service/registry/builds.h"
#include "server/service/registry/lines.h"
#include "server/service/tables/table_bytes.h"
#include "server/store/analysis/measurement_records.h"

namespace tunehub::service {

// Visits what competes for these keys. Empty: nobody can tell, as of an old revision.
using ReadCandidates =
    std::function<void(const std::vector<core::Hash128>& keys, const store::VisitCandidate& visit)>;

struct FitContext {
  std::int16_t family_id = 0;
  FamilyVersions& versions;
  const core::Targets& targets;
  std::vector<std::string> libtypes = {};  // of substitutes; empty: any
};

// The rows that the query selects, as the build can have them. Rows that are effective in it, or
// will be and are harmless until then, stay, with its own kernel numbers where its module goes by
// them. In the place of each other row stands the best measured candidate of its key that may stay,
// or nothing. The notes say which, in the headers Tunehub-Build, Tunehub-Build-Substituted,
// Tunehub-Build-Unfilled and Tunehub-Build-Renumbered, row by row in the member "build", and by
// core::RowState (build_tally.h): the first two states count rows of the answer, the others rows
// that it lacks. Error no_rows where rows were there, but none for this build.
core::Result<RowSet> FitRows(const RowSet& set, const TunedQuery& query, const Build& build,
                             const ReadCandidates& candidates, const FitContext& context);

}  // namespace tunehub::service
