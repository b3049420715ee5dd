// How a build is asked for: NAME, the newest manifest that was put under it, or NAME@SHA256, that
// very one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::service {

inline constexpr std::size_t kMaxBuildNameBytes = 100;

struct BuildName {
  std::string name;
  std::string sha256;  // "": the newest

  bool pinned() const { return !sha256.empty(); }
  std::string Text() const { return pinned() ? name + "@" + sha256 : name; }
};

// Error bad_build_name.
core::Result<BuildName> ParseBuildName(std::string_view text);

}  // namespace tunehub::service
