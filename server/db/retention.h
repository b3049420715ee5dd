// The setting retention_days deletes audit lines, texts of receipts, finished jobs and days of
// drift. It never deletes measurements, history or batches: pins, `verify` and idempotency keys
// need them.
#pragma once

#include <cstddef>

namespace tunehub::server {

class ConnectionPool;

// Maximum of rows that one call deletes from each table. The call takes some milliseconds.
inline constexpr std::size_t kMostDeleted = 1'000;

// Deletes old rows, unless another server is doing so. `days` 0: keeps the rows of retention_days.
// True: more rows may be too old.
bool DeleteOld(ConnectionPool& pool, std::size_t days);

}  // namespace tunehub::server
