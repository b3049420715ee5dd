// A tree of tuned tables as AITER lays its configs out, in one archive.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"
#include "server/service/definitions.h"
#include "server/service/tuned_query.h"
#include "server/service/tuned_tables.h"

namespace tunehub::service {

struct Bundle {
  std::string archive;  // tar.gz; the same revision and query give the same bytes
  std::int64_t revision = 0;
  std::size_t tables = 0;
};

// aiter/configs/<file> per family with rows for the query, SHA256SUMS (as sha256sum -c reads it),
// tunehub.lock (revision, query and digest per table), env.sh (each family's variable, as an
// absolute path of where it was unpacked). Every table is of one revision. Error no_rows where no
// family has any.
core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                std::int64_t revision, const Parameters& parameters);

}  // namespace tunehub::service
