// A real PostgreSQL for database tests: one cluster per test process, one database per test.
#pragma once

#include <memory>
#include <string>

#include "server/embedded/cluster.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {

// Runs without fsync, because a crash of the machine may lose a test's data.
class TestCluster {
 public:
  TestCluster();

  embedded::Cluster& cluster() { return *cluster_; }
  // Makes a database (C, UTF8): empty, or a copy of `base`, which must have no connections. Returns
  // its libpq connection string.
  std::string NewDatabase(const std::string& base = "template0");

 private:
  TempDir dir_;
  std::unique_ptr<embedded::Cluster>
      cluster_;  // destroyed before dir_, so that the cluster stops first
  int databases_ = 0;
};

// The first call starts the cluster; it must be on the main thread. The process stops the cluster
// at its exit.
TestCluster& SharedCluster();

std::string NewDatabase();  // a new database of SharedCluster()
std::string DatabaseName(const std::string& connection_string);

}  // namespace tunehub::test
