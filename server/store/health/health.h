// Each host of a database, asked for itself: nothing here writes.
#pragma once

#include <string>
#include <vector>

namespace tunehub::store {

struct HostHealth {
  std::string name;    // "db1:5432"
  std::string url;     // of the same database there
  std::string reason;  // why it cannot be asked; "": it can
  bool read_only = false;
};

// In the order of the address.
std::vector<HostHealth> LookAtHosts(const std::string& url);

}  // namespace tunehub::store
