// The setting retention_days deletes audit lines, texts of receipts, finished jobs and days of
// drift. It never deletes measurements, history or batches: pins, `verify` and idempotency keys
// need them.
#pragma once

#include <cstddef>

namespace tunehub::server {

class ConnectionPool;

// The most rows that one call deletes from each table. Such a call takes some milliseconds.
inline constexpr std::size_t kMostDeleted = 1'000;

// Deletes old rows, unless another server deletes rows now. If `days` is 0, does not apply
// retention_days. Returns true if more rows may be too old.
bool DeleteOld(ConnectionPool& pool, std::size_t days);

}  // namespace tunehub::server
