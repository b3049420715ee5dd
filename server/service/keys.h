// API keys: made once, kept as their SHA-256, checked against a copy in memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "server/store/store.h"

namespace tunehub::service {

struct NewKey {
  std::string secret;  // "thub_" + 32 base32 characters: shown once
  store::KeyRecord record;
};

enum class KeyVerdict {
  kGranted,
  kUnknown,  // not in the copy: a worker may ask the database (Resolve)
  kMalformed,
  kExpired,
  kRevoked,
  kForbidden,  // valid, without the scope
};

struct KeyCheck {
  KeyVerdict verdict = KeyVerdict::kMalformed;
  std::int64_t id = 0;
};

class Keys {
 public:
  explicit Keys(store::Store& store) : store_(store) {}

  // Scopes: read, submit, claim (includes read and submit: what an agent does), admin (includes
  // all). `expires`: RFC 3339 or a date.
  core::Result<NewKey> Create(const std::string& scope, const std::optional<std::string>& expires);

  // Reads the database's keys into the copy. Throws Unavailable.
  void Refresh();

  // From memory: for the reactor. `bearer` is the value behind "Bearer ".
  KeyCheck Check(std::string_view bearer, std::string_view scope) const;
  // Check, after a Refresh where the key was unknown; notes the key's use. For a worker.
  KeyCheck Resolve(std::string_view bearer, std::string_view scope);

 private:
  store::Store& store_;
  mutable std::mutex mutex_;
  std::map<std::string, store::KeyRecord, std::less<>> by_sha256_;       // guarded by mutex_
  std::map<std::int64_t, std::chrono::steady_clock::time_point> noted_;  // guarded by mutex_

  bool IsNoted(std::int64_t key);
};

}  // namespace tunehub::service
