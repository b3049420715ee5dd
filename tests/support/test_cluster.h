// A real PostgreSQL for database tests: one cluster per test process, one database per test.
#pragma once

#include <memory>
#include <string>

#include "server/embedded/cluster.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

// Without fsync, because a test's data may be lost when the machine dies.
class TestCluster {
 public:
  TestCluster();

  embedded::Cluster& cluster() { return *cluster_; }
  // Makes a database (C, UTF8), empty or a copy of `base`, to which nobody may be connected.
  // Returns its libpq connection string.
  std::string NewDatabase(const std::string& base = "template0");

 private:
  TempDir dir_;
  std::unique_ptr<embedded::Cluster> cluster_;  // destroyed, and so stopped, before dir_
  int databases_ = 0;
};

// The first call starts the cluster and belongs on the main thread. The process stops it at exit.
TestCluster& SharedCluster();

std::string NewDatabase();  // a new database of SharedCluster()
std::string DatabaseName(const std::string& connection_string);

}  // namespace tunehub::test
