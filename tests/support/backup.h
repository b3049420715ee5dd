// A copy of a database, and its way back into the place of the original: what a restore is to the
// servers that are connected meanwhile.
#pragma once

#include <string>

namespace tunehub::test {

// Both throw out who is connected, as a database does that stops and starts again.
class Backup {
 public:
  // Of a database of SharedCluster().
  explicit Backup(const std::string& url);
  // What was committed since the copy is lost. Any number of times.
  void Restore() const;

 private:
  std::string name_, copy_;
};

}  // namespace tunehub::test
