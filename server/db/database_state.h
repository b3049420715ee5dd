// How the database itself is, as far as this role may see.
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
  // Of the one that has applied least; nothing where there is none.
  std::optional<std::int64_t> lag_bytes;
};

struct WalArchive {
  std::int64_t archived = 0, failed = 0;  // files and attempts, since PostgreSQL's figures began
};

struct DatabaseState {
  std::optional<Replication> replication;  // absent: the role may not read it
  std::optional<WalArchive> archive;       // absent: no WAL is archived
};

class StateStore {
 public:
  explicit StateStore(ConnectionPool& pool) : pool_(pool) {}

  // Both throw Unavailable.
  DatabaseState Read();
  // PostgreSQL asks the file system for each file: not to be asked often. Absent: the role may not
  // know.
  std::optional<std::int64_t> ReadBytes();

 private:
  ConnectionPool& pool_;
};

// Whether the database's address gives a session of PostgreSQL's own, and the database holds any
// text, as the store needs it.
// Error pooled_database: a pooler between lends a session for one transaction or statement at a
// time. There the settings of a connection, its temporary tables and LISTEN are lost, or are
// somebody else's. Error database_encoding: the database is not made for UTF-8, which nobody can
// change afterwards; what a session can set, it sets (session_settings.h). Throws Unavailable.
core::Status CheckSessions(ConnectionPool& pool);

// Each host of a database, asked for itself: nothing here writes.
struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // of the same database there
  std::string reason;  // why it cannot be asked; "": it can
  bool read_only = false;
};

// In the order of the address.
std::vector<HostHealth> LookAtHosts(const std::string& url);

}  // namespace tunehub::server
