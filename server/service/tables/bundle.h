// A tree of tuned tables as AITER lays its configs out, in one archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "server/service/registry/definitions.h"
#include "server/service/tables/tuned_query.h"
#include "server/service/tables/tuned_tables.h"

namespace tunehub::service {

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

// aiter/configs/<file> per family with rows for the query, SHA256SUMS (as sha256sum -c reads it),
// tunehub.lock (revision, token, query and digest per table), env.sh (each family's variable, as an
// absolute path of where it was unpacked). All tables are of one revision; those for a
// build are of now, unless a revision was asked for. Error no_rows where no family has any.
core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                const BundleRevision& revision, Parameters parameters);

}  // namespace tunehub::service
