// A tree of tuned tables as AITER lays its configs out, in one archive.
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

// The tables that no family describes: which there are, among the rows of the family that has them.
struct CarriedTable {
  std::string path;  // inside aiter/configs, where an install puts it
  std::size_t rows = 0;
  bool competes = false;  // it has keys, so that "one best row a key" holds
};

// By name. A table of several files has the path of AITER's default file, or of the first.
std::map<std::string, CarriedTable> UnlistedTables(
    const core::Family& unlisted, const std::vector<std::shared_ptr<const TunedRow>>& rows);

// Where an install puts tables.
inline constexpr std::string_view kConfigsFolder = "aiter/configs/";

struct Bundle {
  std::string archive;  // tar.gz; the same revision and query give the same bytes
  core::Pin revision;
  std::size_t tables = 0;
  std::map<std::string, std::string> headers;  // what was done for a build, in all tables
};

struct BundleRevision {
  core::Pin pin;       // with its token
  bool asked = false;  // the caller named it: the answer is of it for ever
};

// What the bundle asks of one family's table: `parameters` as GET /bundle takes them, without the
// revision. Errors: those of ParseTunedQuery; bad_parameter where a choice among candidates is
// asked for.
core::Result<TunedQuery> BundleQuery(const core::Family& family, const Definitions& definitions,
                                     const BundleRevision& revision, Parameters parameters);

// Puts the build's digest in the place of its name, so that every table is for the same manifest.
// Errors: those of ParseBuildName, unknown_build.
core::Status PinBuild(TunedTables& tables, const BundleRevision& revision, Parameters& parameters);

// As SHA256SUMS says it of one table, with its end of line. `file`: below aiter/configs.
std::string SumLine(const std::string& sha256, std::string_view file);

// aiter/configs/<file> per family with rows for the query, SHA256SUMS (as sha256sum -c reads it),
// tunehub.lock (revision, token, query and digest per table), env.sh (each family's variable, as an
// absolute path of where it was unpacked). All tables are of one revision; those for a
// build are of now, unless a revision was asked for. Error no_rows where no family has any.
core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                const BundleRevision& revision, Parameters parameters);

}  // namespace tunehub::server
