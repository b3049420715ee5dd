// The tables that no family describes: which there are, among the rows of the family that has them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

struct CarriedTable {
  std::string path;  // inside aiter/configs, where an install puts it
  std::size_t rows = 0;
  bool competes = false;  // it has keys, so that "one best row a key" holds
};

// By name. A table of several files has the path of AITER's default file, or of the first.
std::map<std::string, CarriedTable> UnlistedTables(
    const core::Family& unlisted, const std::vector<std::shared_ptr<const TunedRow>>& rows);

}  // namespace tunehub::service
