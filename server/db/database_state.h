// The state of the database itself, as far as this role may see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

class ConnectionPool;

struct Replication {
  std::int64_t synchronous = 0, asynchronous = 0;  // standbys that stream
  // The lag of the standby farthest behind; absent without standbys.
  std::optional<std::int64_t> lag_bytes;
};

struct WalArchive {
  std::int64_t archived = 0, failed = 0;  // files, attempts; by PostgreSQL's counters
};

struct DatabaseState {
  std::optional<Replication> replication;  // absent: the role may not read it
  std::optional<WalArchive> archive;       // absent: PostgreSQL archives no WAL
};

class StateStore {
 public:
  explicit StateStore(ConnectionPool& pool) : pool_(pool) {}

  // Both throw Unavailable.
  DatabaseState Read();
  // PostgreSQL asks the file system for each file: call it rarely. Absent: the role may not.
  std::optional<std::int64_t> ReadBytes();

 private:
  ConnectionPool& pool_;
};

// Whether the address leads to sessions of PostgreSQL's own, and the database can hold any text.
// Error pooled_database: a pooler lends a session for one transaction or statement at a time.
// Settings of a connection, its temporary tables and LISTEN would be lost, or another client's.
// Error database_encoding: the database is not UTF-8, which nobody can change afterwards;
// connections set everything else (SessionSettings). Throws Unavailable.
core::Status CheckSessions(ConnectionPool& pool);

// One host of a database, asked separately. Nothing here writes.
struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // of the same database there
  std::string reason;  // why it does not answer; "": it does
  bool read_only = false;
};

// In the order of the address.
std::vector<HostHealth> LookAtHosts(const std::string& url);

}  // namespace tunehub::server
