// Manages API keys. The hub shows a key once, stores its SHA-256, and checks requests against a
// copy in memory.
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

// The rule for names of sources. It forbids names that look alike. Such names would be different
// sources, and an import of one source would not replace the rows of the other.

inline constexpr std::size_t kMaxSourceBytes = 100;
inline constexpr std::string_view kSourceChars = "abcdefghijklmnopqrstuvwxyz0123456789._-/:@+";
inline constexpr std::string_view kSourceRule = "1 to 100 of a-z 0-9 . _ - / : @ +";

inline bool IsSourceName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSourceBytes &&
         text.find_first_not_of(kSourceChars) == std::string_view::npos;
}

// The scope that every key has.
inline constexpr std::string_view kAnyScope = "any";

// A name that anybody may write into a list without doubt about its end. Errors: bad_owner.
core::Status CheckOwnerName(const std::string& owner);

// How long a replaced key stays valid.
inline constexpr int kDefaultGraceHours = 24, kMostGraceHours = 30 * 24;

struct NewKey {
  std::string secret;  // "thub_" + 32 base32 characters; the hub shows it once
  KeyRecord record;
};

enum class KeyVerdict {
  kGranted,
  kUnknown,  // the key is not in the copy
  kMalformed,
  kExpired,
  kRevoked,
  kForbidden,  // valid, but without the scope
};

struct KeyCheck {
  KeyVerdict verdict = KeyVerdict::kMalformed;
  Writer holder = {};  // the holder of a known key
};

// The owner that a key acts for, and its limits.
struct KeyRights {
  std::string owner = kDefaultOwner;
  KeyLimits limits = {};
};

// After Start, a thread reads the epoch of the keys (one number) at least every second. It lists
// the keys only if the epoch has changed. So a request cannot cause a listing.
class Keys {
 public:
  using Clock = std::chrono::steady_clock;

  // `quotas`: the quotas of every key without the scope admin.
  explicit Keys(ConnectionPool& pool, const Usage& quotas = {})
      : pool_(pool), quotas_(std::make_shared<const Usage>(quotas)) {}

  // Scopes: read, submit, claim (for agents; includes read and submit), admin (includes all).
  // `expires`: RFC 3339 or a date, in the future. `by`: see KeyStore. Errors: bad_scope,
  // bad_expires, bad_owner, unknown_family, bad_target, bad_source. Throws Unavailable.
  core::Result<NewKey> Create(const std::string& scope, const std::optional<std::string>& expires,
                              const KeyRights& rights = {}, const Writer& by = {});
  // Replaces a key. Errors: bad_expires, those of KeyStore::Rotate. Throws Unavailable.
  core::Result<NewKey> Rotate(std::int64_t id, const std::optional<std::string>& expires,
                              int grace_hours, const Writer& by = {});
  // Returns the id of the key that a person names: by its id, its first characters in `key list`,
  // or its secret. Errors: unknown_key, ambiguous_key. Throws Unavailable.
  core::Result<std::int64_t> Find(const std::string& name);

  // Reads the keys, then starts the thread. Throws Unavailable.
  void Start();
  void Stop() { thread_.Stop(); }
  // Wakes the thread, which reads the epoch at most once per kLeastPause. Never blocks.
  void Wake() { thread_.Wake(); }

  // Reads the keys into the copy if they have changed. Throws Unavailable.
  void Refresh();
  // Replaces the copy by this listing, unless the copy is newer. (Answers of the database may
  // arrive in another order.)
  void Take(KeyList list);

  // Checks a key from memory, for the reactor. `bearer` is the text after "Bearer ".
  KeyCheck Check(std::string_view bearer, std::string_view scope) const;
  // True if the copy is of `moment` or later, so that it contains every key of that moment.
  bool IsOf(Clock::time_point moment) const;
  // True if the caller should wait for a newer copy: IsOf is false and the database answers. Wakes
  // the thread in that case.
  bool Awaits(Clock::time_point moment);
  // True if the last recorded use is so recent that Use would not write. Reads only memory.
  bool IsNotedLately(std::int64_t key) const;
  // Like Check, but also records the key's use in the database. Call it on a worker thread.
  KeyCheck Use(std::string_view bearer, std::string_view scope);

 private:
  struct Known {
    KeyRecord record;
    Writer holder;
  };

  ConnectionPool& pool_;
  const std::shared_ptr<const Usage> quotas_;
  mutable std::mutex mutex_;
  std::map<std::string, Known, std::less<>> by_sha256_;  // guarded by mutex_
  core::Pin epoch_ = {-1, ""};                           // guarded by mutex_
  std::map<std::int64_t, Clock::time_point> noted_;      // guarded by mutex_
  Clock::time_point as_of_ = Clock::time_point::min();   // guarded by mutex_
  bool reachable_ = false;                               // guarded by mutex_
  core::WokenThread thread_;                             // last: ends before the members it uses

  void Follow();
  bool Look();
  bool IsNoted(std::int64_t key);
};

}  // namespace tunehub::server
