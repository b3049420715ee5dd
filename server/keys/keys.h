// API keys: made once, stored as their SHA-256, checked against a copy in memory.
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

// The name of a source of imports. Names that look alike would be different sources, and neither
// would replace the other's rows.

inline constexpr std::size_t kMaxSourceBytes = 100;
inline constexpr std::string_view kSourceChars = "abcdefghijklmnopqrstuvwxyz0123456789._-/:@+";
inline constexpr std::string_view kSourceRule = "1 to 100 of a-z 0-9 . _ - / : @ +";

inline bool IsSourceName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSourceBytes &&
         text.find_first_not_of(kSourceChars) == std::string_view::npos;
}

// The scope that every key has.
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
  kForbidden,  // valid, but without the scope
};

struct KeyCheck {
  KeyVerdict verdict = KeyVerdict::kMalformed;
  Writer holder = {};  // of a known key
};

// The owner that a key acts for, and its limits.
struct KeyRights {
  std::string owner = kDefaultOwner;
  KeyLimits limits = {};
};

// Once started, a thread reads the epoch of the keys (one number) at least every second, and lists
// the keys only if it changed. No request makes it list them.
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
  // Wakes the thread, which looks at most every kLeastPause. Never blocks.
  void Wake() { thread_.Wake(); }

  // Reads the keys into the copy if they have changed. Throws Unavailable.
  void Refresh();
  // Puts a listing in force unless a later one is: answers may overtake one another.
  void Take(KeyList list);

  // From memory: for the reactor. `bearer` is the value behind "Bearer ".
  KeyCheck Check(std::string_view bearer, std::string_view scope) const;
  // Whether the copy was read at `moment` or later: it then has every key of that moment.
  bool IsOf(Clock::time_point moment) const;
  // Wakes the thread if IsOf is false. True if the caller should wait for it: not if IsOf is true,
  // or while the database is gone.
  bool Awaits(Clock::time_point moment);
  // Whether a use was noted a moment ago, so that Use would write nothing. From memory.
  bool IsNotedLately(std::int64_t key) const;
  // Like Check, and notes the key's use. For a worker thread: it asks the database.
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
