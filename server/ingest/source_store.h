// Sources: what one import has that the imports of its source before it had, too, and which import
// is in force. All under the registry's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

// Stands for an import that there is none of.
inline constexpr std::int64_t kNoImport = 0;

struct Source {
  std::string name;
  int id = 0;                        // 0: none
  std::optional<std::int64_t> head;  // the import in force
  std::string owner;
};

// An import, as it found its source, and what it repeats of it.
struct Imported {
  Source source;
  std::size_t rows = 0, competing = 0;  // those of them that are not quarantined
  std::vector<std::int64_t> back = {};  // measurements that the import before it lacked
};

// Takes what the source of the import `run` has had out of the stage; `outcome` says where too much
// would go. Errors: not_owner, key_limited; why the import may be incomplete, where it would take
// another one's place.
core::Result<Imported> OpenImport(pqxx::work& transaction, const BatchRequest& request,
                                  const RunRecord& run, StagedBatch& staged, BatchOutcome& outcome);

// The source as it was before the import `run`.
Source ImportBefore(pqxx::work& transaction, const std::string& source, std::int64_t run);

// Puts the latest import that was not reverted in force.
void MoveHead(pqxx::work& transaction, const std::string& source);

// Touches the keys of which either import has a row that the other lacks.
void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run);

// Rows of (family, gfx, cu_num). Error key_limited.
core::Status CheckTargets(const Writer& writer, const pqxx::result& targets);

}  // namespace tunehub::server
