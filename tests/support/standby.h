// A hot standby of a cluster. pg_basebackup copies the cluster, and streaming replication updates
// the standby.
#pragma once

#include <string>

#include "server/embedded/db_user.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

class Standby {
 public:
  // `primary`: "host=FOLDER port=5432 user=... dbname=...". Returns once the standby answers reads.
  explicit Standby(const std::string& primary);
  ~Standby();  // kills it
  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;

  // Connects to the primary's database on the standby.
  const std::string& connection_string() const { return connection_string_; }
  const std::string& socket_dir() const { return socket_dir_; }
  void Promote() const;

 private:
  TempDir dir_;
  std::string socket_dir_, connection_string_;
  embedded::DatabaseUser user_;
  int log_ = -1;
  int pid_ = 0;
};

}  // namespace tunehub::test
