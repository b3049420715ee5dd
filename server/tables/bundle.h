// Makes an archive of tuned tables, with the folders of AITER's configs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"
#include "server/tables/tuned_tables.h"

namespace tunehub::server {

// A table that no family describes. Its rows belong to the family of unlisted tables.
struct CarriedTable {
  std::string path;  // inside aiter/configs
  std::size_t rows = 0;
  bool competes = false;  // true: its rows have shape keys, so each key has at most one best row
};

// Returns the unlisted tables of these rows, by name. A table's path is the path of AITER's default
// file, or else the first path in alphabetical order.
std::map<std::string, CarriedTable> UnlistedTables(
    const core::Family& unlisted, const std::vector<std::shared_ptr<const TunedRow>>& rows);

// The folder into which an install puts tables.
inline constexpr std::string_view kConfigsFolder = "aiter/configs/";

struct Bundle {
  std::string archive;  // tar.gz; the same revision and query give the same bytes
  core::Pin revision;
  std::size_t tables = 0;
  std::map<std::string, std::string> headers;  // changes for a build, summed over all tables
};

struct BundleRevision {
  core::Pin pin;       // with its token
  bool asked = false;  // true: the caller named the revision, so the answer never changes
};

// Returns the bundle's query for one family. `parameters`: the parameters of GET /bundle, without
// the revision. Errors: those of ParseTunedQuery; bad_parameter for a choice among candidates.
core::Result<TunedQuery> BundleQuery(const core::Family& family, const Definitions& definitions,
                                     const BundleRevision& revision, Parameters parameters);

// Replaces the build's name by its digest, so that every table is for the same manifest. Errors:
// those of ParseBuildName, unknown_build.
core::Status PinBuild(TunedTables& tables, const BundleRevision& revision, Parameters& parameters);

// Makes a bundle of these files:
// - aiter/configs/<file> for each family with rows, and each unlisted table.
// - tunehub.lock: each table's revision, token, query and digest.
// - env.sh: sets each family's variable to an absolute path.
// - SHA256SUMS of all these files, with its signature if the hub has a signing key.
// All tables are of one revision. For a build, the tables are of the newest rows, unless the caller
// named a revision. Errors: no_rows (no family has rows).
core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                const BundleRevision& revision, Parameters parameters);

}  // namespace tunehub::server
