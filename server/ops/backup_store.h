// What a backup has to know of a database, and a restore. Every call may throw Unavailable; calls
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

// What a backup says of the database that it is of.
struct HubState {
  std::string postgresql;  // its version, "15.18"
  int schema = 0;          // the last migration's number
  std::string migration;   // and its name
  core::Pin revision;
  std::int64_t measurements = 0;
};

// One state of the database that can be read.
struct OpenState {
  std::string snapshot;  // by which other connections read it, while it lasts
  int major = 0;         // of PostgreSQL
  HubState hub;
};

// What is in a database that a backup is to be restored into.
struct ContentRecord {
  int major = 0;     // of PostgreSQL
  bool hub = false;  // it is one of ours
  std::int64_t tables = 0;
  std::string some;  // names of the first of them
  std::string now;   // as PostgreSQL writes it
};

// What people know an API key by.
struct KeyName {
  std::int64_t id = 0;
  std::string hint, scope;
};

class BackupStore {
 public:
  explicit BackupStore(ConnectionPool& pool) : pool_(pool) {}

  // Calls `use` while the state can be read. The error is that of `use`.
  core::Status WithState(const std::function<core::Status(const OpenState&)>& use);
  ContentRecord Content();
  // The keys that a restore revoked at that time.
  std::vector<KeyName> RevokedAt(const std::string& time);
  // Whether this program has the last migration of that state.
  static bool Knows(const HubState& hub);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
