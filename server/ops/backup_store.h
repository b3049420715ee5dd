// Reads facts about a database for a backup or a restore. Every call may throw Unavailable. Calls
// are safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"

namespace tunehub::server {

class ConnectionPool;

// Facts about a database, for its backup.
struct HubState {
  std::string postgresql;  // PostgreSQL's version, "15.18"
  int schema = 0;          // the last migration's number
  std::string migration;   // the last migration's name
  core::Pin revision;
  std::int64_t measurements = 0;
};

// One readable state of the database.
struct OpenState {
  // PostgreSQL's name of the snapshot, with which other connections read the same state
  std::string snapshot;
  int major = 0;  // PostgreSQL's major version
  HubState hub;
};

// The content of a database before a restore.
struct ContentRecord {
  int major = 0;     // PostgreSQL's major version
  bool hub = false;  // true: it is a hub's database
  std::int64_t tables = 0;
  std::string some;  // names of the first tables
  std::string now;   // the time, as PostgreSQL writes it
};

// An API key, in a form for people.
struct KeyName {
  std::int64_t id = 0;
  std::string hint, scope;
};

class BackupStore {
 public:
  explicit BackupStore(ConnectionPool& pool) : pool_(pool) {}

  // Opens a transaction, and calls `use` with its state. Until `use` returns, other connections
  // (pg_dump) can read this same snapshot. Returns the error of `use`.
  core::Status WithState(const std::function<core::Status(const OpenState&)>& use);
  ContentRecord Content();
  // Returns the keys that a restore at that time revoked.
  std::vector<KeyName> RevokedAt(const std::string& time);
  // True if this program has the last migration in `hub`.
  static bool Knows(const HubState& hub);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
