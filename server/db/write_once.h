// Writes with an idempotency key: the same one again is answered with the first one's receipt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

// Notes who wrote what, in the transaction of the write itself. `action`: two words at most, for
// programs; `detail`: for people. Heartbeats, claims and the ends of leases are not noted.
void Audit(pqxx::work& transaction, const Writer& writer, const std::string& action,
           const std::string& detail);

// A receipt that is another one's but for some members. `patch`: a JSON merge patch (RFC 7386).
std::string PatchReceipt(const std::string& receipt, const std::string& patch);

// Of the columns `receipt` and `repeated` of a row of find_batch.sql or list_batches.sql;
// `otherwise` where there is none yet.
std::string ReadReceipt(const pqxx::row& row, const std::string& otherwise);

class ConnectionPool;

// The batch's row, of a `kind` such as "results", first of all in its transaction, so that a twin
// waits there; or the outcome that a twin left (replayed). Error idempotency_key_reused: the key
// was used for another request.
core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const std::string& kind,
                                     const WriteRequest& request, std::optional<std::int64_t> run);

// The receipt of an opened batch, and its run. `repeats`: the receipt is a patch of that batch's.
void FinishBatch(pqxx::work& transaction, std::int64_t batch, const std::string& receipt,
                 std::optional<std::int64_t> run = {}, std::optional<std::int64_t> repeats = {});

// One transaction: OpenBatch, `write`, which answers the receipt, and the commit.
core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request,
                                     const std::function<std::string(pqxx::work&)>& write);

}  // namespace tunehub::server
