// A copy of a database that can replace the original, as a restore does under connected servers.
#pragma once

#include <string>

namespace tunehub::test {

// The copy and the restore end all connections, as a restart does.
class Backup {
 public:
  // `url`: a database of SharedCluster().
  explicit Backup(const std::string& url);
  // Loses every commit since the copy. May be called more than once.
  void Restore() const;

 private:
  std::string name_, copy_;
};

}  // namespace tunehub::test
