// Writes with an idempotency key. A second write with the same idempotency key gets the first
// write's receipt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

// Records the author and the action of a write, in the write's own transaction. `action`: two words
// at most, for programs. `detail`: for people. The hub does not record heartbeats, claims and ends
// of leases.
void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail);

// Applies `patch`, a JSON merge patch (RFC 7386), to a receipt.
std::string PatchReceipt(const std::string& receipt, const std::string& patch);

// Reads the columns `receipt` and `repeated` of find_batch.sql or list_batches.sql.
std::string ReadReceipt(const pqxx::row& row);

class ConnectionPool;

// Inserts the batch's row as the first statement of its transaction. `kind`: such as "results". A
// second batch with the same idempotency key waits at this statement. If the batch already exists,
// returns its outcome with replayed = true. Errors: idempotency_key_reused (another request used
// the same idempotency key).
core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const std::string& kind,
                                     const WriteRequest& request, std::optional<std::int64_t> run);

struct FinishedBatch {
  std::int64_t batch = 0;
  std::string receipt;
  std::optional<std::int64_t> run = {};
  // if set, the receipt is a patch of that batch's receipt
  std::optional<std::int64_t> repeats = {};
  std::size_t stored = 0, won = 0;  // measurements; shape keys
};
void FinishBatch(pqxx::work& transaction, const FinishedBatch& it);

// Runs one transaction: OpenBatch, `write` (returns the receipt), and the commit. `shapes`: the
// number of shapes, for a write of demand. Errors: those of OpenBatch and Charge.
core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request, std::size_t shapes,
                                     const std::function<std::string(pqxx::work&)>& write);

}  // namespace tunehub::server
