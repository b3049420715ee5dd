// A copy of a database. It can replace the original while servers are connected, as a restore does.
#pragma once

#include <string>

namespace tunehub::test {

// Copying and restoring end all connections, as a restart does.
class Backup {
 public:
  // `url`: a database of SharedCluster().
  explicit Backup(const std::string& url);
  // Drops every commit since the copy. A test may call it more than once.
  void Restore() const;

 private:
  std::string name_, copy_;
};

}  // namespace tunehub::test
