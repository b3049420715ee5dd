// API keys: made once, kept as their SHA-256, checked against a copy in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/threads.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/keys/key_store.h"

namespace tunehub::server {

// The name of a source of imports. Names that look alike would be sources of their own, and neither
// would supersede the other's rows.

inline constexpr std::size_t kMaxSourceBytes = 100;
inline constexpr std::string_view kSourceChars = "abcdefghijklmnopqrstuvwxyz0123456789._-/:@+";
inline constexpr std::string_view kSourceRule = "1 to 100 of a-z 0-9 . _ - / : @ +";

inline bool IsSourceName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSourceBytes &&
         text.find_first_not_of(kSourceChars) == std::string_view::npos;
}

// What a key of each scope opens.
inline constexpr std::string_view kAnyScope = "any";

struct NewKey {
  std::string secret;  // "thub_" + 32 base32 characters: shown once
  KeyRecord record;
};

enum class KeyVerdict {
  kGranted,
  kUnknown,  // not in the copy
  kMalformed,
  kExpired,
  kRevoked,
  kForbidden,  // valid, without the scope
};

struct KeyCheck {
  KeyVerdict verdict = KeyVerdict::kMalformed;
  Writer holder = {};  // of a key that is in the copy
};

// Whom a key acts for, and within what.
struct KeyRights {
  std::string owner = kDefaultOwner;
  KeyLimits limits = {};
};

// Once started, a thread of its own reads the epoch of the keys (one number) at least every second,
// and the keys where it is another one. Nothing that a request does makes it list them.
class Keys {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Keys(ConnectionPool& pool) : pool_(pool) {}

  // Scopes: read, submit, claim (includes read and submit: what an agent does), admin (includes
  // all). `expires`: RFC 3339 or a date. Errors: bad_scope, bad_expires, bad_owner, unknown_family,
  // bad_target, bad_source. Throws Unavailable.
  core::Result<NewKey> Create(const std::string& scope, const std::optional<std::string>& expires,
                              const KeyRights& rights = {});

  // Reads the keys, then follows. Throws Unavailable.
  void Start();
  void Stop() { thread_.Stop(); }
  // Has the thread look now, yet not more often than every kLeastPause. Never blocks.
  void Wake() { thread_.Wake(); }

  // Reads the database's keys into the copy where they have changed. Throws Unavailable.
  void Refresh();
  // Puts a listing in force, unless a later one is in force already: answers may overtake one
  // another.
  void Take(KeyList list);

  // From memory: for the reactor. `bearer` is the value behind "Bearer ".
  KeyCheck Check(std::string_view bearer, std::string_view scope) const;
  // Whether the copy was read at `moment` or later: a key that it lacks was not there at `moment`.
  bool IsOf(Clock::time_point moment) const;
  // Has the thread look where IsOf is false. Whether to wait for that: not where IsOf is true, nor
  // while the database is gone.
  bool Awaits(Clock::time_point moment);
  // Whether Use would note nothing, since that was done a moment ago. From memory.
  bool IsNotedLately(std::int64_t key) const;
  // As Check, and notes that the key was used. For a worker thread: it asks the database.
  KeyCheck Use(std::string_view bearer, std::string_view scope);

 private:
  struct Known {
    KeyRecord record;
    Writer holder;
  };

  ConnectionPool& pool_;
  mutable std::mutex mutex_;
  std::map<std::string, Known, std::less<>> by_sha256_;  // guarded by mutex_
  core::Pin epoch_ = {-1, ""};                           // guarded by mutex_
  std::map<std::int64_t, Clock::time_point> noted_;      // guarded by mutex_
  Clock::time_point as_of_ = Clock::time_point::min();   // guarded by mutex_
  bool reachable_ = false;                               // guarded by mutex_
  core::WokenThread thread_;                             // the last: it ends before what it uses

  void Follow();
  bool Look();
  bool IsNoted(std::int64_t key);
};

}  // namespace tunehub::server
