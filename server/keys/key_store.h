// API keys and the audit log in PostgreSQL. Every call may throw Unavailable; calls are safe from
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

struct KeyRecord {
  std::int64_t id = 0;
  std::string sha256 = {}, hint = {}, scope = {};
  std::string created = {}, expires = {}, last_used = {}, revoked = {};  // RFC 3339; "": never
  std::string owner = kDefaultOwner;
  KeyLimits limits = {};
  std::int64_t successor = 0;  // the key that replaces this one; 0: none
};

// By this machine's clock.
bool IsExpired(const KeyRecord& key);

// {"families":[...]}: the limits that the key has.
nlohmann::ordered_json LimitsJson(const KeyLimits& limits);

struct KeyList {
  core::Pin epoch;  // its number grows with each change of the keys
  std::vector<KeyRecord> keys;
};

class KeyStore {
 public:
  explicit KeyStore(ConnectionPool& pool) : pool_(pool) {}

  // Each change below is in the audit log. `by`: the holder of the API key that asked for it; by
  // default, a server's own command.

  // Stores the key and returns the stored record. Ignores the given id and all times except
  // `expires`.
  KeyRecord Create(const KeyRecord& key, const Writer& by = {});
  // Errors: unknown_key, key_ended (it is already revoked), last_admin_key.
  core::Result<KeyRecord> Revoke(std::int64_t id, const Writer& by = {});
  // Stores a key with the secret of `fresh` and the owner, scope and limits of the key `id`, which
  // ends after `grace_hours`. If `fresh` does not expire, the key expires when the old one would
  // have. Errors: those of Revoke, key_replaced (it has a successor).
  core::Result<KeyRecord> Rotate(std::int64_t id, const KeyRecord& fresh, int grace_hours,
                                 const Writer& by = {});
  KeyList List();
  core::Pin ReadEpoch();  // the epoch that List() would return
  void Touch(std::int64_t id);

 private:
  ConnectionPool& pool_;
};

// A line of the audit log.
struct AuditRecord {
  std::int64_t id = 0, api_key = 0;                // api_key 0: a server's own command
  std::string at, owner, action, detail, request;  // `at`: RFC 3339; "": unknown
};

// Returns the newest lines first.
std::vector<AuditRecord> ListAudit(ConnectionPool& pool, std::int64_t before_id, std::size_t limit);

}  // namespace tunehub::server
