// API keys and the audit log in PostgreSQL. Every call may throw Unavailable; calls are safe from
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/pin.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

struct KeyRecord {
  std::int64_t id = 0;
  std::string sha256, hint, scope;
  std::string created = {}, expires = {}, last_used = {}, revoked = {};  // RFC 3339; "": never
  std::string owner = kDefaultOwner;
  KeyLimits limits = {};
};

struct KeyList {
  core::Pin epoch;  // its number grows with each change of the keys
  std::vector<KeyRecord> keys;
};

class KeyStore {
 public:
  explicit KeyStore(ConnectionPool& pool) : pool_(pool) {}

  // Stores the key and returns the stored record. Ignores the given id and all times except
  // `expires`.
  KeyRecord Create(const KeyRecord& key);
  KeyList List();
  core::Pin ReadEpoch();  // the epoch that List() would return
  bool Revoke(std::int64_t id);
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
