// The state of the database itself, as far as the hub's role may see it.
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

  // Both functions throw Unavailable.
  DatabaseState Read();
  // PostgreSQL reads each file's size from the file system: call it rarely. Absent: the role may
  // not read the size.
  std::optional<std::int64_t> ReadBytes();

 private:
  ConnectionPool& pool_;
};

// Ok if each connection has its own PostgreSQL session and the database can contain any text.
// Throws Unavailable. Errors:
// - pooled_database: a pooler lends a session for one transaction or statement at a time. The hub
//   would lose a connection's settings, temporary tables and LISTEN, or get another client's.
// - database_encoding: the database is not UTF-8, which nobody can change later. Connections set
//   everything else (SessionSettings).
core::Status CheckSessions(ConnectionPool& pool);

// One host of a database, checked separately. These functions write nothing.
struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // of the same database there
  std::string reason;  // why it does not answer; "": it answers
  bool read_only = false;
};

// In the order of the URL.
std::vector<HostHealth> LookAtHosts(const std::string& url);

}  // namespace tunehub::server
