// What the setting retention_days deletes: the audit's lines, texts of receipts, finished jobs.
// Never measurements, history or batches, which pins, `verify` and idempotency keys need.
#pragma once

#include <cstddef>

namespace tunehub::server {

class ConnectionPool;

// Rows of each table that one call deletes: it takes some milliseconds.
inline constexpr std::size_t kMostDeleted = 1'000;

// Deletes old rows, unless another server does. `days` 0: those stay. True: more may be too old.
bool DeleteOld(ConnectionPool& pool, std::size_t days);

}  // namespace tunehub::server
