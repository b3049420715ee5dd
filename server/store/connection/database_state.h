// How the database itself is, as far as this role may see.
#pragma once

#include <cstdint>
#include <optional>

namespace tunehub::store {

class ConnectionPool;

struct Replication {
  std::int64_t synchronous = 0, asynchronous = 0;  // standbys that stream
  // Of the one that has applied least; nothing where there is none.
  std::optional<std::int64_t> lag_bytes;
};

struct WalArchive {
  std::int64_t archived = 0, failed = 0;  // files and attempts, since PostgreSQL's figures began
  std::optional<double> last_seconds;     // since the last one that was archived
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

}  // namespace tunehub::store
