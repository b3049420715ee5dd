// Writes with an idempotency key: the same one again is answered with the first one's receipt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "core/base/result.h"
#include "server/store/connection/write_request.h"

namespace tunehub::store {

class ConnectionPool;

// The batch's row, of a `kind` such as "results", first of all in its transaction, so that a twin
// waits there; or the outcome that a twin left (replayed). Error idempotency_key_reused: the key
// was used for another request.
core::Result<WriteOutcome> OpenBatch(pqxx::work& transaction, const std::string& kind,
                                     const WriteRequest& request, std::optional<std::int64_t> run);

// One transaction: OpenBatch, `write`, which answers the receipt, and the commit.
core::Result<WriteOutcome> WriteOnce(ConnectionPool& pool, const std::string& kind,
                                     const WriteRequest& request,
                                     const std::function<std::string(pqxx::work&)>& write);

}  // namespace tunehub::store
