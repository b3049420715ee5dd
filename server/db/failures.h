// Exceptions of the store, besides programming errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace tunehub::server {

// The database does not answer, or the result of a commit is unknown. The hub acknowledged nothing;
// the client may send the same request again with the same idempotency key.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Why a statement or a request for a connection failed.
enum class Failure : std::size_t {
  kBusy,        // no connection became free in time
  kNoAnswer,    // no host answered, or the host refused the connection
  kLost,        // the connection broke
  kInDoubt,     // the connection broke during a commit
  kReadOnly,    // the database takes no writes
  kCancelled,   // cancelled by a time limit, or because the server or PostgreSQL stops
  kLocked,      // the wait for a lock took too long
  kResources,   // PostgreSQL is out of connections, memory or disk
  kConflict,    // a concurrent transaction won; the hub repeats this transaction
  kConstraint,  // stored rows forbid the statement; mostly an expected result, not a bug
  kOther,
};
inline constexpr std::size_t kFailures = static_cast<std::size_t>(Failure::kOther) + 1;
inline constexpr std::array<const char*, kFailures> kFailureNames = {
    "busy",   "no_answer", "lost",     "in_doubt",   "read_only", "cancelled",
    "locked", "resources", "conflict", "constraint", "other"};

struct ConnectionFigures {
  std::size_t size = 0, open = 0, in_use = 0;
  std::array<std::uint64_t, kFailures> failures{};  // since the start
};

}  // namespace tunehub::server
