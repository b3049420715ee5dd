// Finds the rows that an import shares with earlier imports of its source, and the source's import
// in force. All calls need the registry's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

// The id that means "no import".
inline constexpr std::int64_t kNoImport = 0;

struct Source {
  std::string name;
  int id = 0;                        // 0: none
  std::optional<std::int64_t> head;  // the import in force
  std::string owner;
};

// The source before an import, and the rows that the import repeats.
struct Imported {
  Source source;
  std::size_t rows = 0, competing = 0;  // repeated rows; repeated rows that are not quarantined
  std::vector<std::int64_t> back = {};  // measurements that the previous import lacked
};

// Removes the rows that the source already had from the stage. If the source would lose too many
// shape keys, only sets outcome.shrinkage. Errors: not_owner, key_limited; the request's
// `incomplete` if the import would supersede another import.
core::Result<Imported> OpenImport(pqxx::work& transaction, const BatchRequest& request,
                                  const RunRecord& run, StagedBatch& staged, BatchOutcome& outcome);

// Returns the source as it was before the import `run`.
Source ImportBefore(pqxx::work& transaction, const std::string& source, std::int64_t run);

// Makes the latest import that was not reverted the import in force.
void MoveHead(pqxx::work& transaction, const std::string& source);

// Compares the import in force of `source` with the import `run`. Inserts each shape key into
// `touched` that has a row in only one of these two imports.
void TouchMoved(pqxx::work& transaction, const Source& source, std::int64_t run);

// If the digest `content` of an import equals the digest of the import in force, stores the import
// without reading a row. Returns nothing if the rows may differ. Precondition: not a dry run.
// `render` makes the receipt, as a JSON merge patch of the receipt of the import in force. Throws
// Unavailable.
core::Result<std::optional<BatchOutcome>> RepeatImport(
    ConnectionPool& pool, const BatchRequest& request,
    const std::function<std::string(const BatchOutcome&)>& render);

// `targets`: rows of (family, gfx, cu_num). Errors: key_limited.
core::Status CheckTargets(const Writer& writer, const pqxx::result& targets);

}  // namespace tunehub::server
