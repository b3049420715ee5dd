// Stands in for a server that tests can kill. A child process starts a Cluster and then only waits.
#pragma once

#include <sys/types.h>

#include <string>

#include "server/embedded/cluster.h"

namespace tunehub::test {

class ClusterProcess {
 public:
  explicit ClusterProcess(const embedded::ClusterOptions& options);
  ~ClusterProcess();  // kills it, and waits until its PostgreSQL and the socket folder are gone
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;

  pid_t pid() const { return pid_; }
  const std::string& connection() const { return connection_; }
  void Kill();  // -9

 private:
  std::filesystem::path data_dir_;
  pid_t pid_ = 0;
  std::string connection_;
};

}  // namespace tunehub::test
