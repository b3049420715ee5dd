// Writes with an idempotency key: a repeated key gets the first write's receipt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

// Records who wrote what, in the write's own transaction. `action`: two words at most, for
// programs; `detail`: for people. Heartbeats, claims and the ends of leases are not recorded.
void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail);

// A receipt that differs from another in some members. `patch`: a JSON merge patch (RFC 7386).
std::string PatchReceipt(const std::string& receipt, const std::string& patch);

// From the columns `receipt` and `repeated` of a row of find_batch.sql or list_batches.sql.
std::string ReadReceipt(const pqxx::row& row);

class ConnectionPool;

// Inserts the batch's row, of a `kind` such as "results", as the first statement of its
// transaction; a twin (a batch with the same key) waits there. Returns the twin's outcome if there
// is one (replayed). Error idempotency_key_reused: the key was used for another request.
core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const std::string& kind,
                                     const WriteRequest& request, std::optional<std::int64_t> run);

struct FinishedBatch {
  std::int64_t batch = 0;
  std::string receipt;
  std::optional<std::int64_t> run = {};
  std::optional<std::int64_t> repeats = {};  // the receipt is a patch of that batch's receipt
  std::size_t stored = 0, won = 0;           // measurements; keys
};
void FinishBatch(pqxx::work& transaction, const FinishedBatch& it);

// One transaction: OpenBatch, `write` (returns the receipt), and the commit. `shapes`: of demand.
// Errors: those of OpenBatch and Charge.
core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request, std::size_t shapes,
                                     const std::function<std::string(pqxx::work&)>& write);

}  // namespace tunehub::server
