// Whether a writer may change what is stored: by its owner, and by what the writer's key is limited
// to.
#pragma once

#include <pqxx/pqxx>

#include "core/base/result.h"
#include "server/store/connection/writer.h"
#include "server/store/ingest/run_records.h"
#include "server/store/ingest/sources.h"

namespace tunehub::store {

// Rows of (family, gfx, cu_num). Error key_limited.
core::Status CheckTargets(const Writer& writer, const pqxx::result& targets);

// Error not_owner.
core::Status CheckSourceOwner(const Writer& writer, const std::string& name, const Source& source);

// A run of an import belongs to its source's owner. Errors: not_owner, key_limited.
core::Status MayRevert(pqxx::work& transaction, const Writer& writer, const RunRecord& run);

}  // namespace tunehub::store
