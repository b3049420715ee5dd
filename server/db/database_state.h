// Reads the state of the database itself, as far as the hub's database role may see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::server {

class ConnectionPool;

struct Replication {
  std::int64_t synchronous = 0, asynchronous = 0;  // numbers of streaming standbys
  // The largest lag of a standby; absent without standbys.
  std::optional<std::int64_t> lag_bytes;
};

struct WalArchive {
  // archived files, failed attempts; by PostgreSQL's counters
  std::int64_t archived = 0, failed = 0;
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
  // Call this rarely, because PostgreSQL reads each file's size from the file system. Absent: the
  // role may not read the size.
  std::optional<std::int64_t> ReadBytes();

 private:
  ConnectionPool& pool_;
};

// Checks that each connection has its own PostgreSQL session and that the database can contain any
// text. Throws Unavailable. Errors:
// - pooled_database: a pooler gives each transaction or statement any free session. The hub would
//   lose a connection's settings, temporary tables and LISTEN, or get those of another client.
// - database_encoding: the database is not UTF-8. Nobody can change this later. Connections set
//   everything else (SessionSettings).
core::Status CheckSessions(ConnectionPool& pool);

// One host of a database, checked separately. The check writes nothing.
struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // the URL of the same database on this host
  std::string reason;  // why the host does not answer; "": it answers
  bool read_only = false;
};

// Returns the hosts in the order of the URL.
std::vector<HostHealth> LookAtHosts(const std::string& url);

}  // namespace tunehub::server
