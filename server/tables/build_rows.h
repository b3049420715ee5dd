// Adapts an answer's rows to one build.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"
#include "server/tables/builds.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {

// For each state of rows in a build, the name of the header with the number of rows.
inline constexpr std::array<const char*, core::kRowStates> kStateHeaders = {
    "Tunehub-Build-Effective", "Tunehub-Build-After-Rebuild", "Tunehub-Build-Raises-Until-Rebuild",
    "Tunehub-Build-Impossible"};
// "bf16/asm:impossible=12, a8w8/gemm_a8w8:after_rebuild=7": rows that are not effective, by module
// ("-": unknown).
inline constexpr const char* kModulesHeader = "Tunehub-Build-Modules";

// Reads the best rows of these keys, among candidates whose cells `allowed` accepts. The function
// is empty if the candidates are unknown, such as for an old revision.
using AllowCells = std::function<bool(const core::Cells&)>;
using ReadBest =
    std::function<RowSet(const std::vector<core::Hash128>& keys, const AllowCells& allowed)>;

// Returns the selected rows, changed so that the build can run them. A row stays if it is
// effective. It also stays if a rebuild makes it effective and it does no harm until then. Each
// other row is replaced by the best measured or declared candidate that may stay. Without such a
// candidate, the answer lacks the row. If a module finds kernels by number, its rows get the
// build's own numbers. The header Tunehub-Build names the build. Tunehub-Build-Substituted,
// -Unfilled and -Renumbered count these changes. The JSON member "build" lists them. kStateHeaders
// count rows by their state. The answer contains only rows of the first two states. Errors: no_rows
// (the build can run none of the rows).
core::Result<RowSet> FitRows(const RowSet& set, const TunedQuery& query, const Build& build,
                             const ReadBest& others);

// Checks that the manifest `after` may replace `before`, the newest manifest of a build. In each
// family, `after` must run at least nine of ten rows that `before` runs. Otherwise the manifest of
// an incomplete tree could remove the tuned rows of the build's users. Errors: would_shrink, with
// the counts.
core::Status CheckBuildShrinkage(const Definitions& definitions, const SnapshotSet& set,
                                 const std::string& name, const core::Manifest& before,
                                 const core::Manifest& after);

}  // namespace tunehub::server
