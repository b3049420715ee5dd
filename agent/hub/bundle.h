// What GET /bundle gives: tuned tables laid out as aiter/configs, each with its SHA-256.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::agent {

inline constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;  // unpacked
inline constexpr std::size_t kMaxBundleFiles = 10'000;  // one for each family, and three

struct Bundle {
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
};

// Errors: bad_archive (unreadable, beyond these limits, a name that leaves the folder), bad_bundle
// (a table that SHA256SUMS does not confirm).
core::Result<Bundle> ParseBundle(std::string_view tar_gz);

}  // namespace tunehub::agent
