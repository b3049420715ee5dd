// The rows of an answer as one build can have them.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/builds/build_fit.h"
#include "core/builds/manifest.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/builds.h"
#include "server/tables/measurement_store.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {

// One header for each state of rows in a build, with their number.
inline constexpr std::array<const char*, core::kRowStates> kStateHeaders = {
    "Tunehub-Build-Effective", "Tunehub-Build-After-Rebuild", "Tunehub-Build-Raises-Until-Rebuild",
    "Tunehub-Build-Impossible"};
// "bf16/asm:impossible=12, a8w8/gemm_a8w8:after_rebuild=7": of rows that are not effective. The
// module is "-" where none is known.
inline constexpr const char* kModulesHeader = "Tunehub-Build-Modules";

// Visits what competes for these keys. Empty: nobody can tell, as of an old revision.
using ReadCandidates =
    std::function<void(const std::vector<core::Hash128>& keys, const VisitCandidate& visit)>;

// The rows that the query selects, as the build can have them. Rows that are effective in it, or
// will be and are harmless until then, stay, with its own kernel numbers where its module goes by
// them. In the place of each other row stands the best measured candidate of its key that may stay,
// or nothing. The notes say which, in the headers Tunehub-Build, Tunehub-Build-Substituted,
// Tunehub-Build-Unfilled and Tunehub-Build-Renumbered, row by row in the member "build", and by
// core::RowState: the first two states count rows of the answer, the others rows that it lacks.
// Error no_rows where rows were there, but none for this build.
core::Result<RowSet> FitRows(const RowSet& set, const TunedQuery& query, const Build& build,
                             const ReadCandidates& candidates, const Definitions& definitions,
                             FamilyVersions& versions);

// Whether another manifest may take the place of a build's newest: of the rows of each table that
// `before` runs, `after` must run nine in ten, or a scan of half a tree, or of another one, untunes
// whoever asks for the name. Error would_shrink, with the counts.
core::Status CheckBuildShrinkage(const Definitions& definitions, const SnapshotSet& set,
                                 const std::string& name, const core::Manifest& before,
                                 const core::Manifest& after);

}  // namespace tunehub::server
