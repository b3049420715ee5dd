// By what a table's rows are known to be those of another one, when neither has its rows any more.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/hash128.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

class RowDigests {
 public:
  // Of the rows that are served where nobody asks for a provider.
  explicit RowDigests(const FamilySnapshot& snapshot);

  // Of all rows that a lookup of the gfx may find: its own, and those of no gfx. Equal where these
  // rows are equal, in every cell and in what else a lookup sees of them.
  core::Hash128 Of(std::string_view gfx) const;

 private:
  std::map<std::string, core::Hash128, std::less<>> by_gfx_;
};

}  // namespace tunehub::service
