// Who wrote what, read. Every call may throw Unavailable; calls are safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tunehub::store {

class ConnectionPool;

struct AuditRecord {
  std::int64_t id = 0, api_key = 0;                // 0: a server's own command
  std::string at, owner, action, detail, request;  // RFC 3339; "": unknown
};

class AuditStore {
 public:
  explicit AuditStore(ConnectionPool& pool) : pool_(pool) {}

  // The newest first.
  std::vector<AuditRecord> List(std::int64_t before_id, std::size_t limit);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::store
